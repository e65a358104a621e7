/** Words of a command line as bash would take their quotes away: for rule texts, which are literal, and for partly literal sources. */

/** A word with its quotes removed; `quoted` tells `*` from `'*'`. */
export type Word = { value: string; quoted: boolean }

export type WordSplit = { ok: true; words: Word[] } | { ok: false; problem: string }

/** Splits literal words. What bash would expand or take for an operator is a problem, named with its remedy. */
export function splitWords(text: string): WordSplit {
  const words: Word[] = []
  let i = 0
  while (i < text.length) {
    if (isBlank(text[i] as string)) {
      i++
      continue
    }
    const word = readWord(text, i)
    if (word.problem !== null) return { ok: false, problem: word.problem }
    words.push({ value: word.value, quoted: word.quoted })
    i = word.end
  }
  return { ok: true, words }
}

/**
 * The words of a simple command's source, null for each that bash would expand. Ends at the first operator; leading
 * assignments are left out. For refusals only: what it cannot read it does not vouch for.
 */
export function looseWords(source: string): (string | null)[] {
  const words: (string | null)[] = []
  let i = 0
  let leading = true
  while (i < source.length) {
    const character = source[i] as string
    if (isBlank(character) || character === '\n') {
      i++
      continue
    }
    if (character === '\\' && source[i + 1] === '\n') {
      i += 2
      continue
    }
    if (';&|<>()'.includes(character)) break
    const word = readLoose(source, i)
    i = word.end
    if (leading && word.assignment) continue
    leading = false
    words.push(word.value)
  }
  return words
}

/** `looseWords` of a command's text, read once however many rules and tables ask about that command. */
export function looseWordsOf(need: { text: string }): readonly (string | null)[] {
  const known = readNeeds.get(need)
  if (known?.text === need.text) return known.words
  const words = looseWords(need.text)
  readNeeds.set(need, { text: need.text, words })
  return words
}

const readNeeds = new WeakMap<object, { text: string; words: readonly (string | null)[] }>()

/** `word` as it must stand in a command line or a rule to mean exactly itself. */
export function quoteWord(word: string): string {
  if (word !== '' && /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(word)) return word
  return `'${word.replaceAll("'", "'\\''")}'`
}

type ReadWord = { value: string; quoted: boolean; end: number; problem: string | null }

function readWord(text: string, start: number): ReadWord {
  let value = ''
  let quoted = false
  let i = start
  const fail = (problem: string): ReadWord => ({ value, quoted, end: i, problem })
  while (i < text.length) {
    const character = text[i] as string
    if (isBlank(character)) break
    if (character === "'") {
      const close = text.indexOf("'", i + 1)
      if (close === -1) return fail("a single quote ' is not closed")
      value += text.slice(i + 1, close)
      quoted = true
      i = close + 1
    } else if (character === '"') {
      const inner = readDouble(text, i)
      if (inner.problem !== null) return fail(inner.problem)
      value += inner.value
      quoted = true
      i = inner.end
    } else if (character === '\\') {
      if (i + 1 >= text.length) return fail('it ends in a backslash')
      if (text[i + 1] !== '\n') value += text[i + 1]
      quoted = true
      i += 2
    } else if (';&|<>()\n\r'.includes(character)) {
      return fail(`${character.trim() === '' ? 'a line break' : `"${character}"`} ${operatorAdvice}`)
    } else if (character === '$' || character === '`' || (character === '~' && i === start)) {
      return fail(`"${character}" ${expansionAdvice}`)
    } else {
      value += character
      i++
    }
  }
  return { value, quoted, end: i, problem: null }
}

function readDouble(text: string, start: number): { value: string; end: number; problem: string | null } {
  let value = ''
  for (let i = start + 1; i < text.length; i++) {
    const character = text[i] as string
    if (character === '"') return { value, end: i + 1, problem: null }
    if (character === '$' || character === '`') {
      return { value, end: i, problem: `"${character}" ${expansionAdvice}` }
    }
    if (character === '\\' && i + 1 < text.length && '"\\$`\n'.includes(text[i + 1] as string)) {
      i++
      if (text[i] !== '\n') value += text[i]
    } else value += character
  }
  return { value, end: text.length, problem: 'a double quote " is not closed' }
}

const operatorAdvice =
  'joins or redirects commands, but a rule covers one command: write one rule for each, or quote it'
const expansionAdvice =
  'would be expanded by bash, and a rule is compared with literal words only: put it in single quotes to mean itself'

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t'
}

function readLoose(text: string, start: number): { value: string | null; end: number; assignment: boolean } {
  let value: string | null = ''
  let i = start
  let literalName = true
  let assignment = false
  const add = (piece: string) => {
    if (value !== null) value += piece
  }
  while (i < text.length) {
    const character = text[i] as string
    if (isBlank(character) || ';&|<>()\n'.includes(character)) break
    if (character === '$' && text[i + 1] === '"') {
      i++
      continue
    }
    if (character === "'") {
      const close = text.indexOf("'", i + 1)
      if (close === -1) return { value: null, end: text.length, assignment: false }
      add(text.slice(i + 1, close))
      literalName = false
      i = close + 1
    } else if (character === '"') {
      const inner = readDouble(text, i)
      if (inner.problem === null) {
        add(inner.value)
        i = inner.end
      } else {
        value = null
        i = skipDouble(text, i)
      }
      literalName = false
    } else if (character === '\\') {
      if (text[i + 1] !== undefined && text[i + 1] !== '\n') add(text[i + 1] as string)
      literalName = false
      i += 2
    } else if (character === '$' || character === '`') {
      value = null
      i = skipExpansion(text, i)
    } else if ('*?[{'.includes(character)) {
      value = null
      i++
    } else {
      if (character === '=' && literalName && !assignment && /^[A-Za-z_]\w*\+?$/.test(text.slice(start, i))) {
        assignment = true
      }
      add(character)
      i++
    }
  }
  return { value, end: Math.max(i, start + 1), assignment }
}

function skipDouble(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === '"') return i + 1
    else if (text[i] === '$' || text[i] === '`') i = skipExpansion(text, i) - 1
  }
  return text.length
}

/** The end of `$x`, `${…}`, `$(…)` or a backtick pair; brackets are counted, not parsed. */
function skipExpansion(text: string, start: number): number {
  if (text[start] === '`') {
    const close = text.indexOf('`', start + 1)
    return close === -1 ? text.length : close + 1
  }
  const open = text[start + 1]
  if (open !== '(' && open !== '{') return start + 1
  const shut = open === '(' ? ')' : '}'
  let depth = 0
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === open) depth++
    else if (text[i] === shut && --depth === 0) return i + 1
  }
  return text.length
}
