import {
  asciiGlyphs,
  cellWidth,
  fieldRow,
  fitSpans,
  type KeyTable,
  padCells,
  type StyledRow,
  type StyledSpan,
  styledRow,
  type Theme,
  truncateCells,
  visibleLine,
} from '@sluice/permissions-ui'
import { plural } from '../../transcript/format.ts'
import { detailRows, effectColor } from './rules-details.ts'
import { footRows } from './rules-foot.ts'
import type { RuleCheck, RuleHistory, RuleRow, RulesPort } from './rules-port.ts'
import { cursorRow, type RulesState } from './rules-state.ts'

export type RulesViewInput = {
  state: RulesState
  rows: readonly RuleRow[]
  all: number
  place: ReturnType<RulesPort['place']>
  problems: readonly string[]
  /** Null while it is read. */
  history: RuleHistory | null
  check: RuleCheck | null
  width: number
  height: number
  theme: Theme
  table: KeyTable
  now: number
}

/** `exact` are rows of which no sign may be replaced. */
export type RulesView = { rows: StyledRow[]; exact: ReadonlySet<StyledRow>; listed: number; page: number }

export function rulesView(input: RulesViewInput): RulesView {
  const { state, rows, width, height, theme } = input
  const rule = styledRow({ text: theme.glyphs.horizontal.repeat(width), color: theme.muted })
  const foot = footRows(input, false)
  const room = Math.max(1, height - 2 - foot.length)
  const wanted = detailRows(input)
  // A verdict with its reasons is what one came for: it may take more of the room than what a rule means.
  const most = Math.max(1, state.tested === null ? Math.floor(room / 2) : room - 3)
  const page = Math.min(wanted.length, most - 1)
  const scroll = state.tested === null ? 0 : Math.max(0, Math.min(state.scroll, wanted.length - page))
  const details =
    page > 0 ? [sectionRow(input, wanted.length - scroll - page), ...wanted.slice(scroll, scroll + page)] : []
  const listed = Math.max(1, room - details.length)
  const current = cursorRow(state, rows)
  const cursor = current === undefined ? 0 : rows.indexOf(current)
  const from = Math.max(0, Math.min(cursor - Math.floor(listed / 2), rows.length - listed))
  const columns = columnsOf(input)
  const list = rows.slice(from, from + listed).map((row) => listRow(row, row === current, columns, input))
  const empty = styledRow(...fitSpans([{ text: '  No rule has these words.', color: theme.muted }], width))
  const body = rows.length === 0 ? [empty] : list
  const blank = Array.from({ length: Math.max(0, listed - body.length) }, () => styledRow())
  const more = state.tested !== null && wanted.length > page
  const hinted = more ? footRows(input, true) : foot
  const exact = new Set([...list, ...(state.mode === 'list' && state.tested === null ? [] : wanted)])
  const shown = [headRow(input), rule, ...body, ...blank, ...details, ...hinted].slice(0, height)
  return { rows: shown, exact, listed, page }
}

function headRow({ state, rows, all, place, problems, width, theme }: RulesViewInput): StyledRow {
  const title: StyledSpan = { text: ' Rules  ', color: theme.accent, bold: true }
  if (state.mode === 'filter') {
    return fieldRow({ text: ' Rules  ', color: theme.accent }, state.filter, width, theme, {
      active: true,
      placeholder: 'words that stand in the rule',
    })
  }
  const facts = [
    state.filter.text === ''
      ? plural(all, 'rule')
      : `${rows.length} of ${all} with “${visibleLine(state.filter.text)}”`,
    `${place.mode} mode`,
    ...(place.trusted ? [] : ['folder not trusted: its own rules are not read']),
  ]
  const warn = problems.length === 0 ? '' : `${theme.glyphs.warn} ${plural(problems.length, 'problem')} `
  const left = fitSpans(
    [title, { text: facts.join(' · '), color: theme.muted }],
    Math.max(0, width - cellWidth(warn)),
    theme.glyphs.ellipsis,
  )
  return styledRow(...left, { text: warn, color: theme.warn })
}

type Columns = { text: number; hits: number; origin: number }

function columnsOf({ rows, width }: RulesViewInput): Columns {
  const hits = width < 56 ? 0 : 6
  const origin =
    width < 64 ? 0 : Math.min(Math.floor(width * 0.4), Math.max(0, ...rows.map((row) => cellWidth(originOf(row)))))
  const gaps = 9 + (hits > 0 ? 2 : 0) + (origin > 0 ? 2 : 0) + 1
  return { hits, origin, text: Math.max(8, width - hits - origin - gaps) }
}

function listRow(row: RuleRow, here: boolean, columns: Columns, { width, theme, history }: RulesViewInput): StyledRow {
  const off = row.state !== 'in force'
  const ellipsis = theme.glyphs.ellipsis
  const color = off ? theme.muted : effectColor(row.effect, theme)
  const name = truncateCells(visibleLine(row.text), columns.text, ellipsis)
  const spans: StyledSpan[] = [
    { text: here ? ` ${theme.glyphs.closed} ` : '   ', color: theme.accent },
    { text: row.effect.padEnd(5), color },
    { text: ' ' },
    { text: padCells(name, columns.text), bold: here, ...(off ? { color: theme.muted } : {}) },
  ]
  if (columns.hits > 0) {
    const count = history?.hits(row.text).lately ?? 0
    const text = count === 0 || row.scope === 'builtin' ? '' : `${count}${theme.glyphs === asciiGlyphs ? 'x' : '×'}`
    spans.push({ text: `  ${text.padStart(columns.hits)}`, color: theme.accent2 })
  }
  if (columns.origin > 0) {
    const origin = off ? `${row.state}, ${originOf(row)}` : originOf(row)
    spans.push({
      text: `  ${padCells(truncateCells(origin, columns.origin, ellipsis), columns.origin)}`,
      color: off ? theme.warn : theme.muted,
    })
  }
  return { spans: fitSpans(spans, width, ellipsis) }
}

function originOf({ scope, source }: RuleRow): string {
  if (scope === 'builtin') return 'built in'
  if (scope === 'session') return 'this run'
  if (scope === 'cli') return 'command line'
  return visibleLine(source)
}

/** Between list and details. */
function sectionRow({ state, width, theme }: RulesViewInput, more: number): StyledRow {
  const label =
    state.tested === null
      ? ''
      : ` the rules say to ${truncateCells(visibleLine(state.call.text.trim()), Math.max(8, width - 40), theme.glyphs.ellipsis)} `
  const right = more > 0 && state.tested !== null ? ` ${plural(more, 'more line')} below ` : ''
  const line = theme.glyphs.horizontal
  const rest = Math.max(0, width - 2 - cellWidth(label) - cellWidth(right))
  return styledRow(
    { text: line, color: theme.muted },
    { text: label, color: theme.accent2 },
    { text: line.repeat(rest), color: theme.muted },
    { text: right, color: theme.warn },
    { text: line, color: theme.muted },
  )
}
