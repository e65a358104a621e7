/** Whether a rule's words cover a command: narrowly when it allows, widely when it refuses. */
import { baseName } from './paths.ts'
import { interpretedProgram, programName, programNature, runnerLength, wrappedStart } from './programs.ts'
import { looseWordsOf } from './shell-words.ts'

/** `any` is `bash(*)`; `prefix` is `bash(P *)`: P alone and P with more words; `exact` is `bash(P)`. */
export type CommandPattern = { type: 'any' } | { type: 'prefix'; words: string[] } | { type: 'exact'; words: string[] }

/** `near` says why a rule that looks as if it covered the command does not; a person reads it. */
export type Coverage = { covered: true; extra: number } | { covered: false; near: string | null }

/**
 * Whether an allow rule covers the literal words of one command, compared word by word. The caller has made sure that
 * the line is plain and without hazards. `extra` is the index of the first word that the rule leaves open.
 */
export function allowsCommand(pattern: CommandPattern, argv: readonly string[]): Coverage {
  const program = argv[0]
  if (program === undefined || program === '') return { covered: false, near: null }
  if (pattern.type === 'any') {
    const nature = programNature(program)
    if (nature === 'ordinary' && runnerLength(argv) === 0) return { covered: true, extra: 1 }
    return { covered: false, near: `bash(*) covers no ${described(nature)} such as ${programName(program)}` }
  }
  if (pattern.words.length > argv.length || pattern.words.some((word, i) => word !== argv[i])) {
    return { covered: false, near: null }
  }
  if (pattern.type === 'exact') {
    if (argv.length !== pattern.words.length) return { covered: false, near: null }
    if (needsMoreWords(argv)) return { covered: false, near: `${program} alone runs whatever it is fed` }
    return { covered: true, extra: argv.length }
  }
  const open = openEnd(pattern.words, argv)
  return open === null ? { covered: true, extra: pattern.words.length } : { covered: false, near: open }
}

/** Whether a refusing (or asking) rule names this command, by any spelling, behind any wrapper that can be seen through. */
export function namesCommand(pattern: CommandPattern, need: { argv: string[] | null; text: string }): boolean {
  if (pattern.type === 'any') return true
  return namesWords(pattern, need.argv ?? looseWordsOf(need), 0)
}

/** Why a prefix rule ends too early to know what would be run; null when it does not. */
function openEnd(prefix: readonly string[], argv: readonly string[]): string | null {
  const program = argv[0] as string
  const nature = programNature(program)
  const shown = prefix.join(' ')
  if (nature === 'builtin') return `${program} changes the shell itself, so only a rule for the exact command covers it`
  if (nature === 'wrapper') {
    const start = wrappedStart(argv)
    if (start === null || start >= prefix.length)
      return `${program} runs other programs, and \`${shown}\` names none of them`
    return openEnd(prefix.slice(start), argv.slice(start))
  }
  if (nature === 'shell' || nature === 'interpreter') {
    const run = interpretedProgram(argv)
    if ('inline' in run || run.fixed >= prefix.length) {
      return `${program} runs any code, and \`${shown}\` does not say which`
    }
  }
  const runner = runnerLength(argv)
  if (runner > 0 && !prefix.slice(runner).some((word) => !word.startsWith('-'))) {
    return `\`${argv.slice(0, runner).join(' ')}\` runs other programs, and \`${shown}\` names none of them`
  }
  return null
}

/** A shell or interpreter without a program reads one from its input; a wrapper without a command is of no use to a rule. */
function needsMoreWords(argv: readonly string[]): boolean {
  const nature = programNature(argv[0] as string)
  if (nature === 'ordinary') return false
  if (argv.length === 1) return true
  if (nature !== 'shell' && nature !== 'interpreter') return false
  return argv.slice(1).every((word) => word.startsWith('-'))
    ? !('fixed' in interpretedProgram(argv))
    : argv.some((word) => word === '-')
}

function described(nature: ReturnType<typeof programNature>): string {
  if (nature === 'builtin') return 'builtin that changes the shell'
  return nature === 'ordinary' ? 'runner of other programs' : nature
}

type LooseWords = readonly (string | null)[]

function namesWords(pattern: Exclude<CommandPattern, { type: 'any' }>, words: LooseWords, depth: number): boolean {
  const program = words[0]
  if (program === undefined) return false
  const first = pattern.words[0] as string
  const dashed = /(?:^|\/)git-([a-z-]+)$/.exec(program ?? '')?.[1]
  if (dashed !== undefined && namesWords(pattern, ['git', dashed, ...words.slice(1)], depth)) return true
  const other = otherName(pattern.words)
  if (other !== null && namesWords({ ...pattern, words: other }, words, depth)) return true
  if (program !== null && sameProgram(first, program)) {
    const said = readArguments(pattern.words.slice(1), first)
    const given = readArguments(words.slice(1), first)
    if (pattern.type === 'exact' ? sameArguments(said, given) : containsArguments(said, given)) return true
  }
  if (program === null || depth > maxDepth || programNature(program) !== 'wrapper') return false
  const literal = words.map((word) => word ?? '\0')
  const start = wrappedStart(literal)
  if (start !== null) return namesWords(pattern, words.slice(start), depth + 1)
  // The command may stand anywhere behind a wrapper that cannot be looked into.
  for (let i = 1; i < words.length; i++) {
    const word = words[i]
    if (typeof word === 'string' && sameProgram(first, word) && namesWords(pattern, words.slice(i), maxDepth + 1))
      return true
  }
  return false
}

const maxDepth = 32

/** A rule for a git command also names the inner command that does the same work. */
function otherName([program, subcommand, ...rest]: readonly string[]): string[] | null {
  const inner = program === 'git' && subcommand !== undefined ? innerGit.get(subcommand) : undefined
  return inner === undefined ? null : ['git', inner, ...rest]
}

const innerGit = new Map([
  ['push', 'send-pack'],
  ['send-pack', 'http-push'],
  ['fetch', 'fetch-pack'],
])

/** A rule for `rm` names `/bin/rm` and, where case does not count, `RM`; a rule for `/opt/x/rm` names that file only. */
function sameProgram(said: string, given: string): boolean {
  if (said.includes('/')) return given === said
  return baseName(given).toLowerCase() === said.toLowerCase()
}

type Arguments = { flags: Set<string>; operands: Operand[]; unknown: boolean }
/** `perhaps` marks a word that may be the value of the option before it. */
type Operand = { word: string; perhaps: boolean }

function readArguments(words: LooseWords, program: string): Arguments {
  const flags = new Set<string>()
  const operands: Operand[] = []
  let unknown = false
  let afterOption = false
  let ended = false
  for (const word of words) {
    if (word === null) {
      unknown = true
      afterOption = false
    } else if (!ended && word === '--') {
      ended = true
      afterOption = false
    } else if (!ended && word.length > 1 && word.startsWith('-')) {
      for (const flag of spellings(word, program)) flags.add(flag)
      afterOption = !word.includes('=')
    } else {
      operands.push({ word, perhaps: afterOption })
      afterOption = false
    }
  }
  return { flags, operands, unknown }
}

/** One option word as the options it stands for: `-rf` is `-r` and `-f`, `--recursive` of rm is `-r`. */
function spellings(word: string, program: string): string[] {
  const long = longNames.get(program)
  if (word.startsWith('--')) {
    const name = word.split('=', 1)[0] as string
    if (!long) return name === word ? [word] : [word, name]
    // GNU programs take every unambiguous beginning of a long name.
    const full = [...long.keys()].filter((known) => known.startsWith(name))
    return [word, name, ...full.flatMap((known) => [known, long.get(known) as string])]
  }
  if (!/^-[A-Za-z]{2,}$/.test(word)) return [alias(word, program)]
  // A word such as `-delete` may be one option or a bundle of letters: it counts as both.
  return [word, ...[...word.slice(1)].map((letter) => alias(`-${letter}`, program))]
}

function alias(flag: string, program: string): string {
  return shortAliases.get(program)?.get(flag) ?? flag
}

const longNames = new Map<string, ReadonlyMap<string, string>>([
  ['rm', new Map(Object.entries({ '--recursive': '-r', '--force': '-f', '--dir': '-d', '--verbose': '-v' }))],
  ['chmod', new Map(Object.entries({ '--recursive': '-R' }))],
  ['chown', new Map(Object.entries({ '--recursive': '-R' }))],
  ['cp', new Map(Object.entries({ '--recursive': '-r', '--force': '-f' }))],
  ['mv', new Map(Object.entries({ '--force': '-f' }))],
  ['git', new Map(Object.entries({ '--force': '-f', '--delete': '-d' }))],
  ['sed', new Map(Object.entries({ '--in-place': '-i' }))],
])

const shortAliases = new Map<string, ReadonlyMap<string, string>>([
  ['rm', new Map([['-R', '-r']])],
  ['cp', new Map([['-R', '-r']])],
])

/** All that the rule says is there: its options in any order and spelling, its words in order. */
function containsArguments(said: Arguments, given: Arguments): boolean {
  const flags = [...said.flags].filter((flag) => !isBundle(flag, said.flags))
  return flags.every((flag) => given.flags.has(flag)) && operandsMatch(said.operands, given.operands, false)
}

function sameArguments(said: Arguments, given: Arguments): boolean {
  if (given.unknown || said.operands.length > given.operands.length) return false
  const single = (flags: Set<string>) => [...flags].filter((flag) => !isBundle(flag, flags))
  const saidFlags = single(said.flags)
  return (
    saidFlags.every((flag) => given.flags.has(flag)) &&
    single(given.flags).every((flag) => said.flags.has(flag)) &&
    operandsMatch(said.operands, given.operands, true)
  )
}

/** `-rf` beside its own `-r` and `-f` says nothing more than they do; so does `--force` beside the `-f` it stands for. */
function isBundle(flag: string, flags: ReadonlySet<string>): boolean {
  if (flag.startsWith('--')) {
    for (const long of longNames.values()) {
      const short = long.get(flag)
      if (short !== undefined && flags.has(short)) return true
    }
    return false
  }
  return flag.length > 2 && /^-[A-Za-z]+$/.test(flag) && [...flag.slice(1)].some((letter) => flags.has(`-${letter}`))
}

/** The rule's words begin the command's words, which may have option values between them. */
function operandsMatch(said: Operand[], given: Operand[], whole: boolean): boolean {
  let reached = new Set([0])
  for (const next of given) {
    if (!whole && reached.has(said.length)) return true
    const then = new Set<number>()
    for (const position of reached) {
      if (said[position]?.word === next.word) then.add(position + 1)
      if (next.perhaps) then.add(position)
    }
    reached = then
  }
  return reached.has(said.length)
}
