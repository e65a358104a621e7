/** A word that only the shell will know, as what it may become: braces and known variables written out, patterns kept. */

/** A piece of a word: literal text, `*`, one character (`?`, `[a-z]`), or anything at all. */
export type Piece = { type: 'text'; text: string } | { type: 'star' } | { type: 'one' } | { type: 'any' }

/** The values that variables are given on the line, and what is known of the surroundings. */
export type Known = { values: ReadonlyMap<string, readonly string[]>; cwd: string; home: string }

/** What the word's source may turn into, at most 64 ways; the rest is left to `any`. */
export function wordShapes(source: string, known: Known): Piece[][] {
  const shapes = expand(tokens(source, known), known)
  return shapes.length > mostShapes ? [[{ type: 'any' }], ...shapes.slice(0, mostShapes)] : shapes
}

const mostShapes = 64

/** Neighbouring texts as one. */
export function merged(shape: readonly Piece[]): Piece[] {
  const pieces: Piece[] = []
  for (const piece of shape) {
    const last = pieces.at(-1)
    if (piece.type === 'text' && last?.type === 'text')
      pieces[pieces.length - 1] = { type: 'text', text: last.text + piece.text }
    else pieces.push(piece)
  }
  return pieces
}

/** The text, when that is all there is. */
export function literalOf(shape: readonly Piece[]): string | null {
  if (shape.length === 0) return ''
  const [only] = shape
  return shape.length === 1 && only?.type === 'text' ? only.text : null
}

/** The shape between slashes; what may hold a slash itself stays in its segment. */
export function segments(shape: readonly Piece[]): Piece[][] {
  const found: Piece[][] = [[]]
  for (const piece of shape) {
    if (piece.type !== 'text') {
      found.at(-1)?.push(piece)
      continue
    }
    piece.text.split('/').forEach((text, at) => {
      if (at > 0) found.push([])
      if (text !== '') found.at(-1)?.push({ type: 'text', text })
    })
  }
  return found
}

/** Whether a name fits the pieces; `any` is taken for what stays within one name. Linear but for the last `*`, whoever chose both. */
export function fitsShape(name: string, shape: readonly Piece[]): boolean {
  const wanted: (string | symbol)[] = shape.flatMap((piece): (string | symbol)[] =>
    piece.type === 'text' ? [...piece.text] : [piece.type === 'one' ? one : many],
  )
  const letters = [...name]
  let at = 0
  let back: { want: number; at: number } | null = null
  let want = 0
  while (at < letters.length) {
    const next = wanted[want]
    if (next === many) {
      back = { want: ++want, at }
    } else if (next !== undefined && (next === one || next === letters[at])) {
      want++
      at++
    } else if (back !== null) {
      want = back.want
      at = ++back.at
    } else return false
  }
  return wanted.slice(want).every((rest) => rest === many)
}

const one = Symbol('one')
const many = Symbol('many')

/** The values that a line gives to variables: by assignment, and by `for NAME in …`. */
export function assignedValues(line: string): Map<string, string[]> {
  const values = new Map<string, string[]>()
  const add = (name: string, value: string) => {
    const all = values.get(name) ?? []
    if (all.length < 16) all.push(value.replace(/['"\\]/g, ''))
    values.set(name, all)
  }
  for (const [, name = '', value = ''] of line.matchAll(
    /(?<![\w$-])([A-Za-z_]\w*)\+?=((?:'[^']*'|"[^"]*"|\\.|[^\s;&|<>()'"])*)/g,
  )) {
    add(name, value)
  }
  for (const [, name = '', words = ''] of line.matchAll(/\bfor\s+([A-Za-z_]\w*)\s+in\s+([^;\n]*)/g)) {
    for (const word of words.trim().split(/\s+/)) add(name, word)
  }
  return values
}

type Token =
  | Piece
  | { type: 'variable'; name: string }
  | { type: 'default'; text: string }
  | { type: 'open' }
  | { type: 'comma' }
  | { type: 'close' }

function tokens(source: string, known: Known): Token[] {
  const found: Token[] = []
  const text = (added: string) => {
    const last = found.at(-1)
    if (last?.type === 'text') last.text += added
    else found.push({ type: 'text', text: added })
  }
  let quoted = false
  for (let at = 0; at < source.length; at++) {
    const character = source[at] as string
    if (character === "'" && !quoted) {
      const end = closing(source, at + 1, "'")
      text(source.slice(at + 1, end))
      at = end
    } else if (character === '"') quoted = !quoted
    else if (character === '\\') {
      at++
      if (source[at] !== '\n') text(source[at] ?? '')
    } else if (character === '`') {
      at = closing(source, at + 1, '`')
      found.push({ type: 'any' })
    } else if (character === '$') {
      const [token, end] = expansion(source, at, quoted, known)
      if (token.type === 'text') text(token.text)
      else found.push(token)
      at = end - 1
    } else if (quoted) text(character)
    else if (character === '~' && at === 0) {
      const here = /^~\+(?:\/|$)/.test(source)
      if (here) at++
      text(here ? known.cwd : /^~(?:\/|$)/.test(source) ? known.home : '~')
    } else if (character === '*') found.push({ type: 'star' })
    else if (character === '?') found.push({ type: 'one' })
    else if (character === '[') {
      const end = source.indexOf(']', at + 2)
      if (end < 0) text(character)
      else {
        found.push({ type: 'one' })
        at = end
      }
    } else if (character === '{') found.push({ type: 'open' })
    else if (character === ',') found.push({ type: 'comma' })
    else if (character === '}') found.push({ type: 'close' })
    else if (/[<>()]/.test(character)) return [...found, { type: 'any' }]
    else text(character)
  }
  return found
}

function closing(source: string, from: number, mark: string): number {
  const end = source.indexOf(mark, from)
  return end < 0 ? source.length : end
}

/** The expansion that begins at `at`, and where it ends. */
function expansion(source: string, at: number, quoted: boolean, known: Known): [Token, number] {
  const rest = source.slice(at)
  if (!quoted && rest.startsWith("$'")) {
    const end = closing(source, at + 2, "'")
    const body = source.slice(at + 2, end)
    return [/\\/.test(body) ? { type: 'any' } : { type: 'text', text: body }, end + 1]
  }
  if (!quoted && rest.startsWith('$"')) return [{ type: 'text', text: '' }, at + 1]
  if (rest.startsWith('$((')) return [{ type: 'text', text: '0' }, bracketEnd(source, at + 1, '(', ')')]
  const place = /^\$(?:\(pwd\)|PWD(?!\w)|\{PWD\})/.exec(rest)?.[0]
  if (place !== undefined) return [{ type: 'text', text: known.cwd }, at + place.length]
  const home = /^\$(?:HOME(?!\w)|\{HOME\})/.exec(rest)?.[0]
  if (home !== undefined) return [{ type: 'text', text: known.home }, at + home.length]
  const number = /^\$(?:[?#$!]|\{#[^}]*\}|(?:RANDOM|SECONDS|LINENO|UID|PPID)(?!\w))/.exec(rest)?.[0]
  if (number !== undefined) return [{ type: 'text', text: '0' }, at + number.length]
  const variable = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/.exec(rest)
  if (variable) return [{ type: 'variable', name: variable[1] ?? variable[2] ?? '' }, at + variable[0].length]
  const other = /^\$\{[A-Za-z_0-9]+:?[-=+]([^${}`'"\\]*)\}/.exec(rest)
  if (other) return [{ type: 'default', text: other[1] ?? '' }, at + other[0].length]
  if (rest.startsWith('$(')) return [{ type: 'any' }, bracketEnd(source, at + 1, '(', ')')]
  if (rest.startsWith('${')) return [{ type: 'any' }, bracketEnd(source, at + 1, '{', '}')]
  if (/^\$[\d@*-]/.test(rest)) return [{ type: 'any' }, at + 2]
  return [{ type: 'text', text: '$' }, at + 1]
}

function bracketEnd(source: string, from: number, open: string, shut: string): number {
  let depth = 0
  for (let at = from; at < source.length; at++) {
    const character = source[at]
    if (character === '\\') at++
    else if (character === open) depth++
    else if (character === shut && --depth === 0) return at + 1
  }
  return source.length
}

/** Writes out braces and variables, up to a limit. */
function expand(all: readonly Token[], known: Known): Piece[][] {
  const braced = braces(all)
  const shapes: Piece[][] = []
  for (const one of braced) {
    let ways: Piece[][] = [[]]
    for (const token of one) {
      const pieces = piecesOf(token, known)
      ways = ways.flatMap((way) => pieces.map((piece) => [...way, ...piece])).slice(0, mostShapes + 1)
    }
    shapes.push(...ways)
    if (shapes.length > mostShapes) break
  }
  return shapes
}

function piecesOf(token: Token, { values }: Known): Piece[][] {
  if (token.type === 'variable') {
    const given = values.get(token.name)
    if (given === undefined) return [[{ type: 'any' }]]
    return given.map((value) => (/[$`]/.test(value) ? [{ type: 'any' }] : valuePieces(value)))
  }
  if (token.type === 'default') return [[{ type: 'any' }], valuePieces(token.text)]
  if (token.type === 'open') return [[{ type: 'text', text: '{' }]]
  if (token.type === 'comma') return [[{ type: 'text', text: ',' }]]
  if (token.type === 'close') return [[{ type: 'text', text: '}' }]]
  return [[token]]
}

/** A value's own patterns are read again where the variable stands outside quotes. */
function valuePieces(value: string): Piece[] {
  return [...value.matchAll(/[*?]|[^*?]+/g)].map(([part]): Piece => {
    if (part === '*') return { type: 'star' }
    return part === '?' ? { type: 'one' } : { type: 'text', text: part }
  })
}

/** The first brace pair with a comma is written out, and so on with what comes of it. */
function braces(all: readonly Token[], depth = 0): Token[][] {
  // Writing out what nobody would write takes long; not knowing it is the safe side.
  if (depth > 6 || all.length > 400) return [[{ type: 'any' }]]
  const stack: number[] = []
  for (let at = 0; at < all.length; at++) {
    const { type } = all[at] as Token
    if (type === 'open') stack.push(at)
    if (type !== 'close') continue
    const from = stack.pop()
    if (from === undefined) continue
    const inner = all.slice(from + 1, at)
    const before = all.slice(0, from)
    const behind = all.slice(at + 1)
    const range = inner.length === 1 && inner[0]?.type === 'text' && /^[^.]+\.\.[^.]+/.test(inner[0].text)
    if (range) return braces([...before, { type: 'one' }, ...behind], depth + 1)
    if (!inner.some((token) => token.type === 'comma')) {
      // Kept as it stands, with brackets that are text from here on.
      const kept: Token[] = [{ type: 'text', text: '{' }, ...inner, { type: 'text', text: '}' }]
      return braces([...before, ...kept, ...behind], depth)
    }
    const options: Token[][] = [[]]
    for (const token of inner) {
      if (token.type === 'comma') options.push([])
      else options.at(-1)?.push(token)
    }
    return options.flatMap((option) => braces([...before, ...option, ...behind], depth + 1)).slice(0, mostShapes + 1)
  }
  return [[...all]]
}
