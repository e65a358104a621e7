/** The rows of a markdown text at a width, with what is needed to draw its next version cheaply. */
import type { StyledRow, Theme } from '@sluice/permissions-ui'
import { blockTokenRows } from './block-rows.ts'
import { type MarkdownDocument, parseMarkdown } from './document.ts'
import type { Token } from './lexer.ts'
import { keepEqualRows, row } from './spans.ts'

export type MarkdownRows = {
  document: MarkdownDocument
  width: number
  theme: Theme
  rows: readonly StyledRow[]
  /** Rows of each block that will not change. */
  blocks: ReadonlyMap<Token, readonly StyledRow[]>
}

/** `before` is the result for an earlier version of the same text: its finished blocks and equal rows are reused. */
export function markdownRows(text: string, width: number, theme: Theme, before?: MarkdownRows): MarkdownRows {
  const usable = before?.width === width && before.theme === theme ? before : undefined
  const document = parseMarkdown(text, before?.document)
  if (usable && usable.document === document) return usable
  const blocks = new Map<Token, readonly StyledRow[]>()
  const rows: StyledRow[] = []
  document.blocks.forEach((token, index) => {
    const known = usable?.blocks.get(token)
    const own = known ?? rowsOf(token, width, theme)
    if (index < document.stableBlocks) blocks.set(token, own)
    if (own.length === 0) return
    if (rows.length > 0) rows.push(blank)
    rows.push(...own)
  })
  return { document, width, theme, rows: usable ? keepEqualRows(usable.rows, rows) : rows, blocks }
}

const blank: StyledRow = row()

function rowsOf(token: Token, width: number, theme: Theme): readonly StyledRow[] {
  try {
    return blockTokenRows(token, width, theme)
  } catch {
    // A block that breaks a renderer must not take the screen with it.
    return token.raw.split('\n').map((text) => row({ text: text.slice(0, width) }))
  }
}
