/** The foot of the list: what was just said, in as many lines as it needs, or the keys that do something now. */
import {
  asciiGlyphs,
  cellWidth,
  fitSpans,
  type KeyTable,
  type StyledRow,
  type StyledSpan,
  type Theme,
  wrapCells,
} from '@sluice/permissions-ui'
import { oneLine } from '../../dashboard/sections.ts'
import { shownKeys } from '../key-rows.ts'
import { keysAbove } from './list-rows.ts'
import { exportFormats } from './picker-state.ts'
import type { PickerView } from './picker-view.ts'

/** `leave` is what esc does on an empty filter; `most` lines may be taken. */
export type HintPlace = { table: KeyTable; leave: string; width: number; most: number; theme: Theme }

export function hintRows(view: PickerView, place: HintPlace): StyledRow[] {
  const { width, theme } = place
  const { state, said } = view
  const { asking } = state
  const key = (action: string) =>
    shownKeys((place.table.picker?.[action]?.keys ?? []).slice(0, 1), theme.glyphs === asciiGlyphs)
  const cancel: Hint = [key('close'), 'cancel', 8]
  switch (asking?.what) {
    case 'title':
    case 'tags':
      return [row([[key('accept'), 'save', 9], cancel], width, theme)]
    case 'format': {
      const formats = exportFormats.map(({ key: letter, name }): Hint => [letter, name, 9])
      return worded('export as', theme.accent, [...formats, cancel], place)
    }
    case 'folder': {
      const folder = oneLine(asking.folder)
      const [there, here] = width < narrow ? ['there', 'here'] : ['go on there', 'go on in this folder']
      if (asking.gone)
        return worded(`Its folder is not there any more: ${folder}`, theme.warn, [['y', here, 9], cancel], place)
      const answers: Hint[] = [[key('accept'), there, 10], ['h', here, 9], cancel]
      return worded(`It works in another folder: ${folder}`, theme.warn, answers, place)
    }
  }
  if (said === null) return [row(keysNow(view, key, place), width, theme)]
  const color = said.level === 'warn' ? theme.warn : theme.muted
  return worded(oneLine(said.text), color, said.undo === undefined ? [] : [[key('undo'), said.undo, 9]], place)
}

/** Words with the keys behind them: in one line, else in several, and cut only where that is not enough. */
function worded(
  words: string,
  color: string | undefined,
  hints: readonly Hint[],
  { width, most, theme }: HintPlace,
): StyledRow[] {
  const keys = fitting(hints, width - 3, theme)
  const behind = keys.length === 0 ? [] : [{ text: '  ' }, ...keys]
  const keyCells = behind.reduce((sum, { text }) => sum + cellWidth(text), 0)
  const row = (spans: StyledSpan[]): StyledRow => ({ spans: fitSpans(spans, width, theme.glyphs.ellipsis) })
  const line = (text: string): StyledSpan => ({ text: ` ${text}`, color })
  const lines = cellWidth(words) + 1 + keyCells <= width ? [words] : wrapCells(words, width - 2)
  const last = lines.at(-1) ?? ''
  const besides = cellWidth(last) + 1 + keyCells <= width
  if (lines.length + (besides ? 0 : 1) <= most) {
    const before = lines.slice(0, -1).map((text) => row([line(text)]))
    return besides
      ? [...before, row([line(last), ...behind])]
      : [...before, row([line(last)]), row(fitting(hints, width, theme))]
  }
  const kept = lines.slice(0, most - 1).map((text) => row([line(text)]))
  const rest = lines.slice(most - 1).join(' ')
  const cut = fitSpans([line(rest)], Math.min(width - keyCells, cellWidth(rest) + 1), theme.glyphs.ellipsis)
  return [...kept, row([...cut, ...behind])]
}

/** What is missed least has the lowest number. */
type Hint = [key: string, words: string, weight: number]

function keysNow(
  { row: marked, state, possible }: PickerView,
  key: (action: string) => string,
  { table, leave, width, theme }: HintPlace,
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
  // Behind other words a character is only a character.
  const help = table.global?.help?.keys.find((name) => !filtered || name.length > 1) ?? ''
  hints.push([shownKeys([help], theme.glyphs === asciiGlyphs), 'keys', 8.5])
  hints.push([key('close'), filtered ? 'clear' : width < narrow ? (leave.split(' ')[0] ?? leave) : leave, 9])
  return hints
}

/** Below this every cell counts. */
const narrow = 60

function row(hints: readonly Hint[], width: number, theme: Theme): StyledRow {
  return { spans: fitSpans(fitting(hints, width, theme), width) }
}

/** Whole hints in their order, closer together where that keeps one more; then the lightest ones give way. */
function fitting(hints: readonly Hint[], width: number, theme: Theme): StyledSpan[] {
  let kept = hints.filter(([key]) => key !== '')
  for (;;) {
    for (const gap of width < narrow ? [2] : [3, 2]) {
      const spans = kept.flatMap(([key, words], i): StyledSpan[] => [
        { text: `${' '.repeat(i === 0 ? 1 : gap)}${key}` },
        { text: ` ${words}`, color: theme.muted },
      ])
      if (kept.length === 0 || spans.reduce((sum, { text }) => sum + cellWidth(text), 0) <= width) return spans
    }
    const least = Math.min(...kept.map(([, , weight]) => weight))
    kept = kept.filter(([, , weight]) => weight !== least)
  }
}
