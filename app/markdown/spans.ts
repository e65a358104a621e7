/** Styled text on its way to rows: joining runs of one style, and wrapping at a width without losing the styles. */
import { cellWidth, type StyledRow, type StyledSpan, wrapCells } from '@sluice/permissions-ui'

export type Span = StyledSpan
export type Style = Omit<Span, 'text'>

export function row(...spans: Span[]): StyledRow {
  return { spans }
}

/** Rows of at most `width` cells; line feeds inside spans break. */
export function wrapSpans(spans: readonly Span[], width: number): Span[][] {
  const lines: Span[][] = [[]]
  for (const span of spans) {
    const parts = span.text.split('\n')
    parts.forEach((text, i) => {
      if (i > 0) lines.push([])
      if (text !== '') lines[lines.length - 1]?.push({ ...span, text })
    })
  }
  return lines.flatMap((line) => wrapLine(line, Math.max(1, width)))
}

export function spansWidth(spans: readonly Span[]): number {
  return spans.reduce((sum, span) => sum + cellWidth(span.text), 0)
}

export function plainText(spans: readonly Span[]): string {
  return spans.map((span) => span.text).join('')
}

/** The same spans with `style` under their own. */
export function styled(spans: readonly Span[], style: Style): Span[] {
  return spans.map((span) => ({ ...style, ...span }))
}

/** Rows of `next` that look like those of `before` at the same place are the old objects, so that nothing re-renders. */
export function keepEqualRows(before: readonly StyledRow[], next: readonly StyledRow[]): StyledRow[] {
  return next.map((one, i) => {
    const old = before[i]
    return old !== undefined && (old === one || equalSpans(old.spans, one.spans)) ? old : one
  })
}

function equalSpans(a: readonly Span[], b: readonly Span[]): boolean {
  return a.length === b.length && a.every((span, i) => equalSpan(span, b[i]))
}

function equalSpan(a: Span, b: Span | undefined): boolean {
  if (b === undefined || a.text !== b.text) return false
  const keys = Object.keys(a) as (keyof Span)[]
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key])
}

function wrapLine(line: Span[], width: number): Span[][] {
  if (line.length === 0) return [[]]
  const text = plainText(line)
  const only = line[0]
  if (line.length === 1 && only) return wrapCells(text, width).map((part) => [{ ...only, text: part }])
  const rows: Span[][] = []
  let from = 0
  for (const part of wrapCells(text, width)) {
    // Wrapping only ever drops blanks at breaks, so the next row begins at the next place where it stands.
    while (from < text.length && !text.startsWith(part, from)) from++
    rows.push(cut(line, from, from + part.length))
    from += part.length
  }
  return rows
}

/** The part of `spans` between two UTF-16 offsets. */
export function cut(spans: readonly Span[], from: number, to: number): Span[] {
  const out: Span[] = []
  let start = 0
  for (const span of spans) {
    const end = start + span.text.length
    if (end > from && start < to) out.push({ ...span, text: span.text.slice(Math.max(0, from - start), to - start) })
    start = end
  }
  return out
}
