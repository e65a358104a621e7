/** The inbox as rows of exactly its size: the list, what the marked question is about, and the keys; pure. */
import {
  type Body,
  cellWidth,
  fitSpans,
  type KeyTable,
  padCells,
  requestBody,
  type StyledRow,
  type StyledSpan,
  styledRow,
  type Theme,
  truncateCells,
  visibleLine,
} from '@sluice/permissions-ui'
import { clock as clockText, plural } from '../../transcript/format.ts'
import { footRows } from './inbox-foot.ts'
import { type InboxRow, wholeInRow } from './inbox-rows.ts'
import { ruleRows } from './inbox-rule.ts'
import { coveredRows, type InboxScene, type InboxState } from './inbox-state.ts'

export type InboxViewInput = {
  state: InboxState
  rows: readonly InboxRow[]
  width: number
  height: number
  theme: Theme
  table: KeyTable
  now: number
  /** Rises when colours have come that make other rows. */
  version: unknown
  covers: InboxScene['covers']
}

export type InboxView = {
  rows: StyledRow[]
  /** Rows of which no sign may be replaced: a person decides on them. */
  exact: ReadonlySet<StyledRow>
  /** As in the scene of a key. */
  details: number
  page: number
  listed: number
  /** Rows of which all that a yes needs is on the screen now. */
  shown: readonly string[]
}

export function inboxView(input: InboxViewInput): InboxView {
  const { state, rows, width, height, theme } = input
  const rule = styledRow({ text: theme.glyphs.horizontal.repeat(width), color: theme.muted })
  const foot = footRows(input)
  const room = Math.max(1, height - 2 - foot.length)
  if (rows.length === 0) {
    const words = ['', '  Nothing needs you.', '  Questions of all sessions stand here while they are open.']
    const body = words
      .slice(0, room)
      .map((text, i) => styledRow({ text: truncateCells(text, width), color: i > 1 ? theme.muted : undefined }))
    const all = [headRow(input), rule, ...padded(body, room), ...foot]
    return { rows: all.slice(0, height), exact: new Set(), details: 0, page: 0, listed: 0, shown: [] }
  }
  const choosing = state.mode === 'rule'
  // What is asked is worth more than a long list: the details keep half of the room, and a rule all that it needs.
  const row = rows.find(({ key }) => key === state.cursor)
  const needed = choosing && row !== undefined ? ruleRows(input, row).length + 1 : Math.ceil((room + 1) / 2)
  const listed = Math.max(1, Math.min(rows.length, room - needed))
  const cursor = Math.max(
    0,
    rows.findIndex((row) => row.key === state.cursor),
  )
  const from = Math.max(0, Math.min(cursor - Math.floor(listed / 2), rows.length - listed))
  const why = room > listed + 1 && !choosing ? [whyRow(input, rows[cursor])] : []
  const page = Math.max(0, room - listed - 1 - why.length)
  const current = rows[cursor]
  const body = current === undefined ? null : detailsOf(input, current)
  const details = body?.count ?? 0
  const scroll = Math.max(0, Math.min(state.scroll, details - page))
  const columns = columnsOf(rows, width)
  const covered = new Set(state.mode === 'rule' ? coveredRows(state, input).map(({ key }) => key) : [])
  const window = rows.slice(from, from + listed)
  const list = window.map((row) => listRow(row, columns, covered.has(row.key), input))
  const visible = Array.from(
    { length: Math.max(0, Math.min(page, details - scroll)) },
    (_, i) => body?.at(scroll + i) ?? styledRow(),
  )
  const shown = [
    ...window.filter((row) => wholeInRow(row, columns.target, cellWidth)).map(({ key }) => key),
    ...(current !== undefined && page > 0 && state.mode !== 'rule' && scroll + page >= details ? [current.key] : []),
  ]
  const all = [
    headRow(input),
    rule,
    ...list,
    ...(page >= 0 && room > listed ? [titleRow(input, current, { scroll, page, details })] : []),
    ...why,
    ...padded(visible, page),
    ...foot,
  ]
  return { rows: all.slice(0, height), exact: new Set([...list, ...visible]), details, page, listed, shown }
}

function headRow({ rows, state, width, theme }: InboxViewInput): StyledRow {
  const sessions = new Set(rows.map((row) => row.sessionId)).size
  const count = rows.length === 0 ? '' : `${rows.length} open${sessions > 1 ? ` in ${sessions} sessions` : ''}`
  const right = state.selected.size > 0 ? `${state.selected.size} selected ` : ''
  const left: StyledSpan[] = [
    { text: ' Needs you  ', color: theme.accent, bold: true },
    { text: count, color: theme.muted },
  ]
  return styledRow(...fitSpans(left, Math.max(0, width - cellWidth(right))), { text: right, color: theme.accent2 })
}

/** Cells of each part of a row; the parts that do not fit are 0 wide. */
type Columns = { tool: number; target: number; counts: number; source: number; age: number }

function columnsOf(rows: readonly InboxRow[], width: number): Columns {
  const most = (pick: (row: InboxRow) => number, limit: number) => Math.min(limit, Math.max(0, ...rows.map(pick)))
  const tool = most((row) => cellWidth(row.tool), width < 60 ? 9 : 12)
  const counts = width < 56 ? 0 : most((row) => (row.counts === null ? 0 : cellWidth(countText(row.counts))), 12)
  const age = width < 48 ? 0 : 7
  const source = width < 72 ? 0 : most((row) => cellWidth(row.source), Math.floor(width / 4))
  const gaps = 7 + [counts, source, age].filter((cells) => cells > 0).length * 2 + 2
  return { tool, counts, age, source, target: Math.max(4, width - tool - counts - age - source - gaps) }
}

function countText({ additions, deletions }: { additions: number; deletions: number }): string {
  return `+${additions} -${deletions}`
}

function listRow(
  row: InboxRow,
  columns: Columns,
  covered: boolean,
  { state, theme, width, now }: InboxViewInput,
): StyledRow {
  const here = row.key === state.cursor
  const ellipsis = theme.glyphs.ellipsis
  const box = state.selected.has(row.key) ? '[x]' : '[ ]'
  const mark = covered ? theme.glyphs.ok : here ? theme.glyphs.closed : ' '
  const spans: StyledSpan[] = [
    { text: ` ${mark} `, color: covered ? theme.ok : theme.accent },
    { text: `${box} `, color: state.selected.has(row.key) ? theme.accent2 : theme.muted },
    { text: `${padCells(truncateCells(row.tool, columns.tool, ellipsis), columns.tool)}  `, bold: here },
    { text: padCells(truncateCells(row.target, columns.target, ellipsis), columns.target), bold: here },
  ]
  if (columns.counts > 0) {
    const { counts } = row
    const cells = counts === null ? 0 : cellWidth(countText(counts))
    spans.push({ text: ' '.repeat(2 + Math.max(0, columns.counts - cells)) })
    if (counts !== null)
      spans.push(
        { text: `+${counts.additions}`, color: theme.ok },
        { text: ' ' },
        { text: `${theme.glyphs.minus}${counts.deletions}`, color: theme.bad },
      )
  }
  if (columns.source > 0) {
    const text = padCells(truncateCells(row.source, columns.source, ellipsis), columns.source)
    spans.push({ text: `  ${text}`, color: theme.muted })
  }
  if (columns.age > 0) spans.push({ text: `  ${age(row, now).padStart(columns.age)}`, color: theme.muted })
  return { spans: fitSpans(spans, width, ellipsis) }
}

function age({ askedAt }: InboxRow, now: number): string {
  if (askedAt === null) return ''
  const text = clockText(Math.max(0, now - askedAt))
  return text.replace(/ min .*/, ' min').replace(/ h .*/, ' h')
}

function detailsOf(input: InboxViewInput, row: InboxRow): Body {
  if (input.state.mode !== 'rule') return bodyOf(row, input)
  const rows = ruleRows(input, row)
  return { count: rows.length, at: (index) => rows[index] ?? styledRow(), hunks: [], files: [] }
}

const bodies = new WeakMap<InboxRow, { width: number; theme: Theme; version: unknown; body: Body }>()

/** Made once for as long as it is shown: the ages beside it change every second. */
function bodyOf(row: InboxRow, { width, theme, version }: InboxViewInput): Body {
  const known = bodies.get(row)
  if (known?.width === width && known.theme === theme && known.version === version) return known.body
  const body = requestBody(row.request, { width, theme, left: 0, split: false })
  bodies.set(row, { width, theme, version, body })
  return body
}

/** Between list and details: what is marked, and how far it was read. */
function titleRow(
  { state, width, theme }: InboxViewInput,
  row: InboxRow | undefined,
  { scroll, page, details }: { scroll: number; page: number; details: number },
): StyledRow {
  const more = state.mode === 'rule' ? 0 : Math.max(0, details - scroll - page)
  const text =
    state.mode === 'rule'
      ? 'the same answer for everything that a rule covers'
      : row === undefined
        ? ''
        : `${row.tool} · ${row.source}`
  const label = ` ${truncateCells(text, Math.max(4, width - 24), theme.glyphs.ellipsis)} `
  const right = more > 0 ? ` ${plural(more, 'more row')} below ` : ''
  const line = theme.glyphs.horizontal
  const rest = Math.max(0, width - 1 - cellWidth(label) - cellWidth(right) - 1)
  return {
    spans: fitSpans(
      [
        { text: line, color: theme.muted },
        { text: label, color: theme.accent2 },
        { text: line.repeat(rest), color: theme.muted },
        { text: right, color: theme.warn },
        { text: line, color: theme.muted },
      ],
      width,
    ),
  }
}

function whyRow({ width, theme }: InboxViewInput, row: InboxRow | undefined): StyledRow {
  if (row === undefined) return styledRow()
  const { reason, risk, sandbox } = row.request
  const parts = [
    ...(reason === '' || row.yes === 'answer' ? [] : [`asked because: ${visibleLine(reason)}`]),
    ...(risk.reason === '' ? [] : [visibleLine(risk.reason)]),
    ...(sandbox === 'on' ? ['in the sandbox'] : sandbox === 'unavailable' ? ['outside: no sandbox here'] : []),
  ]
  return styledRow(...fitSpans([{ text: ` ${parts.join(' · ')}`, color: theme.muted }], width, theme.glyphs.ellipsis))
}

function padded(rows: readonly StyledRow[], height: number): StyledRow[] {
  return [...rows, ...Array.from({ length: Math.max(0, height - rows.length) }, () => styledRow())]
}
