/** A markdown text as blocks; while it grows, only its last block is read again. */
import { sanitizeForTerminal } from '@sluice/permissions-ui'
import { currentLexer, type Lex, type Token } from './lexer.ts'

/**
 * `blocks` keep their identity from one version of a growing text to the next, except the last that has content.
 * `source` is the sanitised text; `stable` counts its characters that will not be read again.
 */
export type MarkdownDocument = {
  source: string
  blocks: readonly Token[]
  stable: number
  stableBlocks: number
  lexed: boolean
}

/** Never throws: what the lexer cannot read is one plain paragraph. `before` is an earlier version of the same text. */
export function parseMarkdown(text: string, before?: MarkdownDocument): MarkdownDocument {
  const source = sanitizeForTerminal(text, 'output')
  const lex = currentLexer()
  if (before?.source === source && before.lexed === (lex !== null)) return before
  if (lex === null) return plainDocument(source)
  const grows = before?.lexed === true && source.startsWith(before.source.slice(0, before.stable))
  const kept = grows ? before.blocks.slice(0, before.stableBlocks) : []
  const from = grows ? before.stable : 0
  const read = lexSafely(lex, source.slice(from))
  const blocks = [...kept, ...read]
  return { source, blocks, ...stablePart(source, from, kept.length, read), lexed: true }
}

/** The fenced and indented code blocks of a text, for copying; the text itself is not changed. */
export function codeBlocks(text: string): { language: string; text: string }[] {
  const lex = currentLexer()
  if (lex === null) return []
  return lexSafely(lex, text).flatMap((token) =>
    token.type === 'code' ? [{ language: String(token.lang ?? ''), text: codeText(String(token.text)) }] : [],
  )
}

/** Indented blocks bring the blank lines below them along. */
export function codeText(text: string): string {
  return text.replace(/\n+$/, '')
}

function endsWithBlank(token: Token | undefined): boolean {
  return token === undefined || token.type === 'space' || token.raw.endsWith('\n\n')
}

function plainDocument(source: string): MarkdownDocument {
  return { source, blocks: [plainBlock(source)], stable: 0, stableBlocks: 0, lexed: false }
}

function lexSafely(lex: Lex, text: string): Token[] {
  try {
    return [...lex(text)]
  } catch {
    return [plainBlock(text)]
  }
}

function plainBlock(text: string): Token {
  return { type: 'text', raw: text, text }
}

/**
 * Blocks before a blank line stand. Those after the last one do not: a later character can turn the last of them into the
 * continuation of the one before, as in a quote that goes on without its mark.
 */
function stablePart(
  source: string,
  from: number,
  kept: number,
  read: readonly Token[],
): { stable: number; stableBlocks: number } {
  let last = read.length - 1
  while (last > 0 && read[last]?.type === 'space') last--
  while (last > 0 && !endsWithBlank(read[last - 1])) last--
  let length = 0
  for (const token of read.slice(0, Math.max(0, last))) length += token.raw.length
  const whole = read.reduce((text, token) => text + token.raw, '')
  // The lexer promises no exact `raw`; where it differs from the source, the text is simply read whole each time.
  if (last <= 0 || whole !== source.slice(from)) return { stable: from, stableBlocks: kept }
  return { stable: from + length, stableBlocks: kept + last }
}
