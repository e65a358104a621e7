/** Path patterns of rules: `*` and `?` within a name, `**` across folders, `{a,b}`, `\` before a literal character. */
import { foldPath, type Place } from './paths.ts'

/** One name of a path: any number of names, a literal, or one with wildcards. */
type Segment = '**' | { literal: string } | { wild: Atom[] }
type Atom = { any: true } | { one: true } | { text: string }

/** A parsed pattern; `from` is where its first name stands. */
export type PathPattern = { source: string; from: 'cwd' | 'home' | 'root'; choices: Segment[][] }

export type PathPatternParse = { ok: true; pattern: PathPattern } | { ok: false; problem: string }

/** Reads `src/**`, `~/notes/*.md`, `/abs/file`, `//abs/file`. A trailing `/` stands for the folder and all below it. */
export function parsePathPattern(source: string): PathPatternParse {
  const text = source.trim()
  if (text === '') return { ok: false, problem: 'the path pattern is empty' }
  if (text.length > maxLength) return { ok: false, problem: `the path pattern is longer than ${maxLength} characters` }
  if (/[\0\n\r]/.test(text)) return { ok: false, problem: 'the path pattern has a line break or a NUL in it' }
  if (text.startsWith('~') && text !== '~' && !text.startsWith('~/')) {
    return { ok: false, problem: "only your own home folder can be written with ~; write another user's home in full" }
  }
  const from = text.startsWith('/') ? 'root' : text.startsWith('~') ? 'home' : 'cwd'
  const body = from === 'home' ? text.slice(1) : text
  const spelled = expandBraces(body)
  if (spelled === null) return { ok: false, problem: `the braces stand for more than ${maxChoices} paths` }
  const choices: Segment[][] = []
  for (const one of spelled) {
    const segments = parseSegments(one)
    if (typeof segments === 'string') return { ok: false, problem: segments }
    choices.push(segments)
  }
  return { ok: true, pattern: { source: text, from, choices } }
}

/**
 * True when the absolute, normalised `path` is one that the pattern names. With `fold` names are compared the way a
 * file system that ignores case would: for refusals, where a near miss must not slip through.
 */
export function matchesPath(pattern: PathPattern, path: string, place: Place, fold: boolean): boolean {
  const base = pattern.from === 'cwd' ? place.cwd : pattern.from === 'home' ? place.home : '/'
  const names = splitPath(fold ? foldPath(path) : path)
  return pattern.choices.some((choice) => matchSegments(standing(base, choice), names, fold))
}

/** The pattern as a path, each wildcard replaced by `filler`: for questions about what a pattern names by itself. */
export function samplePath(pattern: PathPattern, place: Place, filler = 'x'): string {
  const base = pattern.from === 'cwd' ? place.cwd : pattern.from === 'home' ? place.home : '/'
  const names = standing(base, pattern.choices[0] ?? []).map((segment) => {
    if (segment === '**') return filler
    if ('literal' in segment) return segment.literal
    return segment.wild.map((atom) => ('text' in atom ? atom.text : filler)).join('')
  })
  return `/${names.join('/')}`
}

/** `path` as a pattern that names exactly it. */
export function escapePath(path: string): string {
  return path.replace(/[\\*?{}]/g, (character) => `\\${character}`)
}

const maxLength = 1000
const maxChoices = 64

function splitPath(path: string): string[] {
  return path.split('/').filter((name) => name !== '')
}

function standing(base: string, segments: Segment[]): Segment[] {
  const whole: Segment[] = splitPath(base).map((literal) => ({ literal }))
  for (const segment of segments) {
    if (segment !== '**' && 'literal' in segment) {
      if (segment.literal === '.') continue
      if (segment.literal === '..') {
        whole.pop()
        continue
      }
    }
    whole.push(segment)
  }
  return whole
}

function parseSegments(text: string): Segment[] | string {
  const segments: Segment[] = []
  let wildBefore = false
  let body = text
  if (body.length > 1 && body.endsWith('/') && !body.endsWith('\\/')) body += '**'
  for (const raw of body.split('/')) {
    if (raw === '') continue
    if (raw === '**') {
      if (segments[segments.length - 1] !== '**') segments.push('**')
      wildBefore = true
      continue
    }
    const atoms = parseAtoms(raw)
    if (atoms === null) return 'the path pattern ends in a backslash'
    if (atoms.every((atom) => 'text' in atom)) {
      const literal = atoms.map((atom) => atom.text).join('')
      if (literal === '..' && wildBefore) return '".." cannot follow a wildcard'
      segments.push({ literal })
    } else {
      segments.push({ wild: atoms })
      wildBefore = true
    }
  }
  return segments
}

function parseAtoms(raw: string): Atom[] | null {
  const atoms: Atom[] = []
  let text = ''
  const flush = () => {
    if (text !== '') atoms.push({ text })
    text = ''
  }
  for (let i = 0; i < raw.length; i++) {
    const character = raw[i] as string
    if (character === '\\') {
      i++
      if (i >= raw.length) return null
      text += raw[i]
    } else if (character === '*') {
      flush()
      const last = atoms[atoms.length - 1]
      if (!last || !('any' in last)) atoms.push({ any: true })
    } else if (character === '?') {
      flush()
      atoms.push({ one: true })
    } else text += character
  }
  flush()
  return atoms
}

/** The texts that `{a,b}` stands for; null when they are too many. Braces without a comma are literal. */
function expandBraces(text: string): string[] | null {
  const group = firstGroup(text)
  if (group === null) return [text]
  const before = text.slice(0, group.start)
  const rests = expandBraces(text.slice(group.end))
  if (rests === null) return null
  const all: string[] = []
  for (const option of group.options) {
    const inner = expandBraces(option)
    if (inner === null) return null
    for (const one of inner) {
      for (const rest of rests) {
        if (all.length >= maxChoices) return null
        all.push(before + one + rest)
      }
    }
  }
  return all
}

function firstGroup(text: string): { start: number; end: number; options: string[] } | null {
  for (let start = 0; start < text.length; start++) {
    if (text[start] === '\\') {
      start++
      continue
    }
    if (text[start] !== '{') continue
    const options: string[] = []
    let depth = 0
    let from = start + 1
    for (let i = start; i < text.length; i++) {
      const character = text[i]
      if (character === '\\') i++
      else if (character === '{') depth++
      else if (character === ',' && depth === 1) {
        options.push(text.slice(from, i))
        from = i + 1
      } else if (character === '}') {
        depth--
        if (depth > 0) continue
        if (options.length === 0) break
        options.push(text.slice(from, i))
        return { start, end: i + 1, options }
      }
    }
  }
  return null
}

/** Both walks go back only to the last wildcard they passed: time grows with pattern times path, never faster. */
function matchSegments(pattern: Segment[], names: string[], fold: boolean): boolean {
  let p = 0
  let n = 0
  let star = -1
  let starName = 0
  while (n < names.length) {
    const segment = pattern[p]
    if (segment === '**') {
      star = p++
      starName = n
    } else if (segment !== undefined && matchName(segment, names[n] as string, fold)) {
      p++
      n++
    } else if (star !== -1) {
      p = star + 1
      n = ++starName
    } else return false
  }
  while (pattern[p] === '**') p++
  return p === pattern.length
}

function matchName(segment: Exclude<Segment, '**'>, name: string, fold: boolean): boolean {
  if ('literal' in segment) return (fold ? foldPath(segment.literal) : segment.literal) === name
  const pattern = atomsAsCharacters(segment.wild, fold)
  const characters = [...name]
  let p = 0
  let c = 0
  let star = -1
  let starCharacter = 0
  while (c < characters.length) {
    const atom = pattern[p]
    if (atom === anyRun) {
      star = p++
      starCharacter = c
    } else if (atom === anyOne || (atom !== undefined && atom === characters[c])) {
      p++
      c++
    } else if (star !== -1) {
      p = star + 1
      c = ++starCharacter
    } else return false
  }
  while (pattern[p] === anyRun) p++
  return p === pattern.length
}

const anyRun = Symbol('any run of characters')
const anyOne = Symbol('any one character')

function atomsAsCharacters(atoms: Atom[], fold: boolean): (string | symbol)[] {
  return atoms.flatMap((atom): (string | symbol)[] => {
    if ('any' in atom) return [anyRun]
    if ('one' in atom) return [anyOne]
    return [...(fold ? foldPath(atom.text) : atom.text)]
  })
}
