/** The verdict on one simple command, once no deny rule, ask rule or mode has refused it. */
import { type PermissionNeed, shorten } from '../protocol/index.ts'
import { guardedWord, namedPaths, outsideWord, readsOnly, shownLead } from './arguments.ts'
import { byMode, byRule, firmAsk, type Part, softAsk } from './part.ts'
import { placePath } from './paths.ts'
import { interpretedProgram, programName, programNature, runnerLength, wrappedStart } from './programs.ts'
import { type Guarded, protectedReason } from './protected-paths.ts'
import { refusesWord } from './rule-scope.ts'
import type { ReadableRule, RuleInForce } from './rules-in-force.ts'
import { allowsCommand } from './shell-match.ts'
import { looseWordsOf, quoteWord } from './shell-words.ts'

export type CommandNeed = Extract<PermissionNeed, { type: 'command' }>

type Setting = { tool: string; yolo: boolean; rules: readonly RuleInForce[]; place: Guarded }

/**
 * Allowed when a rule covers every word of a plain command, or by yolo. Never, by whatever rule or mode: writing to a
 * protected path. Never by a rule: what has hazards, writes files by redirection, or is not literal.
 */
export function judgeCommand(need: CommandNeed, { tool, yolo, rules, place }: Setting): Part {
  const words = need.argv ?? looseWordsOf(need).map((word) => word ?? '')
  const guarded = guardedTarget(need, words, place)
  if (guarded?.kind === 'protected')
    return firmAsk(`it touches ${guarded.word}, which is protected, since ${guarded.reason}`)
  const refused = refusedPath(need, words, rules, place)
  if (refused) return refused

  const doubt = doubtOf(need)
  let near: string | null = null
  if (doubt === null) {
    for (const one of rules) {
      if (!one.readable || one.stored.verdict !== 'allow') continue
      const found = coverage(one, words, need, tool, guarded, place)
      if (found === true) return byRule('allow', one)
      near ??= found
    }
  }
  if (yolo) {
    if (guarded) return firmAsk(`it touches ${guarded.word}, and ${guarded.reason}`)
    const hidden = forbidsCommands(rules) ? (doubt ?? unseen(words)) : null
    if (hidden) return firmAsk(`a deny rule for bash is in force, which could be got round here: ${hidden}`)
    return byMode('allow', 'yolo mode allows it')
  }
  if (doubt !== null) return firmAsk(doubt)
  return softAsk(near ?? `no rule covers ${tool === 'bash' ? `bash(${shownCommand(words)})` : shownCommand(words)}`)
}

/**
 * Lets a rule that covers a wrapper with its command (`timeout 60 npm test`) cover that command's own need as well. Each
 * wrapper excuses one command per depth, the first after it with exactly those words; whatever else asks, stays.
 */
export function excuseWrapped(needs: readonly PermissionNeed[], parts: Part[]): void {
  needs.forEach((outer, at) => {
    const part = parts[at]
    if (outer.type !== 'command' || !outer.argv || part?.verdict !== 'allow' || part.rule?.rule.tool !== 'bash') return
    if (!runsItsWords(outer.argv)) return
    const excused = new Set<number>()
    for (let i = at + 1; i < needs.length; i++) {
      const inner = needs[i]
      const own = parts[i]
      if (inner?.type !== 'command' || !inner.argv || own?.verdict !== 'ask' || own.firm) continue
      const length = inner.argv.length
      const tail = outer.argv.slice(outer.argv.length - length)
      if (length === 0 || length >= outer.argv.length || excused.has(length)) continue
      if (!tail.every((word, j) => word === inner.argv?.[j])) continue
      excused.add(length)
      parts[i] = byRule('allow', part.rule)
    }
  })
}

function guardedTarget(need: CommandNeed, words: readonly string[], place: Guarded): ReturnType<typeof guardedWord> {
  for (const target of need.writes) {
    const path = placePath(target, place)
    const reason = path === null ? null : protectedReason(path, place)
    if (reason) return { word: target, at: -1, kind: 'protected', reason }
    for (const lead of need.leads ?? []) {
      const behind = lead.word === target ? protectedReason(lead.path, place) : null
      if (behind) return { word: shownLead(target, lead.path, place), at: -1, kind: 'protected', reason: behind }
    }
  }
  return guardedWord(words, place, need.leads)
}

/** A deny or ask rule about a file also holds back the command that names the file, though not as a denial: it may be harmless. */
function refusedPath(
  need: CommandNeed,
  words: readonly string[],
  rules: readonly RuleInForce[],
  place: Guarded,
): Part | null {
  const about = rules.filter(
    (one): one is ReadableRule => one.readable && one.stored.verdict !== 'allow' && one.rule.matcher.type === 'path',
  )
  if (about.length === 0) return null
  const reads = readsOnly(words)
  for (const { word, path } of namedPaths(words, place, need.leads)) {
    const one = path === null ? undefined : about.find((rule) => refusesWord(rule.rule, path, reads, place))
    if (one) return { ...byRule('ask', one), reason: `it names ${word}, which the rule ${one.stored.text} is about` }
  }
  return null
}

/** True, or why the rule does not cover the command although it looks like it; null when it is about something else. */
function coverage(
  one: ReadableRule,
  argv: readonly string[],
  need: CommandNeed,
  tool: string,
  guarded: ReturnType<typeof guardedWord>,
  place: Guarded,
): true | string | null {
  const { matcher } = one.rule
  let open: number
  if (matcher.type === 'any' && one.rule.tool === tool) open = 1
  else if (matcher.type === 'command') {
    const found = allowsCommand(matcher.pattern, argv)
    if (!found.covered) return found.near
    open = found.extra
  } else return null
  if (guarded && guarded.at >= open) return `it touches ${guarded.word}, and ${guarded.reason}; no rule names it`
  const outside = outsideWord(argv, open, place, need.leads)
  if (outside !== null) return `${one.stored.text} does not cover ${outside}, which may lead outside the workspace`
  return true
}

/** Why no rule may cover the command, whatever its words are; null when one may. */
function doubtOf(need: CommandNeed): string | null {
  if (need.hazards.length > 0) return need.hazards.join('; ')
  const writes = need.writes.filter((target) => target !== '/dev/null')
  if (writes.length > 0) return `it writes ${writes.join(', ')}, and a rule for a command never covers that`
  if (need.text.trim() === '' && (need.argv?.length ?? 0) === 0) return 'there is nothing to run'
  if (need.argv === null) return 'some of its words are known only to the shell'
  const program = need.argv[0]
  if (program === undefined || program === '') return 'it names no program'
  // `%1` is a job, `!!` and `=ls` mean something in other shells, and no program is called like an option.
  if (/^[-!%=^~@+]/.test(program)) return `${program} is no ordinary name of a program`
  return need.plain ? null : 'the line is more than plain commands'
}

function forbidsCommands(rules: readonly RuleInForce[]): boolean {
  return rules.some((one) => {
    if (one.stored.verdict !== 'deny') return false
    // A rule about a host says nothing about commands.
    return one.readable ? one.rule.tool === 'bash' && one.rule.matcher.type !== 'domain' : one.tool === 'bash'
  })
}

/** What a plain command may run without its being visible; null when it shows all that it runs. */
function unseen(argv: readonly string[]): string | null {
  const program = argv[0] as string
  const name = programName(program)
  const nature = programNature(program)
  if (nature === 'wrapper' && wrappedStart(argv) === null) return `${name} may run any other program`
  if ((nature === 'shell' || nature === 'interpreter') && 'inline' in interpretedProgram(argv)) {
    return `${name} is given code that is not looked into`
  }
  return evaluating.has(name) ? `${name} runs code that is not looked into` : null
}

/** Builtins that run or plant code. */
const evaluating = new Set('eval source . trap alias enable hash bind complete mapfile readarray'.split(' '))

function runsItsWords(argv: readonly string[]): boolean {
  const program = argv[0] as string
  return programNature(program) === 'wrapper' || packageRunners.has(programName(program)) || runnerLength(argv) > 0
}

const packageRunners = new Set('npx pnpx bunx uvx pipx'.split(' '))

function shownCommand(argv: readonly string[]): string {
  return shorten(argv.map(quoteWord).join(' '), 120)
}
