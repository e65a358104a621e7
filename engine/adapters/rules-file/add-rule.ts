/** Puts one more rule into a JSONC text and leaves every other character of it alone. */
import { applyEdits, createScanner, type Edit, type Node, type ParseError, parseTree } from 'jsonc-parser'

/**
 * The text with `rule` at the end of its list in `permissions`; what is missing on the way is made. Null when the text is no
 * JSONC object, or when something else stands where the list should be: nothing is ever overwritten.
 */
export function addRule(text: string, rule: string, list: 'allow' | 'ask' | 'deny' = 'allow'): string | null {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  const body = text.slice(mark.length)
  const style = styleOf(body)
  const errors: ParseError[] = []
  const root = parseTree(body, errors, { allowTrailingComma: true })
  if (root === undefined) {
    if (/^\s*$/.test(body)) return `${mark}${laidOut({ permissions: { [list]: [rule] } }, '', style)}${style.eol}`
    // Comments alone are kept above the new object.
    return errors.every((error) => error.offset >= body.trimEnd().length)
      ? `${mark}${body.trimEnd()}${style.eol}${laidOut({ permissions: { [list]: [rule] } }, '', style)}${style.eol}`
      : null
  }
  if (errors.length > 0 || root.type !== 'object') return null
  const permissions = lastProperty(root, 'permissions')
  if (permissions === undefined) return mark + append(body, root, 'permissions', { [list]: [rule] }, style)
  if (permissions.type !== 'object') return null
  const known = lastProperty(permissions, list)
  if (known === undefined) return mark + append(body, permissions, list, [rule], style)
  return known.type === 'array' ? mark + append(body, known, null, rule, style) : null
}

// The parser's SyntaxKind is a const enum, which modules compiled one by one cannot read.
const commaToken: number = 5
const lineComment: number = 12
const blockComment: number = 13
const lineBreak: number = 14
const blanks: number = 15
const endOfText: number = 17

type Style = { unit: string; eol: string }

function styleOf(text: string): Style {
  const indented = /\n([ \t]+)\S/.exec(text)?.[1]
  return { unit: indented?.startsWith('\t') ? '\t' : (indented ?? '  '), eol: text.includes('\r\n') ? '\r\n' : '\n' }
}

function lastProperty(object: Node, key: string): Node | undefined {
  return object.children?.filter((child) => child.children?.[0]?.value === key).at(-1)?.children?.[1]
}

function laidOut(value: unknown, indent: string, { unit, eol }: Style): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', eol + indent)
}

/** Adds an item to an array (`key` null) or a property to an object, in the layout that the container already has. */
function append(text: string, container: Node, key: string | null, value: unknown, style: Style): string {
  const close = container.offset + container.length - 1
  const last = container.children?.at(-1)
  const named = (content: string) => (key === null ? content : `${JSON.stringify(key)}: ${content}`)
  const inside = text.slice(container.offset + 1, close)
  if (last && !inside.includes('\n')) {
    const { comma, end } = afterItem(text, last, close)
    const item = named(JSON.stringify(value))
    return applyEdits(text, [insertion(end, comma === null ? `, ${item}` : ` ${item}`)])
  }
  const outer = indentAt(text, close)
  const indent = last ? indentAt(text, last.offset) : outer + style.unit
  const item = named(laidOut(value, indent, style))
  if (!last) {
    const at = lastCommentEnd(text, container.offset + 1, close)
    const before = text.slice(at, close)
    const tail = before.includes('\n') ? '' : style.eol + outer
    const replaced: Edit = {
      offset: at,
      length: before.includes('\n') ? 0 : before.length,
      content: `${style.eol}${indent}${item}${tail}`,
    }
    return applyEdits(text, [replaced])
  }
  const { comma, end } = afterItem(text, last, close)
  const tail = text.slice(end, close).includes('\n') ? '' : style.eol + outer
  const edits: Edit[] = [insertion(end, `${style.eol}${indent}${item}${comma === null ? '' : ','}${tail}`)]
  if (comma === null) edits.unshift(insertion(last.offset + last.length, ','))
  return applyEdits(text, edits)
}

function insertion(offset: number, content: string): Edit {
  return { offset, length: 0, content }
}

/** Where an item's line ends, with its comma and the comments on that line; `comma` is the comma's offset, if there is one. */
function afterItem(text: string, item: Node, close: number): { comma: number | null; end: number } {
  const scanner = createScanner(text)
  let end = item.offset + item.length
  let comma: number | null = null
  scanner.setPosition(end)
  for (let token = scanner.scan(); token !== endOfText; token = scanner.scan()) {
    const at = scanner.getTokenOffset()
    if (at >= close || token === lineBreak) {
      if (comma !== null || at >= close) break
      // The comma may follow on a later line.
      const later = nextComma(text, at, close)
      if (later === null) break
      comma = later
      end = later + 1
      break
    }
    if (token === commaToken) comma = at
    if (token === blanks) continue
    end = at + scanner.getTokenLength()
  }
  return { comma, end }
}

function nextComma(text: string, from: number, close: number): number | null {
  const scanner = createScanner(text, true)
  scanner.setPosition(from)
  return scanner.scan() === commaToken && scanner.getTokenOffset() < close ? scanner.getTokenOffset() : null
}

function lastCommentEnd(text: string, from: number, close: number): number {
  const scanner = createScanner(text)
  let end = from
  scanner.setPosition(from)
  for (let token = scanner.scan(); token !== endOfText; token = scanner.scan()) {
    if (scanner.getTokenOffset() >= close) break
    if (token === lineComment || token === blockComment) {
      end = scanner.getTokenOffset() + scanner.getTokenLength()
    }
  }
  return end
}

/** The blanks at the beginning of the line that `offset` is in. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}
