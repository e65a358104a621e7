/** A line editor as one styled row, with its caret drawn. */

import { fitSpans, type StyledRow, type StyledSpan } from '../blocks/styled-row.ts'
import { cellWidth } from '../text/cells.ts'
import { sanitizeForTerminal } from '../text/sanitize.ts'
import type { Theme } from '../theme.ts'
import { type LineState, lineWindow } from './line-editor.ts'

/** Spans of at most `width` cells: `label`, then the text around the caret. `placeholder` stands in an empty field. */
export function fieldSpans(
  label: StyledSpan,
  line: LineState,
  width: number,
  theme: Theme,
  options: { active: boolean; placeholder?: string },
): StyledSpan[] {
  const room = Math.max(2, width - cellWidth(label.text))
  if (line.text === '') {
    const hint = (options.placeholder ?? '').slice(0, Math.max(0, room - 1))
    return [
      label,
      ...(options.active ? [{ text: ' ', inverse: true }] : []),
      { text: hint, color: theme.muted, italic: true },
    ]
  }
  const { before, at, after } = lineWindow(line, room)
  const clean = (text: string) => sanitizeForTerminal(text, 'output')
  if (!options.active) return [label, { text: clean(before + at + after) }]
  return [label, { text: clean(before) }, { text: at === '' ? ' ' : clean(at), inverse: true }, { text: clean(after) }]
}

/** The same as one row of exactly `width` cells that knows where its caret stands. */
export function fieldRow(...[label, line, width, theme, options]: Parameters<typeof fieldSpans>): StyledRow {
  const spans = fieldSpans(label, line, width, theme, options)
  const row = { spans: fitSpans(spans, width) }
  if (!options.active) return row
  const caret = spans.findIndex((span) => span.inverse)
  return withCaret(
    row,
    spans.slice(0, caret).reduce((sum, span) => sum + cellWidth(span.text), 0),
  )
}

/** The row, known to have the caret in `column`. */
export function withCaret(row: StyledRow, column: number): StyledRow {
  carets.set(row, column)
  return row
}

/** The column of the caret in a row that somebody writes in; undefined where nobody writes. */
export function caretOf(row: StyledRow): number | undefined {
  return carets.get(row)
}

const carets = new WeakMap<StyledRow, number>()
