/** The rows of a markdown text at a width, with what is needed to draw its next version cheaply. */
import { type StyledRow, sanitizeForTerminal, type Theme, truncateCells } from '@sluice/permissions-ui'
import { blockTokenRows } from './block-rows.ts'
import { type GrowingCode, growingCodeRows } from './code.ts'
import { type MarkdownDocument, parseMarkdown } from './document.ts'
import type { Token, Tokens } from './lexer.ts'
import { keepEqualRows, row } from './spans.ts'

export type MarkdownRows = {
  document: MarkdownDocument
  width: number
  theme: Theme
  rows: readonly StyledRow[]
  /** Rows of each block that will not change. */
  blocks: ReadonlyMap<Token, readonly StyledRow[]>
  /** What stays of the code block at the end, while the text grows. */
  growing?: GrowingCode
}

export type MarkdownOptions = {
  /** The result for an earlier version of the same text: its finished blocks and equal rows are reused. */
  before?: MarkdownRows
  /** The text will go on. */
  streaming?: boolean
}

export function markdownRows(text: string, width: number, theme: Theme, options: MarkdownOptions = {}): MarkdownRows {
  const { before, streaming = false } = options
  const usable = before?.width === width && before.theme === theme ? before : undefined
  const document = parseMarkdown(text, before?.document)
  if (streaming && usable && usable.document === document) return usable
  const blocks = new Map<Token, readonly StyledRow[]>()
  const rows: StyledRow[] = []
  let growing: GrowingCode | undefined
  document.blocks.forEach((token, index) => {
    let own = usable?.blocks.get(token)
    if (own === undefined && streaming && index >= document.stableBlocks && token.type === 'code') {
      const made = growingCodeRows(token as Tokens.Code, width, theme, usable?.growing)
      own = made.rows
      growing = made.growing
    }
    own ??= rowsOf(token, width, theme)
    if (index < document.stableBlocks) blocks.set(token, own)
    if (own.length === 0) return
    if (rows.length > 0) rows.push(blank)
    for (const one of own) rows.push(one)
  })
  const result: MarkdownRows = {
    document,
    width,
    theme,
    rows: usable ? keepEqualRows(usable.rows, rows) : rows,
    blocks,
  }
  if (growing !== undefined) result.growing = growing
  return result
}

const blank: StyledRow = row()

function rowsOf(token: Token, width: number, theme: Theme): readonly StyledRow[] {
  try {
    return blockTokenRows(token, width, theme)
  } catch {
    // A block that breaks a renderer must not take the screen with it.
    const lines = sanitizeForTerminal(token.raw, 'output').split('\n')
    return lines.map((text) => row({ text: truncateCells(text, width) }))
  }
}
