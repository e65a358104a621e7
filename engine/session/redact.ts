/** Keeps secrets out of records: known shapes and the keys in use are replaced by a mark that says what stood there. */
import { replaceKeyBlocks } from './key-blocks.ts'
import { secretShapes } from './secret-shapes.ts'

export type RedactOptions = {
  /** Keys in use by name; their values never stay, whatever else is set. Values under eight characters are no keys. */
  keys?: readonly { name: string; value: string }[]
  /** False leaves well-known shapes as they are. */
  shapes?: boolean
  /** More that must not be recorded; each expression is applied as it is, with the flag `g` added. */
  patterns?: readonly RegExp[]
}

/** Pure: the same text gives the same result. */
export type Redactor = {
  text(text: string): string
  /** A copy with every string redacted, names of fields too; the value itself when there was nothing to redact. */
  value<T>(value: T): T
}

/** What stands for a secret of this kind. */
export function redactionMark(kind: string): string {
  return `[redacted: ${kind}]`
}

export function createRedactor(options: RedactOptions = {}): Redactor {
  const keys = (options.keys ?? []).filter((key) => key.value.length >= shortestKey)
  // A key that contains another one goes first, or its rest would stay.
  keys.sort((a, b) => b.value.length - a.value.length)
  const patterns = (options.patterns ?? []).map((pattern) =>
    pattern.flags.includes('g') ? pattern : new RegExp(pattern.source, `${pattern.flags}g`),
  )
  const shapes = options.shapes ?? true
  /** A large change is recorded more than once: as it is proposed, and as it is asked about. */
  const cleaned = new WeakMap<readonly unknown[], readonly unknown[]>()

  function text(whole: string): string {
    if (whole.length < shortestKey) return whole
    let kept = whole
    for (const { name, value } of keys) {
      if (kept.includes(value)) kept = kept.replaceAll(value, () => redactionMark(name))
    }
    if (shapes) {
      kept = replaceKeyBlocks(kept, redactionMark('private key'))
      for (const shape of secretShapes) {
        if (!shape.hints.some((hint) => kept.includes(hint))) continue
        const mark = redactionMark(shape.kind)
        kept = kept.replace(shape.pattern, (found) => (shape.accepts?.(found) === false ? found : mark))
      }
    }
    for (const pattern of patterns) {
      kept = kept.replace(pattern, (found) => (found === '' || isMark(found) ? found : redactionMark('own pattern')))
    }
    return kept
  }

  function value<T>(whole: T): T {
    if (typeof whole === 'string') return text(whole) as T
    if (whole === null || typeof whole !== 'object') return whole
    if (Array.isArray(whole)) {
      const known = cleaned.get(whole)
      if (known !== undefined) return known as T
      if (hasLines(whole) && whole.length >= manyLines) {
        const kept = nothingIn(whole) ? whole : items(whole)
        cleaned.set(whole, kept)
        return kept as T
      }
      return items(whole) as T
    }
    let changed = false
    const fields: [string, unknown][] = []
    for (const [name, field] of Object.entries(whole)) {
      const clean: [string, unknown] = [text(name), value(field)]
      changed ||= clean[0] !== name || clean[1] !== field
      fields.push(clean)
    }
    return changed ? (Object.fromEntries(fields) as T) : whole
  }

  function items(whole: readonly unknown[]): readonly unknown[] {
    const lines = shapes && hasLines(whole) ? linesWithoutKeyBlocks(whole) : whole
    const kept = lines.map((item) => value(item))
    return kept.some((item, i) => item !== whole[i]) ? kept : whole
  }

  /** Whether lines certainly hold nothing to redact: all of them are looked at as one text, once. */
  function nothingIn(lines: readonly Line[]): boolean {
    if (patterns.length > 0 || !lines.every(isPlainLine)) return false
    const joined = lines.map((line) => line.text).join('\n')
    if (keys.some((key) => joined.includes(key.value))) return false
    return !shapes || !(joined.includes('-----BEGIN ') || anyHint.test(joined))
  }

  return { text, value }
}

/** What kinds of secrets were left out of a record, with how often; for telling a person who goes on with it. */
export function countRedactions(record: unknown): Map<string, number> {
  const found = new Map<string, number>()
  const visit = (value: unknown): void => {
    if (typeof value === 'string') {
      for (const [, kind = ''] of value.matchAll(marks)) found.set(kind, (found.get(kind) ?? 0) + 1)
    } else if (value !== null && typeof value === 'object') {
      for (const field of Object.values(value)) visit(field)
    }
  }
  visit(record)
  return found
}

const shortestKey = 8
/** From so many lines on they are looked at together. */
const manyLines = 50
const anyHint = new RegExp(
  secretShapes
    .flatMap((shape) => shape.hints)
    .map((hint) => hint.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('|'),
)
const marks = /\[redacted: ([^\]\n]{1,60})\]/g

function isMark(text: string): boolean {
  return /^\[?redacted/.test(text)
}

type Line = { text: string }

/** Lines of a diff: a key block is spread over them, one line each. */
function hasLines(items: readonly unknown[]): items is Line[] {
  const first = items[0]
  return first !== null && typeof first === 'object' && typeof (first as Partial<Line>).text === 'string'
}

/** A line of a diff with no other words in it than its text. */
function isPlainLine(line: Line): boolean {
  // Not Object.entries: there may be a hundred thousand lines.
  for (const name in line) {
    const field = (line as Record<string, unknown>)[name]
    if (typeof field === 'object') return false
    if (typeof field === 'string' && name !== 'text' && !plainKinds.has(field)) return false
  }
  return typeof line.text === 'string'
}

const plainKinds: ReadonlySet<string> = new Set(['context', 'add', 'del'])

/** Lines of a key block are replaced one by one, so that the diff keeps its number of lines. */
function linesWithoutKeyBlocks(lines: readonly Line[]): readonly Line[] {
  if (!lines.some((line) => typeof line.text === 'string' && line.text.includes('-----BEGIN '))) return lines
  const mark = redactionMark('private key')
  const joined = lines.map((line) => (typeof line.text === 'string' ? line.text.replaceAll('\n', ' ') : '')).join('\n')
  const kept = replaceKeyBlocks(joined, mark, true).split('\n')
  return lines.map((line, i) => {
    const now = kept[i] ?? line.text
    return now === line.text || !now.includes(mark) ? line : { ...line, text: now }
  })
}
