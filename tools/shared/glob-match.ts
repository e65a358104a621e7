/** Matches paths against glob patterns with the meaning that they have in ignore files, in time linear for any input. */

/**
 * A test for paths relative to the searched folder, with `/` between names. A pattern without a slash matches names at
 * any depth, one with a slash is anchored; `**` spans folders, `{a,b}` is a choice, a leading `!` inverts. Ripgrep's
 * own `--glob` is no substitute: it brings back files that ignore files exclude. A regular expression is none either:
 * a handful of stars in a model's pattern can keep it busy for minutes.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  if (pattern.startsWith('!')) {
    const matches = globMatcher(pattern.slice(1))
    return (path) => !matches(path)
  }
  const bare = pattern.replace(/^(\.\/)+/, '')
  const relative = bare.replace(/^\/+/, '')
  const anchored = bare.slice(0, -1).includes('/') || relative.endsWith('/')
  const whole = relative.endsWith('/') ? `${relative}**` : relative
  const ways = expandBraces(whole)
    .flatMap(tokenWays)
    .map((tokens) => (anchored || whole.includes('/') ? tokens : [folders, ...tokens]))
  return (path) => ways.some((tokens) => matchTokens(tokens, path))
}

/** One character by a test, or a wildcard: `star` within a name, `folders` any number of folders, `rest` anything. */
type Token = { kind: 'one'; fits(character: string): boolean } | { kind: 'star' | 'folders' | 'rest' }

const folders: Token = { kind: 'folders' }
const star: Token = { kind: 'star' }
const mostWays = 500

/**
 * Goes back to the last star or, when its name is used up, to the last `**`. Earlier ones need no second try: their
 * leftmost match leaves the most for what follows.
 */
function matchTokens(tokens: readonly Token[], path: string): boolean {
  let at = 0
  let next = 0
  let afterStar: { token: number; at: number } | undefined
  let afterFolders: { token: number; at: number } | undefined
  for (;;) {
    const token = tokens[next]
    if (token === undefined && at === path.length) return true
    if (token?.kind === 'rest') return true
    if (token?.kind === 'star') {
      afterStar = { token: ++next, at }
      continue
    }
    if (token?.kind === 'folders') {
      afterFolders = { token: ++next, at }
      afterStar = undefined
      continue
    }
    const character = path[at]
    if (token?.kind === 'one' && character !== undefined && token.fits(character)) {
      next++
      at++
      continue
    }
    if (afterStar && afterStar.at < path.length && path[afterStar.at] !== '/') {
      at = ++afterStar.at
      next = afterStar.token
      continue
    }
    const slash = afterFolders ? path.indexOf('/', afterFolders.at) : -1
    if (!afterFolders || slash < 0) return false
    at = afterFolders.at = slash + 1
    next = afterFolders.token
    afterStar = undefined
  }
}

/** A pattern without braces as tokens; more than one way where brackets can be a class or a name such as `[id]`. */
function tokenWays(pattern: string): Token[][] {
  let ways: Token[][] = [[]]
  const add = (...options: Token[][]) => {
    ways = ways.flatMap((way) => options.map((option) => [...way, ...option])).slice(0, mostWays)
  }
  for (let i = 0; i < pattern.length; ) {
    const rest = pattern.slice(i)
    const atStart = i === 0 || pattern[i - 1] === '/'
    const stars = /^\*+/.exec(rest)?.[0].length ?? 0
    const klass = /^\[([!^]?)(\]?[^\]/]*)\]/.exec(rest)
    if (atStart && stars === 2 && rest[2] === '/') {
      add([folders])
      i += 3
    } else if (atStart && stars >= 2 && stars === rest.length) {
      add([{ kind: 'rest' }])
      i = pattern.length
    } else if (stars > 0) {
      add([star])
      i += stars
    } else if (klass) {
      add([characterClass(klass[1] !== '', klass[2] ?? '')], klass[0].split('').map(literal))
      i += klass[0].length
    } else if (rest[0] === '?') {
      add([{ kind: 'one', fits: (character) => character !== '/' }])
      i++
    } else {
      const escaped = rest[0] === '\\' && rest.length > 1
      add([literal(rest[escaped ? 1 : 0] as string)])
      i += escaped ? 2 : 1
    }
  }
  return ways
}

function literal(wanted: string): Token {
  return { kind: 'one', fits: (character) => character === wanted }
}

function characterClass(negated: boolean, members: string): Token {
  const ranges: [string, string][] = []
  for (let i = 0; i < members.length; i++) {
    const from = members[i] as string
    const to = members[i + 1] === '-' ? members[i + 2] : undefined
    ranges.push([from, to ?? from])
    if (to !== undefined) i += 2
  }
  const within = (character: string) => ranges.some(([from, to]) => from <= character && character <= to)
  return { kind: 'one', fits: (character) => character !== '/' && within(character) !== negated }
}

/** The patterns that a pattern with `{a,b}` stands for; braces that are not closed, or too many, stay as they are. */
function expandBraces(pattern: string): string[] {
  const group = firstGroup(pattern)
  if (!group) return [pattern]
  const tails = expandBraces(pattern.slice(group.end))
  const middles = group.parts.flatMap(expandBraces)
  const all = middles.flatMap((middle) => tails.map((tail) => pattern.slice(0, group.start) + middle + tail))
  return all.length > mostWays ? [pattern] : all
}

function firstGroup(pattern: string): { start: number; end: number; parts: string[] } | undefined {
  const open: number[] = []
  const commas: number[][] = []
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i] === '\\') i++
    else if (pattern[i] === '{') {
      open.push(i)
      commas.push([])
    } else if (pattern[i] === ',') commas[commas.length - 1]?.push(i)
    else if (pattern[i] === '}' && open.length > 0) {
      const start = open.pop() as number
      const cuts = [start, ...(commas.pop() ?? []), i]
      if (open.length > 0 && closesLater(pattern, i + 1, open.length)) continue
      const parts = cuts.slice(1).map((cut, k) => pattern.slice((cuts[k] as number) + 1, cut))
      return { start, end: i + 1, parts }
    }
  }
  return undefined
}

/** True when one of the `depth` braces that are open at `from` is closed after it. */
function closesLater(pattern: string, from: number, depth: number): boolean {
  let level = depth
  for (let i = from; i < pattern.length; i++) {
    if (pattern[i] === '\\') i++
    else if (pattern[i] === '{') level++
    else if (pattern[i] === '}' && --level < depth) return true
  }
  return false
}
