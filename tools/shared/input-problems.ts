/** What was wrong with a tool call's input, in sentences that a model can act on. */
import { type JsonSchema, shorten } from '@sluice/engine/protocol'
import type { ZodIssue } from 'zod/v3'

/** One sentence: the field, what it must be and what came instead; a missing field names the key that was probably meant. */
export function problemSentence(issue: ZodIssue, input: unknown, schema: JsonSchema): string {
  const field = fieldName(issue.path)
  const value = valueAt(input, issue.path)
  switch (issue.code) {
    case 'invalid_type':
      if (value === undefined && issue.path.length > 0) return missing(issue, input, schema)
      return `${field} must be ${kind(issue.expected)}, but ${describe(value)} was sent.`
    case 'invalid_enum_value':
      return `${field} must be one of ${issue.options.map((o) => JSON.stringify(o)).join(', ')}, but ${describe(value)} was sent.`
    case 'invalid_literal':
      return `${field} must be ${JSON.stringify(issue.expected)}, but ${describe(value)} was sent.`
    case 'too_small':
    case 'too_big':
      return `${field} must ${bound(issue)}, but ${describe(value)} was sent.`
    case 'invalid_union': {
      const ways = issue.unionErrors.flatMap((e) => e.issues).map((i) => problemSentence(i, input, schema))
      return `${field} fits none of its forms: ${[...new Set(ways)].join(' ')}`
    }
    case 'unrecognized_keys':
      return `${field} has unknown keys: ${issue.keys.map((k) => `\`${k}\``).join(', ')}.`
    default:
      return `${field} is not valid (${issue.message}); ${describe(value)} was sent.`
  }
}

/** The value at a path of keys and indices; undefined where the path leads nowhere. */
export function valueAt(input: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    input,
  )
}

function missing(issue: ZodIssue & { code: 'invalid_type' }, input: unknown, schema: JsonSchema): string {
  const key = String(issue.path[issue.path.length - 1])
  const owner = valueAt(input, issue.path.slice(0, -1))
  const sentence = `${fieldName(issue.path)} is missing: it must be ${kind(issue.expected)}`
  const known = new Set(Object.keys(propertiesAt(schema, issue.path.slice(0, -1))))
  const unknown = Object.keys(owner as object).filter((k) => !known.has(k))
  const meant = closestKey(key, unknown)
  if (meant !== undefined) return `${sentence}; \`${meant}\` was sent, did you mean \`${key}\`?`
  if (unknown.length > 0) return `${sentence}; unknown keys were sent: ${unknown.map((k) => `\`${k}\``).join(', ')}.`
  return `${sentence}.`
}

function propertiesAt(schema: JsonSchema, path: readonly (string | number)[]): object {
  let node: JsonSchema | undefined = schema
  for (const key of path) {
    node = (typeof key === 'number' ? node?.items : (node?.properties as JsonSchema | undefined)?.[key]) as
      | JsonSchema
      | undefined
  }
  return (node?.properties ?? {}) as object
}

/** The unknown key that shares a word with the wanted one, or differs by at most two letters. */
function closestKey(wanted: string, unknown: string[]): string | undefined {
  const words = wordsOf(wanted)
  const scored = unknown.map((key) => {
    const shared = wordsOf(key).filter((word) => words.includes(word)).length
    const distance = editDistance(wanted.toLowerCase(), key.toLowerCase())
    return { key, score: shared > 0 ? shared * 10 - distance / 100 : distance <= 2 ? 5 - distance : 0 }
  })
  const best = scored.filter((s) => s.score > 0).sort((a, b) => b.score - a.score)[0]
  return best?.key
}

function wordsOf(key: string): string[] {
  return key
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
}

/** Levenshtein distance in UTF-16 units. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

function fieldName(path: readonly (string | number)[]): string {
  if (path.length === 0) return 'The input'
  return `\`${path.map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? key : `.${key}`)).join('')}\``
}

function kind(expected: string): string {
  const names: Record<string, string> = {
    string: 'a string',
    number: 'a number',
    integer: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
  }
  return names[expected] ?? expected
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  if (typeof value === 'object') return 'an object'
  if (typeof value !== 'string') return `${typeof value === 'boolean' ? '' : 'the number '}${value}`
  if (value === '') return 'an empty string'
  return `the string ${JSON.stringify(shorten(value, 61))}`
}

function bound(issue: ZodIssue & { code: 'too_small' | 'too_big' }): string {
  const small = issue.code === 'too_small'
  const limit = small ? issue.minimum : issue.maximum
  if (issue.type === 'string') return `be ${small ? 'at least' : 'at most'} ${limit} characters long`
  if (issue.type === 'array')
    return `have ${small ? 'at least' : 'at most'} ${limit} ${limit === 1 ? 'entry' : 'entries'}`
  if (small) return `be ${issue.inclusive ? 'at least' : 'more than'} ${limit}`
  return `be ${issue.inclusive ? 'at most' : 'less than'} ${limit}`
}
