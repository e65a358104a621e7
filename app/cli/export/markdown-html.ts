/** Markdown of a model as HTML that can do nothing but be read: every text is escaped, and only our own tags come out. */
import type { Token, Tokens } from 'marked'
import { escapeHtml } from './escape-html.ts'
import { plainText } from './plain-text.ts'

export type Lex = (text: string) => Token[]

export function markdownHtml(text: string, lex: Lex): string {
  let tokens: Token[]
  try {
    // Before it is taken apart: control characters must not become part of an address.
    tokens = lex(plainText(text))
  } catch {
    return `<p>${escapeHtml(text)}</p>`
  }
  return blocks(tokens)
}

function blocks(tokens: readonly Token[]): string {
  return tokens.map(block).join('')
}

function block(token: Token): string {
  switch (token.type) {
    case 'space':
    case 'def':
      return ''
    case 'heading': {
      // The page has headings of its own.
      const level = Math.min(6, (token as Tokens.Heading).depth + 2)
      return `<h${level}>${inlines(token)}</h${level}>`
    }
    case 'paragraph':
      return `<p>${inlines(token)}</p>`
    case 'text':
      return 'tokens' in token && token.tokens ? inlines(token) : escapeHtml(token.text)
    case 'code':
      return `<pre><code>${escapeHtml(String(token.text).replace(/\n+$/, ''))}</code></pre>`
    case 'blockquote':
      return `<blockquote>${blocks((token as Tokens.Blockquote).tokens)}</blockquote>`
    case 'list': {
      const list = token as Tokens.List
      const items = list.items.map(
        (item) =>
          `<li>${item.task ? box(item.checked === true) : ''}${blocks(item.tokens.filter(({ type }) => type !== 'checkbox'))}</li>`,
      )
      if (!list.ordered) return `<ul>${items.join('')}</ul>`
      return `<ol${typeof list.start === 'number' && list.start > 1 ? ` start="${list.start}"` : ''}>${items.join('')}</ol>`
    }
    case 'table':
      return table(token as Tokens.Table)
    case 'hr':
      return '<hr>'
    default:
      // Raw HTML is shown as it was written.
      return `<p>${escapeHtml(token.raw)}</p>`
  }
}

function box(checked: boolean): string {
  return checked ? '☑ ' : '☐ '
}

function table({ header, rows, align }: Tokens.Table): string {
  const cell = (tag: 'th' | 'td', at: number, content: Tokens.TableCell) => {
    const side = align[at]
    return `<${tag}${side ? ` class="${side}"` : ''}>${content.tokens.map(inline).join('')}</${tag}>`
  }
  const head = header.map((one, at) => cell('th', at, one)).join('')
  const body = rows.map((row) => `<tr>${row.map((one, at) => cell('td', at, one)).join('')}</tr>`).join('')
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`
}

function inlines(token: Token): string {
  return (('tokens' in token && token.tokens) || []).map(inline).join('')
}

function inline(token: Token): string {
  switch (token.type) {
    case 'strong':
      return `<strong>${inlines(token)}</strong>`
    case 'em':
      return `<em>${inlines(token)}</em>`
    case 'del':
      return `<del>${inlines(token)}</del>`
    case 'codespan':
      return `<code>${escapeHtml(token.text)}</code>`
    case 'br':
      return '<br>'
    case 'link':
      return link(token as Tokens.Link)
    case 'image': {
      // Nothing is loaded: an image is a link to it.
      const { href, text } = token as Tokens.Image
      return anchor(href, escapeHtml(text || href))
    }
    case 'text':
      return 'tokens' in token && token.tokens ? inlines(token) : escapeHtml(token.text)
    case 'escape':
      return escapeHtml(token.text)
    case 'checkbox':
      return ''
    default:
      return escapeHtml(token.raw)
  }
}

/** Says where it leads when its words do not. */
function link(token: Tokens.Link): string {
  const words = inlines(token)
  const said = token.text === token.href || token.href === `mailto:${token.text}`
  return anchor(token.href, words) + (said ? '' : ` <small>(${escapeHtml(token.href)})</small>`)
}

function anchor(href: string, words: string): string {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return words
  return `<a href="${escapeHtml(href)}" rel="noopener noreferrer nofollow">${words}</a>`
}
