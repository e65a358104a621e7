/** Text as rows: wrapped, behind a mark, or cut hard with its styles kept. */
import { cellWidth, wrapCells } from '../text/cells.ts'
import type { Theme } from '../theme.ts'
import { type StyledRow, type StyledSpan, sliceSpans, styledRow } from './styled-row.ts'

/** Rows of one style; a line feed at the end makes no row. */
export function wrapped(text: string, width: number, style: Omit<StyledSpan, 'text'>, hard = false): StyledRow[] {
  const body = text.endsWith('\n') ? text.slice(0, -1) : text
  return wrapCells(body, width, { hard }).map((line) => styledRow({ ...style, text: line }))
}

/** Wrapped text behind a mark; the lines below the first are indented by it. */
export function prefixed(
  mark: StyledSpan,
  text: string,
  width: number,
  style: Omit<StyledSpan, 'text'>,
  hard = false,
): StyledRow[] {
  const cells = cellWidth(mark.text)
  if (width <= cells + 4) return wrapped(text, width, style, hard)
  return wrapped(text, width - cells, style, hard).map((row, i) => ({
    spans: [i === 0 ? mark : { text: ' '.repeat(cells) }, ...row.spans],
  }))
}

/** `… 120 more lines`. */
export function moreRow(count: number, what: string, theme: Theme): StyledRow {
  return styledRow({ text: `${theme.glyphs.ellipsis} ${count.toLocaleString('en')} more ${what}`, color: theme.muted })
}

/** The text with its line feeds as blanks. */
export function oneLine(text: string): string {
  return text.replaceAll('\n', ' ')
}

/** Spans cut at `width` cells, losing nothing. */
export function wrapSpansHard(spans: StyledSpan[], width: number): StyledSpan[][] {
  const only = spans.map((span) => span.text).join('')
  const lines = wrapCells(only, width, { hard: true })
  if (lines.length === 1) return [spans]
  let column = 0
  return lines.map((line) => {
    const cells = cellWidth(line)
    const part = sliceSpans(spans, column, column + cells)
    column += cells
    return part
  })
}
