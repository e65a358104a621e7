/** What a person wrote into a field of the first screen: the value that was meant, or a sentence on what is wrong with it. */
import { hasHidden } from '@sluice/permissions-ui'

export type Read = { value: string } | { problem: string }

/** A key as it stands in a dashboard, a shell profile or a `.env` file. */
export function readKey(text: string): Read {
  const value = unquoted(text.trim().replace(/^(export\s+)?[A-Z_]+\s*=\s*/, ''))
  if (value === '') return { problem: 'There is no key yet: paste or type it.' }
  if (/^https?:\/\//i.test(value)) {
    return { problem: 'This is an address, not a key: go back and choose "point at a base URL".' }
  }
  if (/^sk-ant-/.test(value)) {
    return { problem: 'This is a key of Anthropic, whose adapter is not in this version: an OpenAI key works.' }
  }
  // Anything else could not be sent: keys travel in a header.
  if (!/^[\x21-\x7e]+$/.test(value)) {
    return { problem: 'A key is one word of plain letters, digits and signs: copy it anew, without blanks.' }
  }
  return { value }
}

/** The base URL without what belongs to single requests: no final slash, no `/chat/completions`, no `/models`. */
export function readBaseUrl(text: string): Read {
  const address = unquoted(text.trim())
  if (address === '') return { problem: 'There is no address yet: type one such as http://127.0.0.1:11434/v1.' }
  if (!/^https?:\/\//i.test(address)) {
    const guess = `http://${address.replace(/^[a-z]*:?\/+/i, '')}`
    const host = URL.canParse(guess) ? ` Did you mean ${new URL(guess).href.replace(/\/$/, '')}?` : ''
    return { problem: `A base URL begins with http:// or https://.${host}` }
  }
  if (!URL.canParse(address) || /\s/.test(address) || hasHidden(address)) {
    return { problem: 'This is no web address: write it like http://127.0.0.1:11434/v1.' }
  }
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') {
    return { problem: 'Leave name and password out of the address; a key is asked for when the server wants one.' }
  }
  if (url.search !== '' || url.hash !== '') return { problem: 'A base URL ends before any ? or #: leave the rest out.' }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/(chat\/completions|models)$/, '')
  return { value: url.origin + path }
}

export function readModelName(text: string): Read {
  const value = text.trim()
  if (value === '') return { problem: 'There is no name yet: type the name that the server gives its model.' }
  return { value }
}

function unquoted(text: string): string {
  return /^(["'`]).*\1$/s.test(text) ? text.slice(1, -1).trim() : text
}
