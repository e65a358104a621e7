/** Inline markdown to styled spans: emphasis, code, links, line breaks. */
import { sanitizeForTerminal, type Theme } from '@sluice/permissions-ui'
import type { Token } from './lexer.ts'
import type { Span, Style } from './spans.ts'

const maxDepth = 16

/** Unknown kinds of tokens show their raw text. */
export function inlineSpans(tokens: readonly Token[], theme: Theme, style: Style = {}, depth = 0): Span[] {
  return tokens.flatMap((token) => inlineSpan(token, theme, style, depth))
}

function inlineSpan(token: Token, theme: Theme, style: Style, depth: number): Span[] {
  const inner = (extra: Style): Span[] => {
    const children = 'tokens' in token ? token.tokens : undefined
    if (!children || depth >= maxDepth) return [{ ...style, ...extra, text: textOf(token) }]
    return inlineSpans(children, theme, { ...style, ...extra }, depth + 1)
  }
  switch (token.type) {
    case 'strong':
      return inner({ bold: true })
    case 'em':
      return inner({ italic: true })
    case 'del': {
      // Strike-through is missing on many terminals; the tildes say it everywhere.
      const dimmed = { ...style, dim: true }
      return [{ ...dimmed, text: '~' }, ...inner({ dim: true }), { ...dimmed, text: '~' }]
    }
    case 'codespan':
      return [{ ...style, color: theme.accent2, text: theme.color ? clean(token.text) : `\`${clean(token.text)}\`` }]
    case 'br':
      return [{ ...style, text: '\n' }]
    case 'link': {
      const label = inner({ underline: true, color: theme.accent })
      const shown = label.map((span) => span.text).join('')
      const target = clean(String(token.href ?? ''))
      if (target === '' || target === shown || target === `mailto:${shown}`) return label
      return [...label, { ...style, dim: true, text: ` (${target})` }]
    }
    case 'image':
      return [{ ...style, dim: true, text: clean(`[image: ${token.text || token.href}]`) }]
    case 'checkbox':
      return []
    case 'text':
      return inner({})
    case 'escape':
      return [{ ...style, text: clean(token.text) }]
    default:
      return [{ ...style, text: clean(token.raw) }]
  }
}

/** The lexer turns `&#27;` into the escape character itself: what it gives back is sanitised once more. */
function clean(text: string): string {
  return sanitizeForTerminal(text, 'output').replaceAll('\n', ' ')
}

/** Plain text as it was written, with the entities that have a name; a number could name any character. */
function textOf(token: Token): string {
  const { raw } = token
  return clean(
    raw.includes('&') ? raw.replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (whole, name) => named[name] ?? whole) : raw,
  )
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
