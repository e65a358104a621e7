/** The list as rows: the turns, newest first, the calls of those that are open, and what the marked row changed. */
import type { RewindCall, RewindTurn, RewoundCall } from '@sluice/engine/protocol'
import {
  asciiGlyphs,
  cellWidth,
  countSpans,
  fitSpans,
  padCells,
  type StyledRow,
  type StyledSpan,
  type Theme,
  truncateCells,
} from '@sluice/permissions-ui'
import { oneLine } from '../../dashboard/sections.ts'
import { plural } from '../../transcript/format.ts'
import { age } from '../picker/age.ts'
import { listHints } from './rewind-hints.ts'
import { type RewindRow, type RewindState, rowsOf } from './rewind-state.ts'
import { blank, cut, foot, gapRows, muted, type RewindPlace, rule, title } from './row-parts.ts'

export function listRows(state: RewindState, place: RewindPlace): StyledRow[] {
  const { width, height, theme } = place
  const room = listRoom(height)
  const rows = rowsOf(state)
  const marked = rows[state.selected]
  const from = firstRow(state, rows, room)
  const body = rows.slice(from, from + room).map((row, i) => rowOf(row, from + i === state.selected, place))
  if (state.turns === null) body.push(muted('   reading …', place))
  else if (rows.length === 0) body.push(muted('   nothing was said yet: there is nothing to go back to', place))
  while (body.length < room) body.push(blank)
  const [files, gaps] = details(marked, place)
  const below = detailRows(height) === 0 ? [] : [rule(place), files ?? blank, gaps ?? blank]
  return [
    title('Rewind', 'back to before a prompt, or one call undone; nothing is lost', place),
    rule(place),
    ...body,
    ...below,
    rule(place),
    ...foot(state, listHints(state, marked, place), place),
  ]
    .slice(0, height)
    .map((row) => cut(row, width, theme))
}

/** How many rows of the list are seen. */
export function listRoom(height: number): number {
  return Math.max(1, height - 4 - detailRows(height))
}

/** What a person knows a call by. */
export function callText({ tool, title: words }: RewoundCall): string {
  return `${oneLine(tool)}: ${oneLine(words)}`
}

/** Rows below the list about the marked row, their rule among them; the list goes first where there is little room. */
function detailRows(height: number): number {
  return height >= 14 ? 3 : 0
}

/** The marked row is seen, and as many of its calls as there is room for. */
function firstRow({ selected, open }: RewindState, rows: readonly RewindRow[], room: number): number {
  const row = rows[selected]
  const calls = row?.kind === 'turn' && open.has(row.turn.turnId) ? row.turn.calls.length : 0
  const last = selected + Math.min(calls, room - 1)
  return Math.max(0, Math.min(last - room + 1, rows.length - room))
}

function rowOf(row: RewindRow, selected: boolean, place: RewindPlace): StyledRow {
  const { width, theme, now } = place
  const mark: StyledSpan = { text: selected ? ` ${theme.glyphs.closed} ` : '   ', color: theme.accent }
  if (row.kind === 'undo') {
    const { call, input } = row.undo
    const of = call === undefined ? oneLine(input) : callText(call)
    const name: StyledSpan = { text: 'undo the last rewind', color: theme.accent2, bold: selected }
    return { spans: fitSpans([mark, name, { text: `  ${of}`, color: theme.muted }], width, theme.glyphs.ellipsis) }
  }
  const words =
    row.kind === 'turn' ? [{ text: oneLine(row.turn.input), bold: selected }] : callSpans(row, selected, theme)
  const right = row.kind === 'call' ? callChanges(row.call, theme) : turnColumns(row.turn, now, place)
  const cells = right.reduce((sum, { text }) => sum + cellWidth(text), 0) + 2
  return {
    spans: [
      ...fitSpans([mark, ...words], width - cells, theme.glyphs.ellipsis),
      { text: ' ' },
      ...right,
      { text: ' ' },
    ],
  }
}

const mostOfName = 16

/** The names of the tools of a turn in a column of their own. */
function callSpans({ turn, call }: RewindRow & { kind: 'call' }, selected: boolean, theme: Theme): StyledSpan[] {
  const names = Math.min(mostOfName, Math.max(...turn.calls.map(({ tool }) => cellWidth(oneLine(tool)))))
  return [
    { text: `  ${padCells(truncateCells(oneLine(call.tool), names), names)}  `, color: theme.muted },
    { text: oneLine(call.title), bold: selected },
  ]
}

function turnColumns(turn: RewindTurn, now: number, { width, theme }: RewindPlace): StyledSpan[] {
  const changes = changeSpans(turn, theme)
  if (width < 60) return changes
  const cells = changes.reduce((sum, { text }) => sum + cellWidth(text), 0)
  const when = age(turn.time, now)
  return [{ text: when.padStart(10), color: theme.muted }, { text: ' '.repeat(Math.max(2, 20 - cells)) }, ...changes]
}

function callChanges(call: RewindCall, theme: Theme): StyledSpan[] {
  return call.undone ? [{ text: 'undone', color: theme.muted }] : changeSpans(call, theme)
}

function changeSpans({ files, gaps }: Pick<RewindTurn, 'files' | 'gaps'>, theme: Theme): StyledSpan[] {
  if (files.length === 0) return [{ text: gaps.length > 0 ? 'not captured' : 'no files', color: theme.muted }]
  const sum = (key: 'additions' | 'deletions') => files.reduce((all, file) => all + file[key], 0)
  const counts = countSpans({ additions: sum('additions'), deletions: sum('deletions'), change: 'edit' }, theme)
  const least = files.some(({ uncounted }) => uncounted) ? atLeast(theme) : ''
  return [{ text: `${plural(files.length, 'file')}  ${least}`, color: theme.muted }, ...counts]
}

function details(row: RewindRow | undefined, place: RewindPlace): StyledRow[] {
  if (row === undefined) return []
  if (row.kind === 'undo') return [muted(' brings back what the last rewind left behind', place)]
  const { files, gaps } = row.kind === 'call' ? row.call : row.turn
  return [filesRow(files, gaps, place), ...gapRows(gaps, place)]
}

function filesRow(files: RewindTurn['files'], gaps: readonly string[], place: RewindPlace): StyledRow {
  if (files.length === 0) {
    return muted(gaps.length > 0 ? ' none of what it changed was captured' : ' it changed no files', place)
  }
  return {
    spans: files.flatMap(({ path, additions, deletions, uncounted }, i) => [
      { text: i === 0 ? ' ' : '   ' },
      { text: `${oneLine(path)} ${uncounted ? atLeast(place.theme) : ''}` },
      ...countSpans({ additions, deletions, change: 'edit' }, place.theme),
    ]),
  }
}

/** More than was counted. */
function atLeast(theme: Theme): string {
  return theme.glyphs === asciiGlyphs ? '>= ' : '≥ '
}
