/** Markdown that somebody wrote, made fit to stand in a document: its HTML is text, images are links, and a fence left open ends with it; pure. */
import { plainText } from './plain-text.ts'

/** Code stays as it is, in fences and between backticks. */
export function proseText(text: string): string {
  const out: string[] = []
  /** Lines of prose up to the next fence: code between backticks may go over their ends. */
  let prose: string[] = []
  let fence: Fence | null = null
  let inList = 0
  const tell = () => {
    if (prose.length > 0) out.push(harmless(prose.join('\n')))
    prose = []
  }
  for (const line of plainText(text).trim().split('\n')) {
    if (fence !== null && leaves(fence, line)) fence = null
    if (fence !== null) {
      out.push(line)
      if (ends(fence, line)) fence = null
      continue
    }
    inList = listIndent(line, inList)
    fence = begins(line, inList)
    if (fence === null) prose.push(line)
    else {
      tell()
      out.push(line)
    }
  }
  tell()
  return fence === null ? out.join('\n') : [...out, `${fence.prefix}${fence.mark}`].join('\n')
}

/** `prefix` stands before each of its lines: the marks of a quotation, the indent of a list. */
type Fence = { mark: string; prefix: string }

const quotation = /^(?: {0,3}> ?)*/
const listMark = /^ *(?:[-*+]|\d{1,9}[.)]) +/

/** Where the text of the list that a line belongs to begins; 0 outside of one. */
function listIndent(line: string, before: number): number {
  const rest = line.slice(quotation.exec(line)?.[0].length)
  const mark = listMark.exec(rest)?.[0].length
  if (mark !== undefined && mark <= before + 6) return mark
  return rest.trim() === '' || rest.search(/\S/) >= Math.min(before, 2) ? before : 0
}

function begins(line: string, inList: number): Fence | null {
  const quoted = quotation.exec(line)?.[0] ?? ''
  const rest = line.slice(quoted.length)
  const marked = listMark.exec(rest)?.[0] ?? ''
  const [, indent = '', mark, info = ''] = /^( *)(`{3,}|~{3,})(.*)$/.exec(rest.slice(marked.length)) ?? []
  if (mark === undefined || (mark.startsWith('`') && info.includes('`'))) return null
  // Further in it is a block of code by its indent.
  if (marked.length + indent.length > inList + 3) return null
  return { mark, prefix: quoted + ' '.repeat(marked.length + indent.length) }
}

function ends({ mark, prefix }: Fence, line: string): boolean {
  const rest = line.slice(quotation.exec(prefix)?.[0].length ?? 0).trim()
  return rest.length >= mark.length && [...rest].every((sign) => sign === mark[0])
}

/** True where the quotation is over, and its fence with it. */
function leaves({ prefix }: Fence, line: string): boolean {
  return prefix.includes('>') && !/^ {0,3}>/.test(line)
}

/**
 * A backslash before each sign that could begin a tag, a comment or the like, an image, or a link to what is no page;
 * addresses in brackets stay links. Who reads it is not asked before an image is loaded: of one a link to it is left.
 */
function harmless(text: string): string {
  return text
    .split(/(\n[ \t]*\n)/)
    .map((paragraph) => paragraph.replace(hasWholeCode(paragraph) ? orCode : orEscape, escaped))
    .join('')
}

function escaped(found: string, ...groups: unknown[]): string {
  if (found === '<') return '\\<'
  if (found === '![') return '\\!['
  const { opens, to } = groups.at(-1) as { opens?: string; to?: string }
  if (opens === undefined) return found
  // Its name must be plain: an entity or a backslash can hide the colon that makes another scheme of it.
  if (to !== undefined && /^(?:https?:\/\/|mailto:|[^:&\\/?#]*(?:[/?#]|$))/i.test(to)) return found
  return `]\\${found.slice(1)}`
}

/**
 * Whether code between backticks ends in the line in which it begins, and in a table in its cell: only then is it code
 * whatever the lines are, since a heading, a list or a row of a table that begins in between would end it.
 */
function hasWholeCode(paragraph: string): boolean {
  const table = /^[ \t>]*(?:\|[ \t]*:?-|:?-+:?[ \t]*\|)/m.test(paragraph)
  const parts = paragraph.split(table ? /\n|\|/ : '\n')
  return parts.every((part) => !part.replace(code, '').includes('`'))
}

const code = /\\[\s\S]|(`+)(?!`)[\s\S]{0,2000}?(?<!`)\1(?!`)/g
const signs =
  /<(?:https?:\/\/|mailto:)[^\s<>]*>|<(?=[a-z/!?])|!\[|(?<opens>\][(:])(?=[ \t]*(?:\n[ \t>]*)?(?:<[ \t]*)?(?<to>[^\s<>()"']*))/
/** What is escaped already, code (none is longer, and looking further would take for ever), an address; or else the sign. */
const orCode = new RegExp(`${code.source}|\`+|${signs.source}`, 'gi')
const orEscape = new RegExp(`\\\\[\\s\\S]|${signs.source}`, 'gi')
