/** Takes one rule out of a JSONC text and leaves every other character of it alone. */
import { createScanner, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { lineAt } from './read-rules.ts'

/** What is to go: the rule as it is written there, in the list of its verdict; of several the one at `line`, from 1. */
export type RulePlace = { verdict: 'allow' | 'ask' | 'deny'; text: string; line: number }

/**
 * The text without that rule: its item goes, with its comma and with the comment behind it on its line. Comments on lines
 * of their own stay. Null when the rule is not there, or the text is no JSONC object.
 */
export function removeRule(text: string, place: RulePlace): string | null {
  const errors: ParseError[] = []
  // As long as the mark, so that offsets stay.
  const body = text.startsWith('\ufeff') ? ` ${text.slice(1)}` : text
  const root = parseTree(body, errors, { allowTrailingComma: true })
  if (root === undefined || errors.length > 0 || root.type !== 'object') return null
  const found = valuesOf(root, 'permissions')
    .flatMap((section) => valuesOf(section, place.verdict))
    .flatMap((list) => (list.type === 'array' ? (list.children ?? []).map((item) => ({ list, item })) : []))
    .filter(({ item }) => ruleOf(item) === place.text)
  const chosen = found.find(({ item }) => lineAt(body, item.offset) === place.line) ?? found[0]
  if (chosen === undefined) return null
  return cut(text, body, chosen.list, chosen.item)
}

// The parser's SyntaxKind is a const enum, which modules compiled one by one cannot read.
const commaToken: number = 5
const lineComment: number = 12
const blockComment: number = 13
const lineBreak: number = 14
const blanks: number = 15

function valuesOf(node: Node, key: string): Node[] {
  if (node.type !== 'object') return []
  return (node.children ?? []).flatMap((child) => {
    const [name, value] = child.children ?? []
    return name?.value === key && value !== undefined ? [value] : []
  })
}

function ruleOf(item: Node): unknown {
  if (item.type !== 'object') return item.value
  return valuesOf(item, 'rule').at(-1)?.value
}

function cut(text: string, body: string, list: Node, item: Node): string {
  const siblings = list.children ?? []
  const at = siblings.indexOf(item)
  const before = siblings[at - 1]
  const after = siblings[at + 1]
  const close = list.offset + list.length - 1
  let start = item.offset
  let end = item.offset + item.length
  const comma = nextComma(body, end, after?.offset ?? close)
  if (comma !== null) end = comma + 1
  const lineStart = body.lastIndexOf('\n', item.offset - 1) + 1
  const ownLine = lineStart > list.offset && body.slice(lineStart, item.offset).trim() === ''
  const rest = endOfLine(body, end, close)
  if (ownLine && rest !== null) {
    start = lineStart
    end = rest
  } else if (after !== undefined) {
    while (/[ \t]/.test(body[end] ?? '') && end < after.offset) end++
  } else {
    while (start > list.offset + 1 && /[ \t]/.test(body[start - 1] ?? '')) start--
  }
  let out = text.slice(0, start) + text.slice(end)
  // The comma before the last item goes as well, unless the list is written with one there anyway.
  if (after === undefined && before !== undefined && comma === null) {
    const lead = nextComma(body, before.offset + before.length, item.offset)
    if (lead !== null) out = out.slice(0, lead) + out.slice(lead + 1)
  }
  return out
}

/** The comma between two items, past comments; null when there is none before `until`. */
function nextComma(text: string, from: number, until: number): number | null {
  const scanner = createScanner(text, true)
  scanner.setPosition(from)
  return scanner.scan() === commaToken && scanner.getTokenOffset() < until ? scanner.getTokenOffset() : null
}

/** Behind the line end when only blanks and a comment stand there; null when something else does. */
function endOfLine(text: string, from: number, close: number): number | null {
  const scanner = createScanner(text)
  scanner.setPosition(from)
  for (;;) {
    const token = scanner.scan()
    const at = scanner.getTokenOffset()
    if (at >= close) return null
    if (token === lineBreak) return at + scanner.getTokenLength()
    if (token === blockComment && text.slice(at, at + scanner.getTokenLength()).includes('\n')) return null
    if (token !== blanks && token !== lineComment && token !== blockComment) return null
  }
}
