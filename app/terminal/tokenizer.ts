/**
 * Cuts the text that a terminal sends into tokens.
 *
 * We read the terminal ourselves instead of through Ink's `useInput`: that hook gets one event for a whole chunk of plain text
 * (`hello` and Enter typed ahead arrive as one string), hides function keys, key repeats and focus reports, cannot tell an
 * unbracketed paste from typing, and drops mouse reports. Here every key is one token in the order typed, whatever the
 * boundaries of the chunks.
 */
import { readColor, readCsi, readSs3 } from './csi.ts'
import { characterKey, controlKey, namedKey, noModifiers } from './key-names.ts'
import type { Token } from './tokens.ts'

/** What the tokenizer holds back: a lone Esc, a longer unfinished sequence, a paste without or with brackets. */
export type Waiting = 'nothing' | 'escape' | 'sequence' | 'loose-paste' | 'paste'

export interface Tokenizer {
  /** Takes decoded text in pieces of any size. */
  push(chunk: string): Token[]
  readonly waiting: Waiting
  /** Gives up waiting: a lone Esc becomes the key, an unfinished sequence is dropped, an unfinished paste is delivered. */
  flush(): Token[]
}

export function createTokenizer(): Tokenizer {
  let pending = ''
  /** Pieces of a bracketed paste; null outside of one. */
  let paste: string[] | null = null
  let pasteTail = ''
  /** Pieces of a paste that came without brackets. */
  let loose: string[] = []

  function push(chunk: string): Token[] {
    const tokens: Token[] = []
    if (paste === null && pending === '' && (loose.length > 0 ? !hasKeys(chunk) : looksPasted(chunk))) {
      loose.push(chunk)
      return tokens
    }
    endLoose(tokens)
    let text = pending + chunk
    pending = ''
    while (text !== '') {
      if (paste !== null) {
        const rest = takePaste(text, tokens)
        if (rest === null) return tokens
        text = rest
        continue
      }
      const at = text.indexOf(esc)
      if (at !== 0) {
        readText(at === -1 ? text : text.slice(0, at), tokens)
        if (at === -1) return tokens
        text = text.slice(at)
      }
      const sequence = readSequence(text)
      if (sequence === null) {
        pending = text
        return tokens
      }
      if (sequence.pasteStart) {
        paste = []
        pasteTail = ''
      }
      tokens.push(...sequence.tokens)
      text = text.slice(sequence.length)
    }
    return tokens
  }

  /** Collects up to the end mark, which may be cut anywhere; returns what follows it. */
  function takePaste(text: string, tokens: Token[]): string | null {
    const joined = pasteTail + text
    const end = joined.indexOf(pasteEnd)
    if (end === -1) {
      const keep = Math.max(0, joined.length - pasteEnd.length + 1)
      paste?.push(joined.slice(0, keep))
      pasteTail = joined.slice(keep)
      return null
    }
    paste?.push(joined.slice(0, end))
    tokens.push({ type: 'paste', text: withLineFeeds((paste ?? []).join('')) })
    paste = null
    pasteTail = ''
    return joined.slice(end + pasteEnd.length)
  }

  function endLoose(tokens: Token[]): void {
    if (loose.length === 0) return
    tokens.push({ type: 'paste', text: withLineFeeds(loose.join('')) })
    loose = []
  }

  return {
    push,
    get waiting() {
      if (paste !== null) return 'paste'
      if (loose.length > 0) return 'loose-paste'
      if (pending === '') return 'nothing'
      return pending === esc ? 'escape' : 'sequence'
    },
    flush() {
      const tokens: Token[] = []
      endLoose(tokens)
      if (paste !== null) {
        tokens.push({ type: 'paste', text: withLineFeeds(paste.join('') + pasteTail) })
        paste = null
        pasteTail = ''
      }
      const rest = pending
      pending = ''
      if (rest === esc) tokens.push(namedKey('escape', noModifiers))
      else if (rest === esc + esc) tokens.push(namedKey('escape', noModifiers), namedKey('escape', noModifiers))
      // Two characters are a key held with Alt; anything longer is a sequence whose end got lost.
      else if (rest.length === 2) tokens.push(characterKey(rest.charAt(1), { ...noModifiers, alt: true }))
      return tokens
    },
  }
}

type Sequence = { length: number; tokens: Token[]; pasteStart?: boolean }

/** Reads one sequence at the start of `text`, which is an Esc; null when its end has not arrived. */
function readSequence(text: string): Sequence | null {
  const next = text[1]
  if (next === undefined) return null
  if (next === esc) return readDoubleEscape(text)
  if (next === '[') return readCsiAt(text)
  if (next === 'O') {
    const found = /^\x1bO([0-9;]*)(.?)/s.exec(text)
    const [whole = '', body = '', final = ''] = found ?? []
    if (final === '') return null
    if (!/[A-Za-z]/.test(final)) return { length: 2, tokens: [characterKey('O', { ...noModifiers, alt: true })] }
    return { length: whole.length, tokens: some(readSs3(body, final)) }
  }
  const opener = strings[next]
  if (opener !== undefined) {
    if (text.length === 2) return null
    if (opener.test(text.charAt(2))) return readString(text)
  }
  const char = String.fromCodePoint(text.codePointAt(1) ?? 0)
  const code = char.charCodeAt(0)
  if (code === 0x0a) return { length: 2, tokens: [namedKey('return', { ...noModifiers, alt: true })] }
  if (code < 0x20 || code === 0x7f) return { length: 2, tokens: [controlKey(code, true)] }
  return { length: 1 + char.length, tokens: [characterKey(char, { ...noModifiers, alt: true })] }
}

/** Two Escs: either the key twice, or a sequence that some terminals send for a key held with Alt. */
function readDoubleEscape(text: string): Sequence | null {
  if (text.length === 2) return null
  const once: Sequence = { length: 1, tokens: [namedKey('escape', noModifiers)] }
  if (text[2] !== '[' && text[2] !== 'O') return once
  const inner = readSequence(text.slice(1))
  if (inner === null) return null
  const key = inner.tokens[0]
  if (key?.type !== 'key' || inner.pasteStart) return once
  const name = /^(ctrl\+)?(?!alt\+)/.test(key.name) ? key.name.replace(/^(ctrl\+)?/, '$1alt+') : key.name
  return { length: inner.length + 1, tokens: [{ ...key, name, text: '' }] }
}

function readCsiAt(text: string): Sequence | null {
  let at = 2
  if (text[at] === '[') {
    // The Linux console's function keys have a second bracket.
    const final = text[3]
    return final === undefined ? null : { length: 4, tokens: some(readCsi('[', final)) }
  }
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code >= 0x40 && code <= 0x7e) break
    // rxvt ends shifted keys with a dollar sign.
    if (code === 0x24 && /^\d$/.test(text.slice(2, at))) break
    // Not a sequence after all: what we have is dropped, the rest is read on its own.
    if (code < 0x20 || code > 0x7e) return { length: at, tokens: [] }
    at++
  }
  if (at >= text.length) return null
  const body = text.slice(2, at)
  const final = text.charAt(at)
  const length = at + 1
  if (final === '~' && body === '200') return { length, tokens: [], pasteStart: true }
  if (final === 'M' && body === '') {
    // The oldest mouse report carries three more bytes.
    return text.length < length + 3 ? null : { length: length + 3, tokens: [] }
  }
  return { length, tokens: some(readCsi(body, final)) }
}

/** An OSC, DCS or APC string: ended by ST, or by BEL for OSC. */
function readString(text: string): Sequence | null {
  const found = (text[1] === ']' ? /\x07|\x1b\\/ : /\x1b\\/).exec(text)
  if (found === null) {
    // No terminal answers at such length: it is lost, and must not swallow what is typed.
    return text.length > longestReply ? { length: text.length, tokens: [] } : null
  }
  const length = found.index + found[0].length
  const body = text.slice(2, found.index)
  const color = body.startsWith('11;') ? readColor(body.slice(3)) : null
  return { length, tokens: color === null ? [] : [{ type: 'reply', reply: { kind: 'background', ...color } }] }
}

/** Text without Esc: every grapheme and every control character is a key; a long run can only be a paste. */
function readText(text: string, tokens: Token[]): void {
  for (const [run] of text.matchAll(/[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/g)) {
    const code = run.charCodeAt(0)
    if (code < 0x20 || code === 0x7f) tokens.push(controlKey(code, false))
    else if (run.length > longestTyped) tokens.push({ type: 'paste', text: run })
    else if (/^[\x20-\x7e]+$/.test(run)) for (const char of run) tokens.push(characterKey(char, noModifiers))
    else for (const { segment } of segmenter().segment(run)) readGrapheme(segment, tokens)
  }
}

function readGrapheme(segment: string, tokens: Token[]): void {
  // C1 controls have no place in UTF-8 input.
  const text = segment.replace(/[\x80-\x9f]/g, '')
  if (text !== '') tokens.push(characterKey(text, noModifiers))
}

/** True for chunks that nobody types: several lines at once, or more characters than fingers send in one read. */
function looksPasted(chunk: string): boolean {
  if (hasKeys(chunk)) return false
  const body = chunk.replace(/[\r\n]+$/, '')
  if (body === '') return false
  if (/[\r\n]/.test(body)) return true
  const breaks = chunk.slice(body.length)
  if (breaks.length > 1) return true
  return breaks === '' && body.length > longestTyped
}

/** Control characters other than tab and line breaks come from keys. */
function hasKeys(chunk: string): boolean {
  return /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(chunk)
}

function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

function some(token: Token | null): Token[] {
  return token === null ? [] : [token]
}

const esc = '\x1b'
const pasteEnd = '\x1b[201~'
const longestTyped = 64
const longestReply = 4096

/** Introducers of strings, with what a real one continues with; otherwise the key was pressed with Alt. */
const strings: Record<string, RegExp> = { ']': /\d/, P: /[0-9>!$+|]/, _: /G/ }

let shared: Intl.Segmenter | undefined
function segmenter(): Intl.Segmenter {
  shared ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return shared
}
