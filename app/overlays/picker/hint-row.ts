/** The last line of the list: what was just said, or the keys that do something now. */
import {
  asciiGlyphs,
  cellWidth,
  fitSpans,
  type KeyTable,
  type StyledRow,
  type StyledSpan,
  type Theme,
} from '@sluice/permissions-ui'
import { oneLine } from '../../dashboard/sections.ts'
import { shownKeys } from '../key-rows.ts'
import { keysAbove } from './list-rows.ts'
import { exportFormats } from './picker-state.ts'
import type { PickerView } from './picker-view.ts'

/** `leave` is what esc does on an empty filter. */
export type HintPlace = { table: KeyTable; leave: string; width: number; theme: Theme }

export function hintRow(view: PickerView, place: HintPlace): StyledRow {
  const { width, theme } = place
  const { state, said, possible } = view
  const { asking } = state
  const key = (action: string) =>
    shownKeys((place.table.picker?.[action]?.keys ?? []).slice(0, 1), theme.glyphs === asciiGlyphs)
  const cancel: Hint = [key('close'), 'cancel', 8]
  switch (asking?.what) {
    case 'title':
    case 'tags':
      return row([[key('accept'), 'save', 9], cancel], width, theme)
    case 'format': {
      const formats = exportFormats.map(({ key: letter, name }): Hint => [letter, name, 9])
      return worded('export as', theme.accent, [...formats, cancel], width, theme)
    }
    case 'folder': {
      const gone = `Its folder is not there any more: ${oneLine(asking.gone)}`
      return worded(gone, theme.warn, [['y', 'go on in this folder', 9], cancel], width, theme)
    }
  }
  if (said === null) return row(keysNow(view, key, place), width, theme)
  const color = said.level === 'warn' ? theme.warn : theme.muted
  return worded(oneLine(said.text), color, possible.undo ? [[key('undo'), 'undo', 9]] : [], width, theme)
}

/** Words, cut where they leave no room for the keys behind them. */
function worded(
  words: string,
  color: string | undefined,
  hints: readonly Hint[],
  width: number,
  theme: Theme,
): StyledRow {
  const keys = fitting(hints, width - 3, theme)
  const behind = keys.length === 0 ? [] : [{ text: '  ' }, ...keys]
  const room = width - behind.reduce((sum, { text }) => sum + cellWidth(text), 0)
  const text: StyledSpan = { text: ` ${words}`, color }
  const before = fitSpans([text], Math.min(room, cellWidth(text.text)), theme.glyphs.ellipsis)
  return { spans: fitSpans([...before, ...behind], width, theme.glyphs.ellipsis) }
}

/** What is missed least has the lowest number. */
type Hint = [key: string, words: string, weight: number]

function keysNow(
  { row: marked, state, possible }: PickerView,
  key: (action: string) => string,
  { leave, width }: HintPlace,
): Hint[] {
  const hints: Hint[] = []
  if (marked !== undefined) {
    const elsewhere = marked.session.live && marked.here === null
    const accept = marked.here === null ? 'resume' : marked.here.front ? 'back' : 'switch'
    if (!elsewhere) hints.push([key('accept'), accept, 10])
    if (possible.fork) hints.push([key('fork'), 'fork', 4])
    hints.push([key('rename'), 'rename', 5], [key('pin'), 'pin', 3])
    if (!marked.session.live) hints.push([key('delete'), 'delete', 6])
    if (possible.export) hints.push([key('export'), 'export', 2])
    hints.push([key('tags'), 'tags', 1])
  }
  const filtered = state.line.text !== '' || state.content
  // Elsewhere they stand above the list.
  if (!keysAbove(width)) hints.push([key('scope'), state.everywhere ? 'here' : 'all', 8])
  if (!keysAbove(width) && !filtered) hints.push([key('content'), 'content', 7])
  hints.push([key('close'), filtered ? 'clear' : width < narrow ? (leave.split(' ')[0] ?? leave) : leave, 9])
  return hints
}

/** Below this every cell counts. */
const narrow = 60

function row(hints: readonly Hint[], width: number, theme: Theme): StyledRow {
  return { spans: fitSpans(fitting(hints, width, theme), width) }
}

/** Whole hints in their order; the lightest ones give way. */
function fitting(hints: readonly Hint[], width: number, theme: Theme): StyledSpan[] {
  const gap = ' '.repeat(width < narrow ? 2 : 3)
  let kept = hints.filter(([key]) => key !== '')
  for (;;) {
    const spans = kept.flatMap(([key, words], i): StyledSpan[] => [
      { text: `${i === 0 ? ' ' : gap}${key}` },
      { text: ` ${words}`, color: theme.muted },
    ])
    if (kept.length === 0 || spans.reduce((sum, { text }) => sum + cellWidth(text), 0) <= width) return spans
    const least = Math.min(...kept.map(([, , weight]) => weight))
    kept = kept.filter(([, , weight]) => weight !== least)
  }
}
