/** What is drawn over finished rows: the reader's mark in the gutter, matches of a search. */
import type { StyledRow, Theme } from '@sluice/permissions-ui'
import { cut, plainText, type Span } from '../markdown/spans.ts'
import { gutter } from './item-rows.ts'
import { placesOf } from './search.ts'

/** The row with `mark` in its gutter. */
export function withMark(row: StyledRow, mark: string, theme: Theme): StyledRow {
  const spans = row.spans
  return { spans: [{ text: mark, color: theme.accent, bold: true }, ...cut(spans, gutter, Number.POSITIVE_INFINITY)] }
}

/** The row with every place of `query` inverted; the same object when there is none. */
export function withMatches(row: StyledRow, query: string): StyledRow {
  const places = placesOf(plainText(row.spans), query)
  if (places.length === 0) return row
  const spans: Span[] = []
  let done = 0
  for (const [from, to] of places) {
    spans.push(...cut(row.spans, done, from))
    spans.push(...cut(row.spans, from, to).map((span) => ({ ...span, inverse: true })))
    done = to
  }
  spans.push(...cut(row.spans, done, Number.POSITIVE_INFINITY))
  return { spans }
}
