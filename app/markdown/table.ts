/** Markdown tables: aligned columns where they fit, wrapped cells where they nearly fit, stacked rows where they do not. */
import { fitSpans, type StyledRow, type Theme } from '@sluice/permissions-ui'
import { inlineSpans } from './inline.ts'
import type { Tokens } from './lexer.ts'
import { row, type Span, spansWidth, styled, wrapSpans } from './spans.ts'

const leastColumn = 6

export function tableRows(token: Tokens.Table, width: number, theme: Theme): StyledRow[] {
  const header = token.header.map((cell) => inlineSpans(cell.tokens, theme, { bold: true }))
  const body = token.rows.map((cells) => cells.map((cell) => inlineSpans(cell.tokens, theme)))
  const widths = columnWidths([header, ...body], width - 3 * (header.length - 1))
  if (widths === null) return stackedRows(header, body, width, theme)
  const rule = widths.map((cells) => theme.glyphs.horizontal.repeat(cells)).join(theme.glyphs.horizontal.repeat(3))
  return [
    ...alignedRows(header, widths, token, theme),
    row({ text: rule, color: theme.muted }),
    ...body.flatMap((cells) => alignedRows(cells, widths, token, theme)),
  ]
}

/** The widths of the columns in `room` cells, or null when even narrow columns do not fit. */
function columnWidths(lines: Span[][][], room: number): number[] | null {
  const columns = lines[0]?.length ?? 0
  const natural = Array.from({ length: columns }, (_, i) =>
    Math.max(1, ...lines.map((cells) => Math.max(...wrapSpans(cells[i] ?? [], 10_000).map(spansWidth)))),
  )
  const widths = [...natural]
  let total = widths.reduce((sum, cells) => sum + cells, 0)
  if (total <= room) return widths
  if (natural.reduce((sum, cells) => sum + Math.min(cells, leastColumn), 0) > room) return null
  // The widest column gives way first, so that short columns stay on one line.
  while (total > room) {
    const widest = widths.indexOf(Math.max(...widths))
    const next = Math.max(0, ...widths.filter((_, i) => i !== widest))
    const by = Math.max(1, Math.min(total - room, (widths[widest] ?? 0) - Math.max(next, leastColumn)))
    widths[widest] = (widths[widest] ?? 0) - by
    total -= by
  }
  return widths
}

function alignedRows(cells: Span[][], widths: number[], token: Tokens.Table, theme: Theme): StyledRow[] {
  const wrapped = widths.map((cellWidth, i) => wrapSpans(cells[i] ?? [], cellWidth))
  const height = Math.max(1, ...wrapped.map((lines) => lines.length))
  return Array.from({ length: height }, (_, line) => {
    const spans: Span[] = []
    widths.forEach((columnWidth, i) => {
      if (i > 0) spans.push({ text: ` ${theme.glyphs.vertical} `, color: theme.muted })
      const content = wrapped[i]?.[line] ?? []
      const last = i === widths.length - 1 && token.align[i] !== 'right' && token.align[i] !== 'center'
      spans.push(...(last ? content : aligned(content, columnWidth, token.align[i] ?? null)))
    })
    return { spans }
  })
}

function aligned(spans: Span[], width: number, align: 'center' | 'left' | 'right' | null): Span[] {
  const missing = width - spansWidth(spans)
  if (missing <= 0 || align === null || align === 'left') return fitSpans(spans, width)
  const before = align === 'right' ? missing : Math.floor(missing / 2)
  return fitSpans([{ text: ' '.repeat(before) }, ...spans], width)
}

function stackedRows(header: Span[][], body: Span[][][], width: number, theme: Theme): StyledRow[] {
  return body.flatMap((cells, i) => {
    const rows: StyledRow[] = i === 0 ? [] : [row({ text: theme.glyphs.horizontal.repeat(3), color: theme.muted })]
    cells.forEach((cell, column) => {
      const label = styled(header[column] ?? [], { color: theme.muted })
      for (const line of wrapSpans([...label, { text: ': ' }, ...cell], width)) rows.push({ spans: line })
    })
    return rows
  })
}
