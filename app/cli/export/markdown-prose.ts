/** Markdown that somebody wrote, made fit to stand in a document: its HTML is text, and a fence left open ends with it; pure. */
import { plainText } from './plain-text.ts'

/** Code stays as it is, in fences and between backticks. */
export function proseText(text: string): string {
  const out: string[] = []
  /** Lines of prose up to the next fence: code between backticks may go over their ends. */
  let prose: string[] = []
  let fence: Fence | null = null
  let inList = 0
  const tell = () => {
    if (prose.length > 0) out.push(withoutHtml(prose.join('\n')))
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

/** A backslash before each sign that could begin a tag, a comment or the like; addresses in brackets stay links. */
function withoutHtml(text: string): string {
  return text
    .split(/(\n[ \t]*\n)/)
    .map((paragraph) => paragraph.replace(kept, (found) => (found === '<' ? '\\<' : found)))
    .join('')
}

/** What is escaped already, code (none is longer, and looking further would take for ever), an address; or else the sign. */
const kept = /\\[\s\S]|(`+)(?!`)[\s\S]{0,2000}?(?<!`)\1(?!`)|`+|<(?:https?:\/\/|mailto:)[^\s<>]*>|<(?=[a-z/!?])/gi
