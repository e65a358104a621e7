/** Rows of cells as aligned text: for people and for `grep`, with colours only on a terminal. */
import { cellWidth, fitCells, sanitizeForTerminal } from '@sluice/permissions-ui'

export type Tone = 'plain' | 'dim' | 'good' | 'bad' | 'wants'
export type Cell = { text: string; tone?: Tone; right?: boolean }

/**
 * One line per row, columns two blanks apart. `wide` are the columns that are cut, one after the other, to make a row fit
 * into `width` cells; without a width nothing is cut. Texts may come from anywhere.
 */
export function columns(
  rows: readonly Cell[][],
  options: { wide: number[]; width?: number; colors: boolean },
): string[] {
  const clean = rows.map((row) =>
    row.map((cell) => ({ ...cell, text: sanitizeForTerminal(cell.text.replace(/\s+/g, ' ').trim(), 'visible') })),
  )
  const count = Math.max(0, ...clean.map((row) => row.length))
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(0, ...clean.map((row) => cellWidth(row[at]?.text ?? ''))),
  )
  const used = widths.map((width, at) => ({ width, at })).filter(({ width }) => width > 0)
  let over = used.reduce((sum, { width }) => sum + width + gap.length, -gap.length) - (options.width ?? Infinity)
  for (const at of options.wide) {
    const wanted = widths[at] ?? 0
    const cut = Math.max(0, Math.min(over, wanted - leastWide))
    widths[at] = wanted - cut
    over -= cut
  }
  // Where even that is too much, the last of them is left out.
  const last = options.wide.at(-1) ?? 0
  if (over > 0 && options.wide.length > 1) widths[last] = 0
  return clean.map((row) =>
    used
      .filter(({ at }) => widths[at] !== 0)
      .map(({ at }) => {
        const { text = '', tone = 'plain', right = false } = row[at] ?? {}
        const width = widths[at] ?? 0
        const cell = right ? ' '.repeat(Math.max(0, width - cellWidth(text))) + text : fitCells(text, width)
        return options.colors && text !== '' ? painted(cell, tone) : cell
      })
      .join(gap)
      .trimEnd(),
  )
}

const gap = '  '
const leastWide = 12

/** The terminal's own sixteen colours: they fit every background. */
const codes: Record<Tone, string> = { plain: '', dim: '2', good: '32', bad: '31', wants: '33' }

export function painted(text: string, tone: Tone): string {
  return codes[tone] === '' ? text : `\x1b[${codes[tone]}m${text}\x1b[0m`
}

/** What standard output can take. */
export function outputLooks(): { colors: boolean; width?: number } {
  const { isTTY, columns: width } = process.stdout
  if (!isTTY) return { colors: false }
  const colors = !process.env.NO_COLOR && process.env.TERM !== 'dumb'
  return width > 0 ? { colors, width } : { colors }
}
