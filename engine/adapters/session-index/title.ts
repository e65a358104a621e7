/** What a session is about, in one line, from the first words of the person: local, cheap and never longer than a row. */

/** `weight` 2: real words; 1: something, but a greeting or a command says little; 0: nothing. A heavier title replaces a lighter one. */
export type Title = { text: string; weight: 0 | 1 | 2 }

export const titleCells = 60

/** The first sentence of `input` without what was pasted, marked up or typed to be polite. */
export function titleOf(input: string): Title {
  const text = plainText(input)
  if (text.startsWith('!')) return titled(text.slice(1).split('\n')[0] ?? '', 1, '! ')
  const slash = /^\/[a-z][\w:-]*(?=\s|$)/i.exec(text)
  const words = slash === null ? text : text.slice(slash[0].length)
  const proseFirst = firstLine(withoutPastes(words)) || firstLine(words.replace(/^[ \t]*(?:```|~~~).*$/gm, ''))
  const line = plainLine(proseFirst)
  const said = withoutManners(line)
  // Signs only, such as an emoji, are something that was said.
  if (said === '') return titled(line || (slash?.[0] ?? words.split('\n').find((one) => one.trim() !== '') ?? ''), 1)
  return titled(capitalised(firstSentence(said)), 2)
}

function titled(text: string, weight: 1 | 2, mark = ''): Title {
  const trimmed = text.replace(/\s+/g, ' ').trim()
  return trimmed === '' ? { text: '', weight: 0 } : { text: cut(mark + trimmed, titleCells), weight }
}

/** Line feeds only, no control characters, nothing invisible. */
function plainText(input: string): string {
  return input
    .slice(0, 20_000)
    .replace(/\r\n?/g, '\n')
    .replace(/\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]?/g, '')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '')
    .toWellFormed()
    .trim()
}

/** Fenced code and quotations are material, and so are lines of a log or a stack. */
function withoutPastes(text: string): string {
  return text
    .replace(/^[ \t]*(```|~~~)[^\n]*\n[\s\S]*?(?:^[ \t]*\1[ \t]*$|(?![\s\S]))/gm, '')
    .split('\n')
    .filter((line) => !/^\s*(?:>|at .+:\d+|\d{4}-\d\d-\d\dT|\[pasted |\$ |<\/?\w+[^>]*>\s*$)/.test(line))
    .join('\n')
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => /[\p{L}\p{N}]/u.test(line)) ?? ''
}

function plainLine(line: string): string {
  return line
    .replace(/^\s*(?:#{1,6}\s+|[-*+]\s+(?:\[[ x]\]\s+)?|\d+[.)]\s+)+/, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(\*\*|__)(?=\S)(.+?)\1/g, '$2')
    .replace(/(^|\W)[*_](?=\S)([^*_]+)[*_](?=\W|$)/g, '$1$2')
    .replace(/`+([^`]*)`+/g, '$1')
    .replace(/(^|\s)@(?=[\w./~-])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Greetings go with the comma after them, or before a request; "hello world" is none. */
const asking = `(?:(?:can|could|would|will) you (?:please |kindly )?(?:help me (?:to )?)?|i(?: would|'d|’d) like you to |i (?:want|need) you to )`
const pleasing = String.raw`(?:please|pls|kindly)\b[\s,]*`
const greeting = String.raw`(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you|ok|okay)(?: (?:there|sluice))?(?:\s*[,.!:;–-]+\s*|\s+(?=${asking}|${pleasing})|\s*$))`
const manners = new RegExp(`^(?:${greeting}|${pleasing}|${asking})+`, 'i')

/** '' when nothing but manners is left. */
function withoutManners(line: string): string {
  const rest = line.replace(manners, '')
  return /[\p{L}\p{N}]/u.test(rest) ? rest : ''
}

/** Up to a full stop that ends a sentence; a question keeps its mark. */
function firstSentence(text: string): string {
  const ends = /([.!?…]+)(?=\s+\S|$)|[。！？]/g
  for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
    const before = text.slice(0, end.index)
    // Not after "e.g.", an initial, or a number in a list.
    if (/(?:^|[\s(])(?:\p{L}|e\.g|i\.e|etc|cf|vs|no|approx|\d+)$/iu.test(before)) continue
    return /^[?？]/.test(end[0]) ? before + end[0].charAt(0) : before
  }
  return text
}

/** Names of things stay as they are written. */
function capitalised(text: string): string {
  return /^[a-z]+(?=[\s,?]|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}

/** At most `cells` wide, cut between words where one is near. */
function cut(text: string, cells: number): string {
  let width = 0
  let fits = 0
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  for (const { segment, index } of graphemes.segment(text)) {
    width += wide.test(segment) ? 2 : 1
    if (width > cells) {
      const space = text.lastIndexOf(' ', fits)
      return `${text.slice(0, space > fits * 0.6 ? space : fits).trimEnd()}…`
    }
    // The mark of the cut needs a cell of its own.
    if (width <= cells - 1) fits = index + segment.length
  }
  return text
}

/** Made when the first long title has to be cut: loading its tables takes longer than a frame. */
let graphemes: Intl.Segmenter | undefined
/** East Asian wide letters and emoji; counting one of them too wide costs nothing but a cell. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f|[\u{20000}-\u{3fffd}]/u
