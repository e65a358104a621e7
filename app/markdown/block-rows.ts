/** Markdown blocks to rows of one width. */
import { type StyledRow, sanitizeForTerminal, type Theme, wrapCells } from '@sluice/permissions-ui'
import { codeRows } from './code.ts'
import { inlineSpans } from './inline.ts'
import type { Token, Tokens } from './lexer.ts'
import { row, type Span, spansWidth, styled, wrapSpans } from './spans.ts'
import { tableRows } from './table.ts'

/** Deeper nesting is shown as its source: no reader follows it, and each level costs columns. */
const maxDepth = 10
const leastWidth = 8

/** Blocks of a document or of a list item, with a blank row between blocks where `loose`. */
export function blocksRows(
  tokens: readonly Token[],
  width: number,
  theme: Theme,
  loose: boolean,
  depth = 0,
): StyledRow[] {
  const rows: StyledRow[] = []
  for (const token of tokens) {
    const one = blockTokenRows(token, width, theme, depth)
    if (one.length === 0) continue
    if (loose && rows.length > 0) rows.push(row())
    rows.push(...one)
  }
  return rows
}

/** Rows of one block; none for the space between blocks. */
export function blockTokenRows(token: Token, width: number, theme: Theme, depth = 0): StyledRow[] {
  if (depth > maxDepth || width < leastWidth) return plainRows(token.raw, width)
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return []
    case 'heading':
      return wrapSpans(
        inlineSpans((token as Tokens.Heading).tokens, theme, headingStyle(token.depth, theme)),
        width,
      ).map((spans) => ({ spans }))
    case 'paragraph':
    case 'text':
      return token.tokens
        ? wrapSpans(inlineSpans(token.tokens, theme), width).map((spans) => ({ spans }))
        : plainRows(token.text, width)
    case 'code':
      return codeRows(token as Tokens.Code, width, theme)
    case 'blockquote':
      return prefixed(blocksRows(token.tokens ?? [], width - 2, theme, true, depth + 1), [
        { text: `${theme.glyphs.vertical} `, color: theme.muted },
      ]).map((one) => ({ spans: styled(one.spans, { color: theme.muted }) }))
    case 'list':
      return listRows(token as Tokens.List, width, theme, depth)
    case 'table':
      return tableRows(token as Tokens.Table, width, theme)
    case 'hr':
      return [row({ text: theme.glyphs.horizontal.repeat(Math.min(width, 40)), color: theme.muted })]
    default:
      return plainRows(token.raw, width)
  }
}

function headingStyle(level: number, theme: Theme): Omit<Span, 'text'> {
  return level <= 2 ? { bold: true, color: theme.accent } : { bold: true }
}

function listRows(list: Tokens.List, width: number, theme: Theme, depth: number): StyledRow[] {
  const first = list.ordered && typeof list.start === 'number' ? list.start : 1
  const digits = `${first + list.items.length - 1}`.length
  const rows: StyledRow[] = []
  list.items.forEach((item, i) => {
    const marker = list.ordered ? `${`${first + i}.`.padStart(digits + 1)} ` : `${bullet(theme)} `
    const box = item.task ? (item.checked ? '[x] ' : '[ ] ') : ''
    const lead: Span[] = [{ text: marker, color: theme.muted }]
    if (box !== '') lead.push({ text: box, color: item.checked ? theme.ok : theme.muted })
    const indent = spansWidth(lead)
    const content = blocksRows(item.tokens, width - indent, theme, item.loose, depth + 1)
    const [head = row(), ...tail] = content
    if (list.loose && i > 0) rows.push(row())
    rows.push({ spans: [...lead, ...head.spans] }, ...prefixed(tail, [{ text: ' '.repeat(indent) }]))
  })
  return rows
}

function bullet(theme: Theme): string {
  return theme.glyphs.horizontal === '-' ? '-' : '•'
}

function prefixed(rows: readonly StyledRow[], prefix: Span[]): StyledRow[] {
  return rows.map((one) => ({ spans: [...prefix, ...one.spans] }))
}

function plainRows(text: string, width: number): StyledRow[] {
  return wrapCells(sanitizeForTerminal(text, 'output').replace(/\n+$/, ''), width).map((line) => row({ text: line }))
}
