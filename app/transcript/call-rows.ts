/** A tool call in the transcript: one line, and below it what it shows when it is open. */
import type { Block } from '@sluice/engine/protocol'
import {
  blockRows,
  cellWidth,
  fitCells,
  fitSpans,
  type StyledRow,
  sanitizeForTerminal,
  type Theme,
  truncateCells,
  wrapCells,
} from '@sluice/permissions-ui'
import { row, type Span } from '../markdown/spans.ts'
import type { CallHead, CallItem, LiveCall } from '../state/index.ts'
import { duration } from './format.ts'
import type { Openness } from './item-rows.ts'

/** Lines of a running command that are shown below its line. */
const tailRows = 5
/** … and once the reader opened it. */
const tailRowsWhole = 60
const wholeRows = { outputRows: 400, diffRows: 600, fileRows: 200 }
const nameCells = 10
const indent = '    '

/** A settled or living call at `width` cells. */
export function callRows(call: CallItem | LiveCall, width: number, theme: Theme, open: Openness): StyledRow[] {
  const rows = [headRow(call, width, theme, open !== 'closed')]
  if (open === 'closed') return rows
  const body = call.status === 'running' ? tail(call, width, theme, open) : bodyRows(call, width, theme, open)
  for (const one of body) rows.push({ spans: [{ text: indent }, ...one.spans] })
  return rows
}

/** Failures stay open, and what the person ran themselves; a running call shows its tail. */
export function openByDefault(call: CallItem | LiveCall): boolean {
  if (call.status === 'done') return call.typed === true
  return call.status === 'failed' || (call.status === 'running' && call.tail.text !== '')
}

function headRow(call: CallItem | LiveCall, width: number, theme: Theme, open: boolean): StyledRow {
  const mark = open ? theme.glyphs.open : theme.glyphs.closed
  const outcome = outcomeSpans(call, theme)
  const right = outcome.map((span) => span.text).join('')
  const name = fit(call.name, width < 50 ? undefined : nameCells)
  const room = width - 2 - cellWidth(name) - 1
  const title = titleOf(call)
  // Both may be long: the title keeps at least half of the line then.
  const least = Math.min(cellWidth(title) + 2, Math.max(8, room >> 1))
  const outcomeCells = Math.min(cellWidth(right), Math.max(0, room - least))
  const titleCells = Math.max(0, room - outcomeCells - 2)
  const spans: Span[] = [
    { text: `${mark} `, color: markColor(call, theme) },
    { text: name, bold: true },
    { text: ' ' },
    { text: fitTitle(title, titleCells, theme), ...(call.status === 'refused' ? { dim: true } : {}) },
  ]
  if (outcomeCells === 0) return { spans: fitSpans(spans, width) }
  spans.push({ text: '  ' })
  if (outcomeCells < cellWidth(right)) spans.push({ text: truncateCells(right, outcomeCells), color: theme.muted })
  else spans.push(...outcome)
  return { spans: fitSpans(spans, width) }
}

/** How many lines a command has is still said when it is cut. */
function fitTitle(title: string, width: number, theme: Theme): string {
  const more = / (?:… )?\(?\+\d+ lines?\)?$/.exec(title)?.[0] ?? ''
  if (more === '' || cellWidth(title) <= width || width < more.length + 8) return fitCells(title, width)
  const tail = more.replace(/^ … /, ' ')
  const head = title.slice(0, title.length - more.length)
  return fitCells(
    truncateCells(`${head}${theme.glyphs.ellipsis}`, width - cellWidth(tail), theme.glyphs.ellipsis) + tail,
    width,
  )
}

/** A path or pattern says it in one line; a command of several lines says how many there are. */
function titleOf(call: CallHead): string {
  // More than this fits on no screen: a title of a megabyte is not read to its end for one line.
  const [first = '', ...rest] = sanitizeForTerminal(call.title.slice(0, 4_000), 'output').split('\n')
  return rest.length === 0 ? first : `${first} (+${rest.length} lines)`
}

function fit(name: string, cells: number | undefined): string {
  const clean = sanitizeForTerminal(name, 'output').replaceAll('\n', ' ')
  return cells === undefined
    ? truncateCells(clean, 20)
    : cellWidth(clean) > cells
      ? truncateCells(clean, 32)
      : fitCells(clean, cells)
}

function markColor(call: CallItem | LiveCall, theme: Theme): string | undefined {
  switch (call.status) {
    case 'failed':
      return theme.bad
    case 'asked':
      return theme.warn
    case 'running':
      return theme.accent
    default:
      return theme.muted
  }
}

function outcomeSpans(call: CallItem | LiveCall, theme: Theme): Span[] {
  const parts: Span[] = []
  const delta = diffTotals(call.blocks)
  if (delta) {
    parts.push({ text: `+${delta.additions}`, color: theme.ok }, { text: ' ' })
    parts.push({ text: `${theme.glyphs.minus}${delta.deletions}`, color: theme.bad })
  }
  const say = (text: string, color: string | undefined = theme.muted) => {
    if (parts.length > 0) parts.push({ text: ' · ', color: theme.muted })
    parts.push({ text, color })
  }
  switch (call.status) {
    case 'proposed':
      say('waiting')
      break
    case 'asked':
      say('needs you', theme.warn)
      break
    case 'running':
      say('running', theme.accent)
      break
    case 'refused':
      say(refusal(call), theme.warn)
      break
    case 'failed':
      say(call.exitCode !== null ? `exit ${call.exitCode}` : failure(call), theme.bad)
      if (call.durationMs !== null && (call.exitCode !== null || !tellsTime.test(call.summary)))
        say(duration(call.durationMs))
      break
    case 'done': {
      const summary = call.exitCode === null && !delta ? news(call) : ''
      if (summary !== '') say(summary)
      if (call.exitCode !== null && call.exitCode !== 0) say(`exit ${call.exitCode}`, theme.warn)
      if (call.exitCode !== null || (call.durationMs ?? 0) >= 1000) say(duration(call.durationMs ?? 0))
      break
    }
  }
  return parts
}

/** Some tools end their summary with the time. */
const tellsTime = /\d m?s$/

/** What the summary says that the title does not. */
function news(call: CallItem): string {
  const summary = oneLine(call.summary)
  const title = oneLine(titleOf(call))
  if (title === '' || summary === title) return ''
  return summary.endsWith(` of ${title}`) ? summary.slice(0, -` of ${title}`.length) : summary
}

function refusal(call: CallHead): string {
  const by = call.decision?.by
  // Nobody refused it: the turn ended while it was asked.
  if (by === 'abandoned') return 'not answered'
  const who =
    by === 'person' ? 'you' : by === 'rule' ? 'a rule' : by === 'mode' ? 'the mode' : by === 'hook' ? 'a hook' : ''
  return who === '' ? 'not allowed' : `denied by ${who}`
}

function failure(call: CallItem): string {
  const summary = oneLine(call.summary)
  return summary === '' ? 'failed' : summary
}

function oneLine(text: string): string {
  return truncateCells(sanitizeForTerminal(text, 'output').replaceAll('\n', ' ').trim(), 60)
}

function diffTotals(blocks: readonly Block[]): { additions: number; deletions: number } | null {
  const diffs = blocks.flatMap((block) => (block.type === 'diff' ? [block.diff] : []))
  if (diffs.length === 0) return null
  return {
    additions: diffs.reduce((sum, diff) => sum + diff.additions, 0),
    deletions: diffs.reduce((sum, diff) => sum + diff.deletions, 0),
  }
}

function tail(call: LiveCall, width: number, theme: Theme, open: Openness): StyledRow[] {
  const room = Math.max(1, width - indent.length)
  const lines = sanitizeForTerminal(call.tail.text, 'output').replace(/\n$/, '').split('\n')
  return lines
    .slice(open === 'whole' ? -tailRowsWhole : -tailRows)
    .map((line) => row({ text: truncateCells(line, room), color: theme.muted }))
}

function bodyRows(call: CallItem | LiveCall, width: number, theme: Theme, open: Openness): StyledRow[] {
  const room = Math.max(1, width - indent.length)
  const limits = { ...(open === 'whole' ? wholeRows : {}), exitCode: false }
  const rows = call.blocks
    .filter((block) => !(block.type === 'command' && block.command === call.title && !block.background))
    .flatMap((block) => blockRows(block, room, theme, limits))
  const message = call.decision?.message ?? ''
  if (message !== '') {
    const said = `${call.decision?.by === 'person' ? 'you' : 'answer'}: ${sanitizeForTerminal(message, 'output')}`
    for (const text of wrapCells(said, room)) rows.push(row({ text, color: theme.warn }))
  }
  if (rows.length === 0) rows.push(row({ text: truncateCells('nothing to show', room), dim: true }))
  return rows
}
