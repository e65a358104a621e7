/** Sections of the side panel: a title line, rows below it, and how they share the height. */
import { cellWidth, fitSpans, type StyledRow, type StyledSpan, type Theme, truncateCells } from '@sluice/permissions-ui'

export type Section = {
  title: string
  /** Stands at the right end of the title line. */
  figure?: StyledSpan[]
  rows: StyledRow[]
  /** Rows that stay when the height is short; the others are counted in one line. */
  least: number
}

/** A left and a right part on one line of `width` cells; the left one gives way. */
export function line(left: readonly StyledSpan[], right: readonly StyledSpan[], width: number): StyledRow {
  const cells = right.reduce((sum, span) => sum + cellWidth(span.text), 0)
  if (cells === 0 || cells > width - 4) return { spans: fitSpans(left, width) }
  return { spans: [...fitSpans(left, width - cells - 1), { text: ' ' }, ...right] }
}

/** The rows of all sections in at most `height` rows, a blank row between them while there is room. */
export function stack(sections: readonly Section[], width: number, height: number, theme: Theme): StyledRow[] {
  const shown = [...sections]
  const leastOf = (section: Section) => 1 + Math.min(section.least, section.rows.length)
  // What does not even fit in its shortest form is left out from the end.
  while (shown.length > 0 && shown.reduce((sum, section) => sum + leastOf(section), 0) > height) shown.pop()
  let left = height - shown.reduce((sum, section) => sum + leastOf(section), 0)
  const gaps = left >= shown.length - 1 ? 1 : 0
  left -= gaps * Math.max(0, shown.length - 1)
  const out: StyledRow[] = []
  shown.forEach((section, i) => {
    if (i > 0 && gaps === 1) out.push({ spans: [{ text: ' '.repeat(width) }] })
    out.push(line([{ text: section.title, color: theme.muted, bold: true }], section.figure ?? [], width))
    const least = Math.min(section.least, section.rows.length)
    const more = Math.min(section.rows.length - least, left)
    left -= more
    out.push(...clip(section.rows, least + more, width, theme))
  })
  return out
}

function clip(rows: readonly StyledRow[], room: number, width: number, theme: Theme): StyledRow[] {
  if (rows.length <= room) return [...rows]
  if (room <= 0) return []
  const hidden = rows.length - room + 1
  const said = truncateCells(`${theme.glyphs.ellipsis} ${hidden} more`, width)
  return [...rows.slice(0, room - 1), { spans: fitSpans([{ text: said, color: theme.muted }], width) }]
}
