/** Finished items as lines for the terminal's own scrollback; each may be longer than the screen is wide. */
import { type StyledRow, sanitizeForTerminal } from '@sluice/permissions-ui'
import { blockTokenRows } from '../markdown/block-rows.ts'
import { parseMarkdown } from '../markdown/document.ts'
import type { Token } from '../markdown/lexer.ts'
import { row, type Span } from '../markdown/spans.ts'
import type { Item } from '../state/index.ts'
import { type Ink, rowToText } from '../terminal/sgr.ts'
import { callRows } from '../transcript/call-rows.ts'
import { entryRows, needsSpace, nothingOpened } from '../transcript/item-rows.ts'
import { flow, unwrapped } from './flow.ts'

export type LineOptions = { columns: number; ink: Ink }

/** The lines of an item, with a blank one before it where it begins something new. */
export function itemLines(item: Item, previous: Item | undefined, options: LineOptions): string[] {
  const rows = itemRows(item, options)
  if (rows.length === 0) return []
  return texts(needsSpace(previous, item) ? [row(), ...rows] : rows, options)
}

/** The lines of a part of an answer: whole markdown blocks, with a blank line before each but a `first` one. */
export function answerLines(markdown: string, first: boolean, options: LineOptions): string[] {
  return texts(answerRows(markdown, first, options), options)
}

/** One line that tells how much was thought; none when nothing was. */
export function reasoningLines(reasoning: string, options: LineOptions): string[] {
  const entry = { kind: 'assistant' as const, id: '', at: 0, text: '', reasoning, partial: false }
  return texts(screenRows(entry, options), options)
}

function itemRows(item: Item, options: LineOptions): StyledRow[] {
  const { theme } = options.ink
  switch (item.kind) {
    case 'user': {
      const text = sanitizeForTerminal(item.text, 'output').replace(/\n+$/, '')
      return text.split('\n').flatMap((line, i) => {
        const mark: Span = { text: i === 0 ? `${theme.glyphs.prompt} ` : '  ', color: theme.accent, bold: true }
        const [head, ...more] = flow(row({ text: line, bold: true }), options.columns, 2)
        return head === undefined ? [] : [{ spans: [mark, ...withoutIndent(head)] }, ...more]
      })
    }
    case 'assistant': {
      const thought = screenRows({ ...item, text: '', partial: false }, options)
      const words = item.text.trim() === '' ? [] : answerRows(item.text, thought.length === 0, options)
      const cut: StyledRow = row({ text: `  ${theme.glyphs.ellipsis} cut short here`, color: theme.warn })
      return [...thought, ...words, ...(item.partial ? [cut] : [])]
    }
    case 'call':
      return callRows(item, Math.max(4, options.columns), theme, opensInScrollback(item) ? 'short' : 'closed')
    default:
      return screenRows(item, options)
  }
}

/** Nothing can be opened later: what a call did stands below it, what it only read does not. */
function opensInScrollback(item: Item & { kind: 'call' }): boolean {
  return item.status !== 'done' || item.toolKind === 'edit' || item.toolKind === 'execute'
}

function answerRows(markdown: string, first: boolean, options: LineOptions): StyledRow[] {
  const rows: StyledRow[] = []
  for (const token of parseMarkdown(markdown).blocks) {
    const own = blockRows(token, options)
    if (own.length === 0) continue
    if (rows.length > 0 || !first) rows.push(row())
    rows.push(...own)
  }
  return rows
}

const inset = 2

function blockRows(token: Token, { columns, ink }: LineOptions): StyledRow[] {
  const { theme } = ink
  const pad: Span = { text: ' '.repeat(inset) }
  try {
    switch (token.type) {
      case 'table':
      case 'hr':
        return blockTokenRows(token, Math.max(1, columns - inset), theme).map((one) => ({ spans: [pad, ...one.spans] }))
      case 'code':
        // A line of code is a line of the terminal: it can be copied as it is.
        return blockTokenRows(token, unwrapped, theme).map((one) => ({ spans: [pad, ...one.spans] }))
      default:
        return blockTokenRows(token, unwrapped, theme).flatMap((one) => flow(one, columns, inset))
    }
  } catch {
    return sanitizeForTerminal(token.raw, 'output')
      .split('\n')
      .map((text) => row(pad, { text }))
  }
}

/** As on the screen, without the reader's column at the left. */
function screenRows(item: Item, { columns, ink }: LineOptions): StyledRow[] {
  const { rows } = entryRows(item, false, { width: columns + 1, theme: ink.theme, opened: nothingOpened })
  return rows.map((one) => ({ spans: withoutIndent(one, 1) }))
}

function withoutIndent({ spans }: StyledRow, cells?: number): Span[] {
  const [first, ...rest] = spans
  if (first === undefined || first.text.trim() !== '') return [...spans]
  return cells === undefined ? rest : [{ ...first, text: first.text.slice(cells) }, ...rest]
}

function texts(rows: readonly StyledRow[], { ink }: LineOptions): string[] {
  return rows.map((one) => rowToText(one, ink).replace(/ +$/, ''))
}
