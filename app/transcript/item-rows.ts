/** Transcript entries as rows: what each kind of item looks like at a width. */
import type { StopReason } from '@sluice/engine/protocol'
import {
  cellWidth,
  type StyledRow,
  sanitizeForTerminal,
  type Theme,
  truncateCells,
  wrapCells,
} from '@sluice/permissions-ui'
import { type MarkdownRows, markdownRows } from '../markdown/markdown-rows.ts'
import { row, type Style } from '../markdown/spans.ts'
import { callRows, openByDefault } from './call-rows.ts'
import type { Entry } from './entries.ts'
import { duration, plural, tokens, wordCount } from './format.ts'

export type RowsContext = {
  width: number
  theme: Theme
  opened: Opened
}

/** What the reader opened (true) or closed by hand: one by one, by entry id, and before that all at once. */
export type Opened = { all: boolean | null; byHand: ReadonlyMap<string, boolean> }
export const nothingOpened: Opened = { all: null, byHand: new Map() }

/** Columns left of every row: the reader's mark stands there. */
export const gutter = 1
/** Lines longer than this are hard to follow, and what stands at their right end is far from what it belongs to. */
const widest = 120
/** Columns that the text of user and assistant is moved to the right, so that prompts stand out. */
const inset = 2

/** The rows of an entry, gutter included; `before` is the markdown of an earlier version of the same words. */
export function entryRows(
  entry: Entry,
  spaced: boolean,
  context: RowsContext,
  before?: MarkdownRows,
): { rows: StyledRow[]; markdown?: MarkdownRows } {
  const width = Math.min(widest, Math.max(4, context.width - gutter - 1))
  const { rows, markdown } = contentRows(entry, width, context, before)
  if (rows.length === 0) return { rows: [] }
  const placed = rows.map((one) => shifted(one, gutter))
  return { rows: spaced ? [blank, ...placed] : placed, markdown }
}

export const blank: StyledRow = row({ text: ' ' })
const pads = [1, 2].map((cells) => ({
  cells,
  text: { text: ' '.repeat(cells) },
  known: new WeakMap<StyledRow, StyledRow>(),
}))

/** The same row further right; the same object for the same row, so that an unchanged row is not drawn again. */
function shifted(one: StyledRow, cells: number): StyledRow {
  if (one.spans.length === 0) return blank
  const place = pads[cells - 1]
  if (place === undefined) return one
  const known = place.known.get(one)
  if (known) return known
  const next = { spans: [place.text, ...one.spans] }
  place.known.set(one, next)
  return next
}

/** `short` is how failures and running calls show themselves unasked: the end of what they say. */
export type Openness = 'closed' | 'short' | 'whole'

export function openness(entry: Entry, opened: Opened): Openness {
  if (!canOpen(entry)) return 'closed'
  const byHand = opened.byHand.get(entry.id) ?? opened.all
  if (byHand !== null) return byHand ? 'whole' : 'closed'
  const call = entry.kind === 'call' ? entry : entry.kind === 'live-call' ? entry.call : null
  return call !== null && openByDefault(call) ? 'short' : 'closed'
}

export function isOpen(entry: Entry, opened: Opened): boolean {
  return openness(entry, opened) !== 'closed'
}

/** True when opening and closing changes what is shown. */
export function canOpen(entry: Entry): boolean {
  switch (entry.kind) {
    case 'call':
    case 'live-call':
    case 'compaction':
      return true
    case 'assistant':
    case 'live-text':
      return entry.reasoning.trim() !== ''
    default:
      return false
  }
}

/** A blank row goes before an entry unless it continues a run of calls or small lines. */
export function needsSpace(previous: Entry | undefined, entry: Entry): boolean {
  if (previous === undefined || entry.kind === 'turn-end') return false
  if (previous.kind === 'session' && !previous.resumed) return false
  const small = (one: Entry) => !(one.kind === 'user' || one.kind === 'assistant' || one.kind === 'live-text')
  return !(small(previous) && small(entry))
}

function contentRows(
  entry: Entry,
  width: number,
  context: RowsContext,
  before: MarkdownRows | undefined,
): { rows: StyledRow[]; markdown?: MarkdownRows } {
  const { theme } = context
  const shown = openness(entry, context.opened)
  const open = shown !== 'closed'
  switch (entry.kind) {
    case 'user':
      return { rows: userRows(entry.text, width, theme) }
    case 'assistant':
    case 'live-text': {
      const streaming = entry.kind === 'live-text'
      const rows = reasoningRows(entry.reasoning, width, theme, open, streaming && entry.text === '')
      if (entry.text.trim() === '') return { rows }
      const markdown = markdownRows(entry.text, width - inset, theme, { before, streaming })
      if (rows.length > 0) rows.push(row())
      for (const one of markdown.rows) rows.push(shifted(one, inset))
      if (entry.kind === 'assistant' && entry.partial)
        rows.push(
          row(pad, {
            text: truncateCells(`${theme.glyphs.ellipsis} cut short here`, width - inset),
            color: theme.warn,
          }),
        )
      return { rows, markdown }
    }
    case 'call':
      return { rows: callRows(entry, width, theme, shown) }
    case 'live-call':
      return { rows: callRows(entry.call, width, theme, shown) }
    case 'notice':
      return {
        rows: marked(
          entry.level === 'warn' ? theme.glyphs.warn : theme.glyphs.todo,
          entry.text,
          width,
          entry.level === 'warn' ? theme.warn : theme.muted,
        ),
      }
    case 'error': {
      const { message, hint, code } = entry.error
      const said = message.trim() === '' ? code : `${message} (${code})`
      const rows = marked(theme.glyphs.bad, said, width, theme.bad)
      if (hint !== undefined && hint !== '') rows.push(...marked(' ', hint, width, theme.muted))
      return { rows }
    }
    case 'compaction': {
      const freed = `earlier conversation summarised: ${tokens(entry.beforeTokens)} → ${tokens(entry.afterTokens)} tokens`
      const rows = marked(open ? theme.glyphs.open : theme.glyphs.closed, freed, width, theme.muted)
      if (!open) return { rows }
      const markdown = markdownRows(entry.summary, width - inset, theme)
      return { rows: [...rows, ...markdown.rows.map((one) => shifted(one, inset))] }
    }
    case 'cleared':
      return { rows: [ruleRow('cleared: the model starts afresh from here', width, theme)] }
    case 'session':
      return { rows: entry.resumed ? [ruleRow('resumed', width, theme)] : [] }
    case 'turn-end':
      return { rows: [turnEndRow(entry, width, theme)] }
  }
}

const pad = { text: ' '.repeat(inset) }
function userRows(text: string, width: number, theme: Theme): StyledRow[] {
  const lines = wrapCells(sanitizeForTerminal(text, 'output').replace(/\n+$/, ''), width - inset)
  return lines.map((line, i) =>
    i === 0
      ? row({ text: `${theme.glyphs.prompt} `, color: theme.accent, bold: true }, { text: line, bold: true })
      : row(pad, { text: line, bold: true }),
  )
}

function reasoningRows(reasoning: string, width: number, theme: Theme, open: boolean, thinking: boolean): StyledRow[] {
  if (reasoning.trim() === '') return []
  const mark = open ? theme.glyphs.open : theme.glyphs.closed
  const said = `${mark} ${thinking ? 'thinking' : 'thought'} · ${plural(wordCount(reasoning), 'word')}`
  const rows = [row({ text: truncateCells(said, width), dim: true, italic: true })]
  if (!open) return rows
  const text = sanitizeForTerminal(reasoning, 'output').trim()
  for (const line of wrapCells(text, width - inset)) rows.push(row(pad, { text: line, dim: true, italic: true }))
  return rows
}

function marked(mark: string, text: string, width: number, color: string | undefined): StyledRow[] {
  const style: Style = { color }
  return wrapCells(sanitizeForTerminal(text, 'output').trim(), Math.max(1, width - inset)).map((line, i) =>
    row({ ...style, text: i === 0 ? `${mark} ` : '  ' }, { ...style, text: line }),
  )
}

function ruleRow(text: string, width: number, theme: Theme): StyledRow {
  const label = truncateCells(` ${text} `, Math.max(1, width - 4))
  const left = theme.glyphs.horizontal.repeat(2)
  const right = theme.glyphs.horizontal.repeat(Math.max(0, Math.min(width, 60) - 2 - label.length))
  return row({ text: `${left}${label}${right}`, color: theme.muted })
}

const stopWords: Record<StopReason, string> = {
  final_answer: '',
  max_turns: 'stopped: the limit of replies for one turn is reached',
  user_abort: 'interrupted',
  tool_error: 'stopped: a tool failed',
  model_error: 'stopped: the model failed',
  time_limit: 'stopped: the time is up',
  budget_exceeded: 'stopped: the money is spent',
  context_too_large: 'stopped: the conversation no longer fits the model',
}

function turnEndRow(entry: Entry & { kind: 'turn-end' }, width: number, theme: Theme): StyledRow {
  const figures = [duration(entry.durationMs)]
  if (entry.calls > 0) figures.push(plural(entry.calls, 'call'))
  if (entry.tokens > 0) figures.push(`${tokens(entry.tokens)} tokens`)
  const words = entry.processEnded ? 'the process ended' : stopWords[entry.reason]
  const parts = [words, ...figures].filter((part) => part !== '')
  // Figures are told whole or not at all.
  while (parts.length > 1 && cellWidth(parts.join(' · ')) > width - inset) parts.pop()
  const text = truncateCells(parts.join(' · '), width - inset)
  return row(pad, { text, color: words === '' ? theme.muted : theme.warn, dim: words === '' })
}
