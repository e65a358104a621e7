/**
 * Text for the terminal's own scrollback: a paragraph is one line of the terminal, wrapped at words for the width of the
 * moment, so that the terminal can wrap it anew when its width changes.
 */
import { cellWidth, type StyledRow } from '@sluice/permissions-ui'
import { plainText, type Span, spansWidth, wrapSpans } from '../markdown/spans.ts'

/** Wide enough that a paragraph laid out at it is one row. */
export const unwrapped = 10_000

/**
 * `row` as rows that are to be written without a line feed between them: each but the last is filled up to the edge, where
 * the terminal itself goes on in the next row. `indent` cells stand before each of them; what a list item or quote begins
 * with is kept free below it. Text whose width terminals do not agree on comes as rows of their own instead.
 */
export function flow(row: StyledRow, columns: number, indent: number): StyledRow[] {
  const spans = row.spans
  const text = plainText(spans)
  const pad: Span = { text: ' '.repeat(indent) }
  const lead = leadOf(text)
  const hanging = cellWidth(lead) <= columns / 3 ? cellWidth(lead) : 0
  const room = Math.max(1, columns - indent - hanging)
  if (spansWidth(spans) <= room + hanging) return [{ spans: [pad, ...spans] }]
  const [head, tail] = split(spans, hanging === 0 ? 0 : lead.length)
  const lines = wrapSpans(tail, room)
  const below: Span = { text: ' '.repeat(indent + hanging) }
  const rows = lines.map((line, i) => ({ spans: i === 0 ? [pad, ...head, ...line] : [below, ...line] }))
  if (!certain.test(text)) return rows
  const joined = rows.flatMap((one, i): Span[] => {
    const missing = i === rows.length - 1 ? 0 : columns - spansWidth(one.spans)
    return missing > 0 ? [...one.spans, { text: ' '.repeat(missing) }] : one.spans
  })
  return [{ spans: joined }]
}

/** Blanks, and the mark of a list item or a quote. */
function leadOf(text: string): string {
  return /^\s*(?:(?:[•*-]|\d+\.|[│|])\s+)*(?:\[[ x]\]\s+)?/.exec(text)?.[0] ?? ''
}

function split(spans: readonly Span[], at: number): [Span[], Span[]] {
  const head: Span[] = []
  const tail: Span[] = []
  let start = 0
  for (const span of spans) {
    const end = start + span.text.length
    if (start < at) head.push({ ...span, text: span.text.slice(0, at - start) })
    if (end > at) tail.push({ ...span, text: span.text.slice(Math.max(0, at - start)) })
    start = end
  }
  return [head, tail]
}

/** Characters that are one or two cells wide in every terminal. */
const certain =
  /^[ -~\u00a1-\u00ac\u00ae-\u024f\u0370-\u03ff\u0400-\u04ff\u2010-\u2027\u2030-\u205e\u20ac\u2190-\u21ff\u2500-\u257f\u3001-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e•✓✗❯]*$/
