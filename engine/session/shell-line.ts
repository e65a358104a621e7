/** A command line as far as it decides what its exit code means: lists, chains, pipelines and groups of simple commands. */

/** `op` stands before the pipeline; the first has none. */
export type Chain = { pipes: { op: '&&' | '||' | null; commands: Command[] }[]; background: boolean }
export type List = Chain[]
/** `opaque`: a loop, a condition or the like, with the words in it. */
export type Command =
  | { kind: 'simple'; words: string[] }
  | { kind: 'group'; list: List; subshell: boolean }
  | { kind: 'opaque'; words: string[] }

type Token = { op: string } | { word: string }

/** Null for what is not understood: here-documents, functions, quotes that do not end. */
export function parseLine(line: string): List | null {
  const tokens = tokensOf(line)
  if (tokens === null) return null
  const at = { tokens, next: 0 }
  const list = parseList(at, null)
  return list !== null && at.next === tokens.length ? list : null
}

type Reader = { tokens: readonly Token[]; next: number }

const opOf = ({ tokens, next }: Reader): string | null => {
  const token = tokens[next]
  return token !== undefined && 'op' in token ? token.op : null
}

function parseList(at: Reader, end: ')' | '}' | null): List | null {
  const list: List = []
  for (;;) {
    while (opOf(at) === ';' || opOf(at) === '\n') at.next++
    if (atEnd(at, end)) return list
    const chain = parseChain(at, end)
    if (chain === null) return null
    list.push(chain)
    const op = opOf(at)
    if (op === '&') chain.background = true
    if (op === '&' || op === ';' || op === '\n') at.next++
    else if (!atEnd(at, end)) return null
  }
}

function atEnd(at: Reader, end: ')' | '}' | null): boolean {
  const token = at.tokens[at.next]
  if (end === null || token === undefined) return token === undefined
  return 'op' in token ? token.op === end : token.word === end
}

function parseChain(at: Reader, end: ')' | '}' | null): Chain | null {
  const chain: Chain = { pipes: [], background: false }
  for (let op: '&&' | '||' | null = null; ; ) {
    const commands: Command[] = []
    for (;;) {
      const command = parseCommand(at)
      if (command === null) return null
      commands.push(command)
      if (opOf(at) !== '|') break
      at.next++
      while (opOf(at) === '\n') at.next++
    }
    chain.pipes.push({ op, commands })
    const next = opOf(at)
    if (next !== '&&' && next !== '||') return atEnd(at, end) || next !== null ? chain : null
    op = next
    at.next++
    while (opOf(at) === '\n') at.next++
  }
}

function parseCommand(at: Reader): Command | null {
  const first = at.tokens[at.next]
  if (first === undefined) return null
  const opens = 'op' in first ? first.op : first.word
  if (opens === '(' || opens === '{') {
    at.next++
    const end = opens === '(' ? ')' : '}'
    const list = parseList(at, end)
    if (list === null || !atEnd(at, end)) return null
    at.next++
    return { kind: 'group', list, subshell: opens === '(' }
  }
  const words: string[] = []
  for (let token = at.tokens[at.next]; token !== undefined && 'word' in token; token = at.tokens[++at.next])
    words.push(token.word)
  // `name()` makes a function.
  if (words.length === 0 || opOf(at) === '(') return null
  return { kind: keywords.has(words[0] ?? '') ? 'opaque' : 'simple', words }
}

const keywords: ReadonlySet<string> = new Set(
  'if then elif else fi for select while until do done case esac function coproc [[ !'.split(' '),
)

/** Words without their quotes, and operators; where output goes is left out. Null when quotes do not end. */
function tokensOf(line: string): Token[] | null {
  const tokens: Token[] = []
  let word: string | null = null
  let skips = false
  const push = () => {
    if (word !== null && !skips) tokens.push({ word })
    if (word !== null) skips = false
    word = null
  }
  for (let at = 0; at < line.length; ) {
    const char = line[at] ?? ''
    const redirect = redirection.exec(line.slice(at, at + 3))?.[0]
    if (redirect !== undefined) {
      if (redirect === '<<') return null
      // `2>`: the number is no word.
      if (word !== null && /^\d+$/.test(word) && !redirect.startsWith('&')) word = null
      push()
      skips = true
      at += redirect.length
      continue
    }
    const op = operator.exec(line.slice(at, at + 2))
    if (op !== null) {
      push()
      tokens.push({ op: op[0] === '|&' ? '|' : op[0] })
      at += op[0].length
    } else if (char === ' ' || char === '\t' || char === '\r') {
      push()
      at++
    } else if (char === '#' && word === null) {
      const end = line.indexOf('\n', at)
      at = end < 0 ? line.length : end
    } else {
      const piece = pieceAt(line, at)
      if (piece === null) return null
      if (piece.text !== null) word = (word ?? '') + piece.text
      at = piece.end
    }
  }
  push()
  return tokens
}

const redirection = /^(?:&>>|&>|>>|>\||>&|<<<|<<|<&|<>|>|<)/
const operator = /^(?:&&|\|\||\|&|[;&|()\n])/

/** One character, or what is quoted or substituted as a whole; `text` null for a line that goes on below. */
function pieceAt(line: string, at: number): { text: string | null; end: number } | null {
  const char = line[at] ?? ''
  if (char === '\\') {
    const next = line[at + 1]
    return next === '\n' ? { text: null, end: at + 2 } : { text: next ?? '', end: at + 2 }
  }
  if (char === "'") {
    const end = line.indexOf("'", at + 1)
    return end < 0 ? null : { text: line.slice(at + 1, end), end: end + 1 }
  }
  if (char === '"' || char === '`') {
    for (let end = at + 1; end < line.length; end++) {
      if (line[end] === '\\') end++
      else if (line[end] === char)
        return { text: char === '`' ? line.slice(at, end + 1) : line.slice(at + 1, end), end: end + 1 }
    }
    return null
  }
  const opens = line.slice(at, at + 2)
  if (opens === '$(' || opens === '${') {
    const [open, close] = opens === '$(' ? ['(', ')'] : ['{', '}']
    for (let depth = 0, end = at + 1; end < line.length; end++) {
      if (line[end] === '\\') end++
      else if (line[end] === open) depth++
      else if (line[end] === close && --depth === 0) return { text: line.slice(at, end + 1), end: end + 1 }
    }
    return null
  }
  return { text: char, end: at + 1 }
}
