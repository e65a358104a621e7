/** One line of the screen as data: spans of styled text that never hold a line feed. */
import { cellWidth, sliceCells, truncateCells } from '../text/cells.ts'

export type StyledSpan = {
  text: string
  color?: string
  backgroundColor?: string
  bold?: boolean
  dim?: boolean
  inverse?: boolean
  italic?: boolean
  underline?: boolean
}
export type StyledRow = { spans: StyledSpan[] }

export function styledRow(...spans: StyledSpan[]): StyledRow {
  return { spans }
}

/** The cells of a row's text. */
export function rowWidth(row: StyledRow): number {
  return row.spans.reduce((sum, span) => sum + cellWidth(span.text), 0)
}

/** The text of a row without its styles. */
export function rowText(row: StyledRow): string {
  return row.spans.map((span) => span.text).join('')
}

/**
 * The same picture in fewer spans, since each costs the renderer: neighbours of one style are one, and so are blanks with
 * what they follow where a style shows on letters only.
 */
export function mergedSpans(spans: readonly StyledSpan[]): StyledSpan[] {
  const out: StyledSpan[] = []
  for (const span of spans) {
    if (span.text === '') continue
    const last = out.at(-1)
    const joins = last !== undefined && (sameLook(last, span) || (blank.test(span.text) && onLetters(last, span)))
    if (joins) out[out.length - 1] = { ...last, text: last.text + span.text }
    else out.push(span)
  }
  return out
}

const blank = /^ +$/

/** Neither marks a blank. */
function onLetters(...spans: StyledSpan[]): boolean {
  return spans.every((span) => !span.backgroundColor && !span.inverse && !span.underline)
}

function sameLook(one: StyledSpan, other: StyledSpan): boolean {
  return looks.every((look) => (one[look] ?? false) === (other[look] ?? false))
}

const looks = ['color', 'backgroundColor', 'bold', 'dim', 'inverse', 'italic', 'underline'] as const

/** Spans in exactly `width` cells: cut with `ellipsis` or filled with blanks in the style `fill`. */
export function fitSpans(
  spans: readonly StyledSpan[],
  width: number,
  ellipsis = '…',
  fill: Omit<StyledSpan, 'text'> = {},
): StyledSpan[] {
  const out: StyledSpan[] = []
  let left = width
  for (const [i, span] of spans.entries()) {
    if (span.text === '') continue
    const cells = cellWidth(span.text)
    const more = spans.slice(i + 1).some((later) => later.text !== '')
    if (cells < left || (cells === left && !more)) {
      out.push(span)
      left -= cells
      continue
    }
    // The ellipsis says that something follows, also when this span alone would have fitted.
    const kept = cells > left ? truncateCells(span.text, left, ellipsis) : shorten(span.text, left, ellipsis)
    if (kept !== '') out.push({ ...span, text: kept })
    left -= cellWidth(kept)
    break
  }
  if (left > 0) out.push({ ...fill, text: ' '.repeat(left) })
  return out
}

/** The cells of `spans` from `from` up to `to`, styles kept. */
export function sliceSpans(spans: readonly StyledSpan[], from: number, to: number): StyledSpan[] {
  const out: StyledSpan[] = []
  let column = 0
  for (const span of spans) {
    const end = column + cellWidth(span.text)
    if (end > from && column < to) {
      const text = column >= from && end <= to ? span.text : sliceCells(span.text, from - column, to - column)
      if (text !== '') out.push({ ...span, text })
    }
    column = end
  }
  return out
}

function shorten(text: string, width: number, ellipsis: string): string {
  const mark = cellWidth(ellipsis)
  return mark >= width ? truncateCells(ellipsis, width, '') : truncateCells(text, width - mark, '') + ellipsis
}
