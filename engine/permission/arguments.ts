/** The words of a command as paths: what an allowed program would reach outside the workspace, and what no rule may touch. */
import { isInside, type Place, placePath } from './paths.ts'
import { programName } from './programs.ts'
import { type Guarded, protectedReason, secretReason } from './protected-paths.ts'

/**
 * The first word from index `from` on that names a place outside the workspace; null when none does. Words that a program
 * takes as text or as a pattern are left out.
 */
export function outsideWord(argv: readonly string[], from: number, place: Place): string | null {
  const follows = linkFollowers.get(programName(argv[0] ?? ''))
  if (follows) for (const word of argv.slice(Math.max(1, from))) if (follows.test(word)) return word
  for (const { word, path } of pathWords(argv, from, place, true)) {
    if (path === null) return word
    if (!isInside(place.cwd, path) && !harmless.has(path)) return word
  }
  return null
}

/** A word whose change (`protected`) or reading (`secret`) needs a person's yes; `at` is its index. */
export type GuardedWord = { word: string; at: number; kind: 'protected' | 'secret'; reason: string }

/** The first guarded word of a command, protected ones before secrets; null when there is none. */
export function guardedWord(argv: readonly string[], place: Guarded): GuardedWord | null {
  if (mentioners.has(programName(argv[0] ?? ''))) return null
  const reads = readsOnly(argv)
  let secret: GuardedWord | null = null
  for (const { word, at, path } of namedPaths(argv, place)) {
    if (path === null || harmless.has(path)) continue
    const guarded = reads ? null : protectedReason(path, place)
    if (guarded) return { word, at, kind: 'protected', reason: guarded }
    const reason: string | null = secret ? null : secretReason(path, place)
    if (reason) secret = { word, at, kind: 'secret', reason }
  }
  return secret
}

/** Every word of a command that may be the name of a file, with where it would lead; `path` null for another user's home. */
export function namedPaths(argv: readonly string[], place: Place): PathWord[] {
  return pathWords(argv, 1, place, false)
}

/** True for programs that only read the files they are given. */
export function readsOnly(argv: readonly string[]): boolean {
  const name = programName(argv[0] ?? '')
  return readers.has(name) || (name === 'git' && gitReaders.has(subcommand(argv)))
}

/** Options by which a search leaves the workspace through symbolic links. */
const linkFollowers = new Map<string, RegExp>([
  ['find', /^-(?:L|H|follow)$/],
  ['fd', /^(?:-[a-zA-KM-Z]*L|--follow)$/],
  ['rg', /^(?:-[a-zA-KM-Z]*L[a-zA-Z]*|--follow)$/],
  ['tree', /^-[a-zA-Z]*l/],
])

type PathWord = { word: string; at: number; path: string | null }

/** Devices that hold nothing and keep nothing. */
const harmless = new Set(['/dev/null', '/dev/stdout', '/dev/stderr'])

/** Programs that print their words or do not open them. */
const mentioners = new Set(
  'echo true false basename dirname seq expr sleep date pwd whoami id uname : which'.split(' '),
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
  return argv.slice(1).find((word) => !word.startsWith('-')) ?? ''
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
  return word.startsWith('/') || word.startsWith('~') || word.split('/').includes('..')
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
