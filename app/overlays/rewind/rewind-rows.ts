/** The rewind as rows: the list of turns, and what going back to one of them would do. */
import type { RewindFile, RewindPreview, RewindTurn } from '@sluice/engine/protocol'
import {
  cellWidth,
  countSpans,
  type DiffLines,
  fitSpans,
  type KeyTable,
  type StyledRow,
  type StyledSpan,
  type Theme,
} from '@sluice/permissions-ui'
import { oneLine } from '../../dashboard/sections.ts'
import { plural } from '../../transcript/format.ts'
import { type Hint, hintSpans } from '../hint-spans.ts'
import { age } from '../picker/age.ts'
import { keyOf, listHints, previewHints } from './rewind-hints.ts'
import { choices, type RewindState, rowCount, turnAt, type What } from './rewind-state.ts'

export type RewindPlace = {
  width: number
  height: number
  theme: Theme
  table: KeyTable
  /** ms since 1970. */
  now: number
}

/** Exactly `height` rows. */
export function rewindRows(state: RewindState, lines: DiffLines | null, place: RewindPlace): StyledRow[] {
  const rows = state.preview === null ? listRows(state, place) : previewRows(state, state.preview, lines, place)
  return Array.from({ length: place.height }, (_, i) => rows[i] ?? blank)
}

const blank: StyledRow = { spans: [] }

/** How many rows of the list, or of the diff, are seen. */
export function pageOf(state: RewindState, { height }: Pick<RewindPlace, 'height'>): number {
  if (state.preview === null) return Math.max(1, height - 4 - detailRows(height))
  return diffRoom(state.preview, height)
}

function listRows(state: RewindState, place: RewindPlace): StyledRow[] {
  const { width, height, theme } = place
  const room = pageOf(state, place)
  const total = rowCount(state)
  const from = Math.max(0, Math.min(state.selected - room + 1, total - room))
  const body: StyledRow[] = []
  for (let i = from; i < Math.min(total, from + room); i++) body.push(turnRow(state, i, place))
  if (state.turns === null) body.push(muted('   reading …', place))
  else if (total === 0) body.push(muted('   nothing was said yet: there is nothing to go back to', place))
  while (body.length < room) body.push(blank)
  const [files, gaps] = turnDetails(state, place)
  const details = detailRows(height) === 0 ? [] : [rule(place), files ?? blank, gaps ?? blank]
  return [
    title('Rewind', 'back to before a prompt; nothing is lost', place),
    rule(place),
    ...body,
    ...details,
    rule(place),
    foot(state, listHints(state, place), place),
  ]
    .slice(0, height)
    .map((row) => cut(row, width, theme))
}

/** Rows below the list about the marked turn, their rule among them; the list goes first where there is little room. */
function detailRows(height: number): number {
  return height >= 14 ? 3 : 0
}

function turnRow(state: RewindState, index: number, place: RewindPlace): StyledRow {
  const { width, theme, now } = place
  const selected = index === state.selected
  const turn = turnAt({ ...state, selected: index })
  const mark: StyledSpan = { text: selected ? ` ${theme.glyphs.closed} ` : '   ', color: theme.accent }
  if (turn === null) {
    const of = oneLine(state.undo?.input ?? '')
    return {
      spans: fitSpans(
        [
          mark,
          { text: 'undo the last rewind', color: theme.accent2, bold: selected },
          { text: `  ${of}`, color: theme.muted },
        ],
        width,
        theme.glyphs.ellipsis,
      ),
    }
  }
  if (turn === undefined) return blank
  const right: StyledSpan[] = width < 60 ? changeSpans(turn, theme) : turnColumns(turn, now, theme)
  const cells = right.reduce((sum, { text }) => sum + cellWidth(text), 0) + 2
  const left = fitSpans([mark, { text: oneLine(turn.input), bold: selected }], width - cells, theme.glyphs.ellipsis)
  return { spans: [...left, { text: ' ' }, ...right, { text: ' ' }] }
}

function turnColumns(turn: RewindTurn, now: number, theme: Theme): StyledSpan[] {
  const changes = changeSpans(turn, theme)
  const cells = changes.reduce((sum, { text }) => sum + cellWidth(text), 0)
  const when = age(turn.time, now)
  return [{ text: when.padStart(10), color: theme.muted }, { text: ' '.repeat(Math.max(2, 20 - cells)) }, ...changes]
}

function changeSpans({ files, gaps }: RewindTurn, theme: Theme): StyledSpan[] {
  if (files.length === 0) return [{ text: gaps.length > 0 ? 'not known' : 'no files', color: theme.muted }]
  const sum = (key: 'additions' | 'deletions') => files.reduce((all, file) => all + file[key], 0)
  const counts = countSpans({ additions: sum('additions'), deletions: sum('deletions'), change: 'edit' }, theme)
  return [{ text: `${plural(files.length, 'file')}  `, color: theme.muted }, ...counts]
}

function turnDetails(state: RewindState, place: RewindPlace): StyledRow[] {
  const turn = turnAt(state)
  if (turn === null) return [muted(' brings back what the last rewind left behind', place)]
  if (turn === undefined) return []
  const { theme } = place
  const files: StyledSpan[] = turn.files.flatMap(({ path, additions, deletions }, i) => [
    { text: i === 0 ? ' ' : '   ' },
    { text: `${oneLine(path)} ` },
    ...countSpans({ additions, deletions, change: 'edit' }, theme),
  ])
  return [
    {
      spans:
        turn.files.length === 0
          ? [
              {
                text: turn.gaps.length > 0 ? ' what it changed is not known' : ' it changed no files',
                color: theme.muted,
              },
            ]
          : files,
    },
    ...gapRows(turn.gaps, place),
  ]
}

const shareOfFiles = 0.35

function fileRoom({ files }: RewindPreview, height: number): number {
  return Math.min(files.length, Math.max(2, Math.floor((height - 6) * shareOfFiles)))
}

function diffRoom(preview: RewindPreview, height: number): number {
  if (preview.files.length === 0) return 0
  return Math.max(1, height - 6 - fileRoom(preview, height) - (preview.gaps.length > 0 ? 1 : 0))
}

function previewRows(
  state: RewindState,
  preview: RewindPreview,
  lines: DiffLines | null,
  place: RewindPlace,
): StyledRow[] {
  const { width, height, theme } = place
  const { files } = preview
  const room = fileRoom(preview, height)
  const from = Math.max(0, Math.min(state.file - room + 1, files.length - room))
  const list = files.slice(from, from + room).map((file, i) => fileRow(state, file, from + i === state.file, place))
  const seen = diffRoom(preview, height)
  const first = lines === null ? 0 : Math.max(0, Math.min(state.scroll, lines.count - seen))
  const diff = Array.from({ length: seen }, (_, i): StyledRow => {
    const index = first + i
    return lines !== null && index < lines.count ? lines.at(index) : blank
  })
  const gaps = gapRows(preview.gaps, place).slice(0, 1)
  const name = preview.turnId === null ? 'Undo the rewind' : 'Rewind'
  const words = preview.turnId === null ? oneLine(preview.input) : `to before “${oneLine(preview.input)}”`
  const body =
    files.length === 0
      ? [
          muted('   no file would change', place),
          ...Array.from({ length: Math.max(0, height - 6 - gaps.length) }, () => blank),
        ]
      : [...list, rule(place), ...diff]
  return [
    title(name, words, place),
    rule(place),
    whatRow(state, preview, place),
    ...body,
    ...gaps,
    rule(place),
    foot(state, previewHints(state, preview, place), place),
  ]
    .slice(0, height)
    .map((row) => cut(row, width, theme))
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
  return { spans: [...spans, ...(key === '' ? [] : [{ text: `   (${key})`, color: theme.muted }])] }
}

function fileRow(state: RewindState, file: RewindFile, selected: boolean, place: RewindPlace): StyledRow {
  const { width, theme } = place
  const counts = countSpans(file.diff, theme)
  const cells = counts.reduce((sum, { text }) => sum + cellWidth(text), 0)
  const idle = state.what === 'conversation'
  const on = state.restore.has(file.path)
  const box = file.state === 'lost' ? ' - ' : on ? '[x]' : '[ ]'
  const note = idle ? 'stays as it is' : noteOf(file, on)
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
function noteOf({ state, why }: RewindFile, on: boolean): string {
  if (state === 'restore') return on ? '' : 'keep'
  const what = state === 'lost' ? 'stays' : on ? 'restore anyway' : 'keep mine'
  return `${oneLine(why)}: ${what}`
}

function gapRows(gaps: readonly string[], { theme }: RewindPlace): StyledRow[] {
  const [first, ...more] = gaps
  if (first === undefined) return []
  const rest = more.length === 0 ? '' : ` (and ${plural(more.length, 'thing')} more)`
  return [
    {
      spans: [
        { text: ` ${theme.glyphs.warn} not captured: `, color: theme.warn },
        { text: oneLine(first) + rest, color: theme.muted },
      ],
    },
  ]
}

function title(name: string, words: string, { theme }: RewindPlace): StyledRow {
  return {
    spans: [
      { text: ` ${name}`, color: theme.accent, bold: true },
      { text: `   ${words}`, color: theme.muted },
    ],
  }
}

function foot(state: RewindState, hints: readonly Hint[], { width, theme }: RewindPlace): StyledRow {
  if (state.problem !== null)
    return { spans: [{ text: ` ${theme.glyphs.warn} ${oneLine(state.problem)}`, color: theme.warn }] }
  if (state.doing !== null) return { spans: [{ text: ` ${state.doing}`, color: theme.muted }] }
  return { spans: hintSpans(hints, width, theme) }
}

function rule({ width, theme }: RewindPlace): StyledRow {
  return { spans: [{ text: theme.glyphs.horizontal.repeat(Math.max(0, width)), color: theme.muted }] }
}

function muted(text: string, { theme }: RewindPlace): StyledRow {
  return { spans: [{ text, color: theme.muted }] }
}

function cut(row: StyledRow, width: number, theme: Theme): StyledRow {
  return { spans: fitSpans(row.spans, width, theme.glyphs.ellipsis) }
}
