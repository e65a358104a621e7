/** Rows of what a command was and what came out of it. */
import type { Block } from '@sluice/engine/protocol'
import { wrapCells } from '../text/cells.ts'
import type { Theme } from '../theme.ts'
import { type StyledRow, type StyledSpan, styledRow } from './styled-row.ts'
import { moreRow, prefixed, wrapped } from './wrapping.ts'

/** `whole` is for eyes that decide: nothing is left out. */
type Limits = { whole: boolean; outputRows: number; exitCode: boolean }

export function commandRows(
  block: Block & { type: 'command' },
  width: number,
  theme: Theme,
  clean: (text: string) => string,
  whole: boolean,
): StyledRow[] {
  const rows = commandText(clean(block.command), width, theme, whole)
  const facts = [
    ...(whole ? [`in ${clean(block.cwd)}`] : []),
    ...(block.background ? ['in the background'] : []),
    ...(whole && block.timeoutMs ? [`for at most ${seconds(block.timeoutMs)}`] : []),
  ]
  if (facts.length > 0) rows.push(...prefixed({ text: '  ' }, facts.join(' · '), width, { color: theme.muted }))
  return rows
}

/** A line that was wrapped is marked, so that it cannot be taken for a line of the command. */
function commandText(text: string, width: number, theme: Theme, whole: boolean): StyledRow[] {
  const style = whole ? { bold: true } : {}
  if (width <= 6) return wrapped(text, width, style, true)
  const body = text.endsWith('\n') ? text.slice(0, -1) : text
  return body.split('\n').flatMap((line, i) =>
    wrapCells(line, width - 2, { hard: true }).map((part, k) => {
      const mark: StyledSpan =
        k > 0
          ? { text: `${theme.glyphs.todo} `, color: theme.muted }
          : { text: i === 0 ? '$ ' : '  ', color: theme.accent }
      return styledRow(mark, { ...style, text: part })
    }),
  )
}

export function outputRows(
  block: Block & { type: 'output' },
  width: number,
  theme: Theme,
  clean: (text: string) => string,
  options: Limits,
): StyledRow[] {
  const limit = options.whole ? Number.POSITIVE_INFINITY : Math.max(1, options.outputRows)
  const { text, omitted } = lastLines(block.text.endsWith('\n') ? block.text.slice(0, -1) : block.text, limit)
  const rows = text === '' && omitted === 0 ? [] : wrapped(clean(text), width, {})
  const shown = rows.length > limit ? rows.slice(-limit) : rows
  const head: StyledRow[] = []
  if (omitted > 0) head.push(moreRow(omitted, omitted === 1 ? 'line' : 'lines', theme))
  const tail: StyledRow[] = []
  if (block.omittedBytes) {
    const where = block.artifact === undefined ? '' : `; all of it is in ${clean(block.artifact)}`
    tail.push(
      ...wrapped(`${theme.glyphs.ellipsis} ${bytes(block.omittedBytes)} left out${where}`, width, {
        color: theme.muted,
      }),
    )
  }
  if (block.signal) tail.push(...wrapped(`ended by ${clean(block.signal)}`, width, { color: theme.bad }))
  else if (block.exitCode && options.exitCode)
    tail.push(...wrapped(`exit ${block.exitCode}`, width, { color: theme.bad }))
  return [...head, ...shown, ...tail]
}

/** The last `count` lines of a text, and how many stand before them. */
function lastLines(text: string, count: number): { text: string; omitted: number } {
  let start = text.length
  for (let i = 0; i < count && start >= 0; i++) start = start === 0 ? -1 : text.lastIndexOf('\n', start - 1)
  if (start < 0 || count === Number.POSITIVE_INFINITY) return { text, omitted: 0 }
  let omitted = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < start; at = text.indexOf('\n', at + 1)) omitted++
  return { text: text.slice(start + 1), omitted }
}

function seconds(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`
}

function bytes(count: number): string {
  if (count < 1_000) return `${count} bytes`
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`
}
