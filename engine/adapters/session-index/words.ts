/** The words of a record that a search finds, the query for them, and where they stand in a text. */
import type { AgentEvent } from '../../protocol/index.ts'

/** What a person or the model said, and the commands and paths that it asked for; '' for all other records. */
export function wordsOf(event: AgentEvent): string {
  switch (event.type) {
    case 'turn_start':
      return event.input
    case 'message': {
      const { message } = event
      const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
      return [message.content, ...calls.flatMap(({ input }) => wordsOfCall(input))]
        .filter((text) => text !== '')
        .join('\n')
    }
    default:
      return ''
  }
}

/** Arguments that are commands, paths or addresses; never what would be written into a file. */
function wordsOfCall(input: unknown): string[] {
  if (input === null || typeof input !== 'object') return []
  const { command, path, pattern, url } = input as Record<string, unknown>
  return [command, path, pattern, url].filter((value): value is string => typeof value === 'string' && value !== '')
}

/**
 * What is handed to the index: scripts without spaces are cut into letters, so that a part of a word is found, and an emoji,
 * which the index holds for no word, becomes one.
 */
export function indexed(text: string): string {
  const letters = unspaced.test(text) ? text.replace(unspacedLetters, ' $& ') : text
  return emoji.test(letters) ? letters.replace(emojis, (one) => ` emoji${one.codePointAt(0)?.toString(16)}z `) : letters
}

/** A word, or several in quotation marks; `open` while its end is still being typed. */
export type Term = { text: string; open: boolean }

export function termsOf(query: string): Term[] {
  const terms: Term[] = []
  for (const [whole, phrase, word] of query.matchAll(/"([^"]*)"?|(\S+)/g)) {
    const text = phrase ?? word ?? ''
    if (!/[\p{L}\p{N}]/u.test(text) && !emoji.test(text)) continue
    const last = query.endsWith(whole) && !whole.endsWith('"')
    // One or two letters begin too many words.
    terms.push({ text, open: last && /(?:[\p{L}\p{N}].*){3}|[^\x00-\x7f]$/u.test(text) && !emojiLast.test(text) })
  }
  return terms.slice(0, 12)
}

/** The term in the language of FTS5. */
export function matchOf({ text, open }: Term): string {
  return `"${indexed(text).trim().replaceAll('"', '""')}"${open ? '*' : ''}`
}

/** [from, to) of every occurrence of the terms, in order and apart from each other. */
export function marksIn(text: string, terms: readonly Term[]): [number, number][] {
  const { folded, at } = foldLetters(text)
  const found: [number, number][] = []
  for (const term of terms)
    for (const match of folded.matchAll(patternOf(term))) {
      const from = match.index + (match[1]?.length ?? 0)
      found.push([at(from), at(match.index + match[0].length)])
    }
  found.sort((a, b) => a[0] - b[0])
  const apart: [number, number][] = []
  for (const mark of found) {
    const before = apart.at(-1)
    if (before && mark[0] <= before[1]) before[1] = Math.max(before[1], mark[1])
    else apart.push(mark)
  }
  return apart
}

const snippetChars = 200

/** One line around the first place where most of the terms are near; null when none occurs. */
export function snippetOf(text: string, terms: readonly Term[]): { text: string; marks: [number, number][] } | null {
  const first = marksIn(text.slice(0, longestSearched), terms)[0]
  if (first === undefined) return null
  const from = wordStart(text, Math.max(0, first[0] - 60))
  const part = text
    .slice(from, wordEnd(text, from + snippetChars))
    .replace(/[\s\x00-\x1f\x7f]+/g, ' ')
    .trim()
    .toWellFormed()
  const line = `${from > 0 ? '…' : ''}${part}${from + snippetChars < text.length ? '…' : ''}`
  return { text: line, marks: marksIn(line, terms) }
}

function wordStart(text: string, from: number): number {
  if (from === 0) return 0
  const space = text.slice(from, from + 30).search(/\s/)
  return space < 0 ? from : from + space + 1
}

function wordEnd(text: string, to: number): number {
  if (to >= text.length) return text.length
  const space = text.slice(to - 30, to + 1).search(/\s\S*$/)
  return space < 0 ? to : to - 30 + space
}

const longestSearched = 2_000_000

/** The tokens of a term as the index sees them: letters and digits, with anything else in between. */
function patternOf({ text, open }: Term): RegExp {
  const tokens = foldLetters(text).folded.match(new RegExp(`[\\p{L}\\p{N}]+|${emojiClass}`, 'gu')) ?? []
  if (emoji.test(text)) return new RegExp(`()${tokens.join('[^\\p{L}\\p{N}]*?')}`, 'gu')
  const body = tokens.join('[^\\p{L}\\p{N}]+')
  if (unspaced.test(text)) return new RegExp(`()${body}`, 'gu')
  return new RegExp(`(^|[^\\p{L}\\p{N}])${body}${open ? '' : '(?![\\p{L}\\p{N}])'}`, 'gu')
}

/** Lower case without marks on letters; `at` leads back to offsets in the text itself. */
function foldLetters(text: string): { folded: string; at(offset: number): number } {
  if (/^[\x00-\x7f]*$/.test(text)) return { folded: text.toLowerCase(), at: (offset) => offset }
  let folded = ''
  const offsets: number[] = []
  let offset = 0
  for (const letter of text) {
    const plain = letter.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
    for (let i = 0; i < plain.length; i++) offsets.push(offset)
    folded += plain
    offset += letter.length
  }
  offsets.push(text.length)
  return { folded, at: (index) => offsets[index] ?? text.length }
}

const unspacedRange = '\\u0e00-\\u0e7f\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af'
const unspaced = new RegExp(`[${unspacedRange}]`)
const unspacedLetters = new RegExp(`[${unspacedRange}]`, 'g')

const emojiClass = '[\\p{Extended_Pictographic}\\p{Regional_Indicator}]'
const emoji = new RegExp(emojiClass, 'u')
const emojis = new RegExp(emojiClass, 'gu')
/** With what may stand behind one: a skin tone, or the mark that it is drawn in colour. */
const emojiLast = new RegExp(`${emojiClass}[\\p{M}\\p{Emoji_Modifier}\\u200d]*$`, 'u')
