/** The words of a command as paths: what an allowed program would reach outside the workspace, and what no rule may touch. */
import { isInside, type Place, placePath, relativePath } from './paths.ts'
import { programName } from './programs.ts'
import { type Guarded, protectedReason, secretReason } from './protected-paths.ts'

/** Where a word leads otherwise than it is spelled, as the tool found out. */
export type Lead = { word: string; path: string }

/**
 * The first word from index `from` on that names a place outside the workspace; null when none does. Words that a program
 * takes as text or as a pattern are left out.
 */
export function outsideWord(
  argv: readonly string[],
  from: number,
  place: Place,
  leads: readonly Lead[] = [],
): string | null {
  const follows = linkFollowers.get(programName(argv[0] ?? ''))
  if (follows) for (const word of argv.slice(Math.max(1, from))) if (follows.test(word)) return word
  for (const { word, path } of pathWords(argv, from, place, true)) {
    if (path === null) return word
    if (!isInside(place.cwd, path) && !harmless.has(path)) return word
  }
  for (const { word, at, path } of ledPaths(argv, leads)) {
    if (isInside(place.cwd, path)) continue
    // A word that the rule itself spells out, and that leaves the workspace as it is written, says where it goes.
    if (at < from && leadsElsewhere(word)) continue
    return `${word} (it leads to ${path})`
  }
  return null
}

/** A word whose change (`protected`) or reading (`secret`) needs a person's yes; `at` is its index. */
export type GuardedWord = { word: string; at: number; kind: 'protected' | 'secret'; reason: string }

/** The first guarded word of a command, protected ones before secrets; null when there is none. */
export function guardedWord(argv: readonly string[], place: Guarded, leads: readonly Lead[] = []): GuardedWord | null {
  if (mentioners.has(programName(argv[0] ?? ''))) return null
  const reads = readsOnly(argv)
  let secret: GuardedWord | null = null
  for (const { word, at, path } of namedPaths(argv, place, leads)) {
    if (path === null || harmless.has(path)) continue
    const guarded = reads ? null : protectedReason(path, place)
    if (guarded) return { word, at, kind: 'protected', reason: guarded }
    const reason: string | null = secret ? null : secretReason(path, place)
    if (reason) secret = { word, at, kind: 'secret', reason }
  }
  return secret
}

/** What a refusal says of a word: where it leads, when that is not what is written. */
export function shownLead(word: string, path: string, place: Place): string {
  const inside = relativePath(place.cwd, path)
  return `${word} (it leads to ${inside === null ? path : inside || 'the workspace'})`
}

/** Every word of a command that may be the name of a file, with where it would lead; `path` null for another user's home. */
export function namedPaths(argv: readonly string[], place: Place, leads: readonly Lead[] = []): PathWord[] {
  const spelled = pathWords(argv, 1, place, false)
  if (leads.length === 0) return spelled
  const led = ledPaths(argv, leads).map(({ word, path }) => ({
    word: shownLead(word, path, place),
    // No rule spells out where a link leads.
    at: Number.POSITIVE_INFINITY,
    path,
  }))
  return [...spelled, ...led]
}

/** The leads of words that are names; of a dynamic word `at` is infinite. */
function ledPaths(argv: readonly string[], leads: readonly Lead[]): { word: string; at: number; path: string }[] {
  if (leads.length === 0) return []
  const text = textWords(argv)
  return leads.flatMap(({ word, path }) => {
    const places = argv.flatMap((value, at) => (at > 0 && value === word ? [at] : []))
    if (places.length === 0) return [{ word, at: Number.POSITIVE_INFINITY, path }]
    const at = places.find((place) => !text.has(place))
    return at === undefined ? [] : [{ word, at, path }]
  })
}

/** True for programs that only read the files they are given. */
export function readsOnly(argv: readonly string[]): boolean {
  const name = programName(argv[0] ?? '')
  const writing = writingOptions.get(name)
  if (writing && argv.some((word, i) => i > 0 && writing.test(word))) return false
  if ((name === 'uniq' || name === 'xxd') && argv.slice(1).filter((word) => !word.startsWith('-')).length > 1)
    return false
  return readers.has(name) || (name === 'git' && gitReaders.has(subcommand(argv)))
}

/** Options by which programs that otherwise read write files or delete them. */
const writingOptions = new Map<string, RegExp>([
  ['find', /^-(?:delete|fprint(?:0|f)?|fls)$/],
  ['git', /^--outp/],
  ['sort', /^(?:-[A-Za-z]*o|--o)/],
  ['tree', /^(?:-[A-Za-z]*o|--o)/],
  ['less', /^(?:-[A-Za-z]*[oO]|--log-file|--LOG-FILE)/],
  ['fd', /^(?:-[xX]|--exec)/],
  ['yq', /^(?:-i|--in-?place)/],
  ['file', /^(?:-[A-Za-z]*C|--compile)/],
])

/** Options by which a search leaves the workspace through symbolic links. */
const linkFollowers = new Map<string, RegExp>([
  ['find', /^-(?:L|H|follow)$/],
  ['fd', /^(?:-[a-zA-KM-Z]*L|--follow)$/],
  ['rg', /^(?:-[a-zA-KM-Z]*L[a-zA-Z]*|--follow)$/],
  ['tree', /^-[a-zA-Z]*l/],
  ['ag', /^(?:-[a-zA-Z]*f|--follow)$/],
  ['ack', /^--follow$/],
  ['cp', /^(?:-[a-zA-Z]*[LH]|--dereference)/],
  ['rsync', /^(?:-[a-zA-Z]*[LkK]|--copy-links|--copy-dirlinks|--copy-unsafe-links|--keep-dirlinks)/],
  ['tar', /^(?:-[a-zA-Z]*h|--dereference)/],
  ['du', /^(?:-[a-zA-Z]*L|--dereference)/],
])

type PathWord = { word: string; at: number; path: string | null }

/** Devices that hold nothing and keep nothing. */
const harmless = new Set(['/dev/null', '/dev/stdout', '/dev/stderr'])

/** Programs that print their words or do not open them. */
const mentioners = new Set(
  'echo true false basename dirname seq expr sleep date pwd whoami id uname : which printf test [ wait exit return'.split(
    ' ',
  ),
)

/** Programs that only read what they are given: protected files are fine, secrets are not. */
const readers = new Set(
  (
    'cat head tail less more wc ls ll stat file grep egrep fgrep rg ag ack diff cmp sort uniq cut sha1sum sha256sum sha512sum ' +
    'md5sum shasum cksum b2sum tree du find fd jq bat nl od hexdump strings column fold comm join paste tac rev readlink ' +
    'realpath tr cloc tokei scc shellcheck actionlint yamllint'
  ).split(' '),
)

const gitReaders = new Set(
  'add diff log show status blame commit ls-files grep shortlog rev-parse rev-list describe cat-file check-ignore'.split(
    ' ',
  ),
)

function subcommand(argv: readonly string[]): string {
  const valued = /^(?:-C|-c|--git-dir|--work-tree|--namespace|--config-env|--attr-source)$/
  let at = 1
  while (at < argv.length && (argv[at] as string).startsWith('-')) at += valued.test(argv[at] as string) ? 2 : 1
  return argv[at] ?? ''
}

/** `onlyOutward` keeps the words that lead somewhere else by their form; without it any word may be a file's name. */
function pathWords(argv: readonly string[], from: number, place: Place, onlyOutward: boolean): PathWord[] {
  const found: PathWord[] = []
  const text = textWords(argv)
  const seen = new Set<string>()
  for (let i = Math.max(1, from); i < argv.length; i++) {
    if (text.has(i) || seen.has(argv[i] as string)) continue
    seen.add(argv[i] as string)
    for (const candidate of candidates(argv[i] as string)) {
      if (onlyOutward && !leadsElsewhere(candidate)) continue
      found.push({ word: argv[i] as string, at: i, path: placePath(candidate, place) })
    }
  }
  return found
}

/** The parts of a word that a program may open: behind `=`, behind `@`, glued to a short option, in a file: URL. */
function candidates(word: string): string[] {
  // A plain name is one; nearly all words are.
  if (/^[\w./~][\w./~-]*$/.test(word)) return [word]
  const url = /^([a-z][a-z0-9+.-]*):\/\//i.exec(word)
  if (url) return url[1]?.toLowerCase() === 'file' ? [word.slice(url[0].length).replace(/^[^/]*/, '')] : []
  const parts: string[] = []
  const at = word.indexOf('=')
  if (at > 0) parts.push(...candidates(word.slice(at + 1)))
  if (word.startsWith('-')) {
    const glued = /^-[A-Za-z]+?([~/.].*)$/.exec(word)?.[1]
    if (glued) parts.push(glued)
  } else {
    parts.push(word)
    if (word.startsWith('@') && !word.startsWith('@~')) parts.push(word.slice(1))
  }
  return parts
}

function leadsElsewhere(word: string): boolean {
  if (word.startsWith('/') || word.startsWith('~')) return true
  return word.includes('..') && word.split('/').includes('..')
}

/** Indexes of words that are text, patterns or programs in a small language rather than paths. */
function textWords(argv: readonly string[]): Set<number> {
  const name = programName(argv[0] ?? '')
  const text = new Set<number>()
  const behind = textOptions.get(name)
  const patternFirst = patternPrograms.get(name)
  let pattern = patternFirst !== undefined && !argv.some((word, i) => i > 0 && patternFirst.test(word))
  if (allText.has(name)) for (let i = 1; i < argv.length; i++) text.add(i)
  for (let i = 1; i < argv.length; i++) {
    const word = argv[i] as string
    if (behind?.test(word)) {
      if (!word.includes('=')) text.add(++i)
      else text.add(i)
    } else if (pattern && !word.startsWith('-')) {
      text.add(i)
      pattern = false
    }
  }
  return text
}

const allText = new Set('echo true false basename dirname seq expr tr sleep date'.split(' '))

/** Programs whose first operand is a pattern, unless one of these options gives it. */
const patternPrograms = new Map<string, RegExp>([
  ...['grep', 'egrep', 'fgrep', 'rg', 'ag', 'ack'].map((name): [string, RegExp] => [
    name,
    /^(?:-[A-Za-z]*[ef]|--regexp|--file|--files)(?:=|$)/,
  ]),
  ['sed', /^(?:-[A-Za-z]*[ef]|--expression|--file)(?:=|$)/],
  ['awk', /^(?:-f|--file)/],
  ['jq', /^(?:-f|--from-file)/],
])

/** Options whose value is text. */
const textOptions = new Map<string, RegExp>([
  ...['grep', 'egrep', 'fgrep', 'rg', 'ag'].map((name): [string, RegExp] => [
    name,
    /^(?:-e|--regexp|-g|--glob|--include|--exclude)(?:=|$)/,
  ]),
  ['sed', /^(?:-e|--expression)(?:=|$)/],
  ['find', /^-(?:i?name|i?path|i?regex|i?wholename)$/],
  ['git', /^(?:-m|--message|--author|--grep|-S|-G|--format|--pretty|--date|--since|--until|--trailer)(?:=|$)/],
  ['cut', /^(?:-d|--delimiter|--output-delimiter)(?:=|$)/],
  ['sort', /^(?:-t|--field-separator)(?:=|$)/],
  ['pytest', /^(?:-k|-m)$/],
  ['jest', /^(?:-t|--testNamePattern)(?:=|$)/],
  ['vitest', /^(?:-t|--testNamePattern)(?:=|$)/],
])
