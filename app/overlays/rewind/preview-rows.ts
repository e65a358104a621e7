/** The preview as rows: what going back to before a turn, or undoing one call, would do to each file. */
import type { RewindFile, RewindPreview } from '@sluice/engine/protocol'
import {
  cellWidth,
  countSpans,
  type DiffLines,
  fitSpans,
  type StyledRow,
  type StyledSpan,
} from '@sluice/permissions-ui'
import { oneLine } from '../../dashboard/sections.ts'
import { noteInstead } from '../../session/rewind-words.ts'
import { hintLines } from '../hint-spans.ts'
import { callText } from './list-rows.ts'
import { keyOf, previewHints } from './rewind-hints.ts'
import { choices, emptyRewind, type RewindState, type What, withPreview } from './rewind-state.ts'
import { blank, cut, foot, gapRows, muted, type RewindPlace, rule, title } from './row-parts.ts'

const shareOfFiles = 0.35

/** Rows for files, for the diff, and for what was not captured: each gets what it needs before the others leave some empty. */
function rooms(preview: RewindPreview, place: RewindPlace): { list: number; diff: number; gaps: number; foot: number } {
  const { files, gaps } = preview
  const foot = footLines(preview, place)
  // The keys take what they need from the diff.
  const height = place.height - foot + 1
  const forGaps = Math.min(gaps.length, place.height >= 20 ? 4 : 1)
  if (files.length === 0) return { list: 0, diff: 0, gaps: forGaps, foot }
  const body = Math.max(2, height - 6 - forGaps)
  // The longest diff, so that the list stays as it is while files are looked at one after the other.
  const needed = Math.max(...files.map(({ diff }) => rowsOfDiff(diff)))
  const list = Math.min(files.length, Math.max(2, Math.floor((height - 6) * shareOfFiles), body - needed))
  return { list, diff: Math.max(1, body - list), gaps: forGaps, foot }
}

/** The keys stand in two lines where one is too short for them; whatever is chosen, all stays in its place. */
function footLines(preview: RewindPreview, place: RewindPlace): number {
  const widest = { ...withPreview(emptyRewind, preview), restore: new Set(preview.files.map(({ path }) => path)) }
  return hintLines(previewHints(widest, preview, place), place.width, place.height < 12 ? 1 : 2, place.theme).length
}

/** Without what is wrapped. */
function rowsOfDiff({ hunks, note }: RewindFile['diff']): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length + 1, note === undefined ? 1 : 2)
}

/** How many rows of the diff are seen. */
export function diffRoom(preview: RewindPreview, place: RewindPlace): number {
  return rooms(preview, place).diff
}

export function previewRows(
  state: RewindState,
  preview: RewindPreview,
  lines: DiffLines | null,
  place: RewindPlace,
): StyledRow[] {
  const { width, height, theme } = place
  const room = rooms(preview, place)
  return [
    title(...headOf(preview), place),
    rule(place),
    whatRow(state, preview, place),
    ...bodyRows(state, preview, lines, place),
    ...gapRows(preview.gaps, place, room.gaps),
    rule(place),
    ...foot(state, previewHints(state, preview, place), place, room.foot),
  ]
    .slice(0, height)
    .map((row) => cut(row, width, theme))
}

function bodyRows(
  state: RewindState,
  preview: RewindPreview,
  lines: DiffLines | null,
  place: RewindPlace,
): StyledRow[] {
  const { files } = preview
  const room = rooms(preview, place)
  if (files.length === 0) {
    const words = preview.call === undefined ? '   no file would change' : '   nothing of it is left to undo'
    const rest = Math.max(0, place.height - 5 - room.foot - room.gaps)
    return [muted(words, place), ...Array.from({ length: rest }, () => blank)]
  }
  const from = Math.max(0, Math.min(state.file - room.list + 1, files.length - room.list))
  const list = files
    .slice(from, from + room.list)
    .map((file, i) => fileRow(state, file, from + i === state.file, place))
  const first = lines === null ? 0 : Math.max(0, Math.min(state.scroll, lines.count - room.diff))
  const diff = Array.from({ length: room.diff }, (_, i): StyledRow => {
    const index = first + i
    return lines !== null && index < lines.count ? lines.at(index) : blank
  })
  return [...list, rule(place, moreWords(from, files.length - from - room.list)), ...diff]
}

function moreWords(above: number, below: number): string {
  const parts = [...(above > 0 ? [`${above} more above`] : []), ...(below > 0 ? [`${below} more below`] : [])]
  return parts.join(', ')
}

/** What is to be done, and with what. */
function headOf({ turnId, call, input }: RewindPreview): [name: string, words: string] {
  if (turnId === null) return ['Undo the rewind', call === undefined ? oneLine(input) : callText(call)]
  return call === undefined ? ['Rewind', `to before “${oneLine(input)}”`] : ['Undo one call', callText(call)]
}

function whatRow(state: RewindState, preview: RewindPreview, { theme, table, width }: RewindPlace): StyledRow {
  const names: Record<What, string> =
    width < 62
      ? { both: 'both', conversation: 'conversation', files: 'files' }
      : { both: 'conversation and files', conversation: 'conversation only', files: 'files only' }
  const all = choices(preview)
  const key = all.length > 1 && width >= 70 ? keyOf('rewind', 'what', { table, theme }) : ''
  const spans: StyledSpan[] = all.flatMap((what, i) => [
    { text: i === 0 ? ' ' : `  ${theme.glyphs.todo}  `, color: theme.muted },
    what === state.what
      ? { text: names[what], color: theme.accent2, bold: true }
      : { text: names[what], color: theme.muted },
  ])
  if (preview.call !== undefined && width >= 62) {
    spans.push({ text: ': the conversation goes on, and the model hears of it', color: theme.muted })
  }
  return { spans: [...spans, ...(key === '' ? [] : [{ text: `   (${key})`, color: theme.muted }])] }
}

function fileRow(state: RewindState, file: RewindFile, selected: boolean, place: RewindPlace): StyledRow {
  const { width, theme } = place
  const instead = file.uncounted ? 'not compared' : noteInstead(file.diff)?.replace(/[:;].*/, '')
  const counts = instead === undefined ? countSpans(file.diff, theme) : [{ text: instead, color: theme.muted }]
  const cells = counts.reduce((sum, { text }) => sum + cellWidth(text), 0)
  const idle = state.what === 'conversation'
  // The box says what a yes would do.
  const on = !idle && state.restore.has(file.path)
  const box = file.state === 'lost' ? ' - ' : on ? '[x]' : '[ ]'
  const keep = state.preview?.call === undefined ? 'keep mine' : 'keep'
  const note = idle ? 'stays as it is' : noteOf(file, on, keep)
  const left: StyledSpan[] = [
    { text: selected ? ` ${theme.glyphs.closed} ` : '   ', color: theme.accent },
    { text: `${box} `, color: idle ? theme.muted : on ? theme.accent2 : theme.muted },
    { text: oneLine(file.shown), bold: selected, ...(idle ? { color: theme.muted } : {}) },
    ...(note === '' ? [] : [{ text: `  ${note}`, color: file.state === 'restore' || idle ? theme.muted : theme.warn }]),
  ]
  return {
    spans: [
      ...fitSpans(left, Math.max(8, width - cells - 2), theme.glyphs.ellipsis),
      { text: ' ' },
      ...counts,
      { text: ' ' },
    ],
  }
}

/** What somebody else did, and what becomes of the file; '' where it simply goes back. */
function noteOf({ state, why }: RewindFile, on: boolean, keep: string): string {
  if (state === 'restore') return on ? '' : 'keep'
  const what = state === 'lost' ? 'stays' : on ? 'restore anyway' : keep
  return `${oneLine(why)}: ${what}`
}
