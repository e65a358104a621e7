/** Permission rules in JSONC files: the person's own, the project's shared and local ones, the session's and the command line's. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { builtinTools, parseRule, unknownTool } from '../../permission/rules.ts'
import type { RuleStore, StoredRule } from '../../ports/index.ts'
import { AgentError } from '../../protocol/index.ts'
import { type FileRule, type FileRules, type RuleProblem, readRules } from './read-rules.ts'
import { isMissing, isUtf8, messageOf, type Read, refusePlantedLink, writeRule } from './write-rule.ts'

export type { RuleProblem } from './read-rules.ts'

export type RulesFileOptions = {
  /** The person's config file. */
  userFile: string
  /** `.sluice/config.jsonc` of the workspace: shared with others, so its deny and ask rules count, its allow rules never. */
  projectFile: string
  /** `.sluice/config.local.jsonc`: the person's own for this folder, and what "always in this project" writes. */
  localFile: string
  /** Both files of the folder are read only when it is trusted: either may have come with a clone. */
  trusted: boolean
  /** `--allow` and `--deny`. */
  cli: { allow: readonly string[]; deny: readonly string[] }
  /** Tools besides the built-in ones that a rule may name. */
  tools?: readonly string[]
  /** Milliseconds since 1970; rules with an expiry are measured against it. */
  now?: () => number
}

/** A rule as it stands in a file or flag; `expires` is the instant (ISO 8601) from which it no longer counts. */
export type ListedRule = StoredRule & { expires: string | null; expired: boolean }

export type RulesFile = RuleStore & {
  /** What is wrong in the files and flags. `file` of a flag is `--allow` or `--deny`, its line is its position from 1. */
  readonly problems: readonly RuleProblem[]
  /** Every rule that was read, the expired ones too. */
  list(): ListedRule[]
  /** The person has trusted the folder: reads its files, if they were not; returns what is wrong in them. */
  trust(): readonly RuleProblem[]
}

/**
 * Reads all rules at once; files that are missing hold none. A rule added by `allow` counts from the moment its promise
 * is kept, in this process and in those that start later.
 */
export function createRulesFile(options: RulesFileOptions): RulesFile {
  const now = options.now ?? Date.now
  const knownTools = [...builtinTools, ...(options.tools ?? [])]
  const place = { cwd: dirname(dirname(options.projectFile)), home: homedir() }
  const read = (file: string, text: string | null): FileRules =>
    text === null ? { rules: [], problems: [], broken: false } : readRules(text, { file, knownTools, place })

  const problems: RuleProblem[] = []
  const load = (file: string): FileRules => {
    const found = loadFile(file, read)
    problems.push(...found.problems)
    return found
  }
  const files: Record<'user' | 'project' | 'local', FileRule[]> = {
    user: load(options.userFile).rules,
    project: [],
    local: [],
  }
  let trusted = false
  const trust = (): readonly RuleProblem[] => {
    if (trusted) return []
    trusted = true
    const before = problems.length
    files.local = load(options.localFile).rules
    files.project = narrowing(load(options.projectFile).rules, options.projectFile, problems)
    return problems.slice(before)
  }
  if (options.trusted) trust()
  const session: StoredRule[] = []
  const cli = [
    ...flagRules('allow', options.cli.allow, knownTools, problems),
    ...flagRules('deny', options.cli.deny, knownTools, problems),
  ]

  const listed = (): ListedRule[] => [
    ...[...cli, ...session].map((rule) => ({ ...rule, expires: null, expired: false })),
    ...stored(files.local, 'local', options.localFile, now()),
    ...stored(files.project, 'project', options.projectFile, now()),
    ...stored(files.user, 'user', options.userFile, now()),
  ]

  return {
    problems,
    trust,
    list: listed,
    rules: () =>
      listed()
        .filter((rule) => !rule.expired)
        .map(({ expires: _, expired: __, ...rule }) => rule),
    async allow(text, scope) {
      const parsed = parseRule(text)
      if (!parsed.ok) throw new AgentError('TOOL_INPUT_INVALID', parsed.problem)
      const rule = parsed.rule.text
      if (scope === 'session') {
        if (!session.some((one) => one.text === rule)) session.push({ text: rule, verdict: 'allow', scope: 'session' })
        return
      }
      if (scope === 'user') {
        files.user = await writeRule(options.userFile, rule, read, now)
        return
      }
      if (!trusted) {
        throw new AgentError(
          'TOOL_PERMISSION_DENIED',
          'This folder is not trusted, so rules in its .sluice folder are not read, and none was written.',
          { hint: 'Trust the folder first, or keep the rule for this session or for all folders.' },
        )
      }
      await refusePlantedLink(options.localFile)
      files.local = await writeRule(options.localFile, rule, read, now)
    },
  }
}

function flagRules(
  verdict: 'allow' | 'deny',
  texts: readonly string[],
  knownTools: readonly string[],
  problems: RuleProblem[],
): StoredRule[] {
  const file = `--${verdict}`
  return texts.flatMap((text, index): StoredRule[] => {
    const parsed = parseRule(text)
    const unknown = parsed.ok ? unknownTool(parsed.rule, knownTools) : null
    const problem = parsed.ok ? (unknown ? `There is no tool named "${unknown}".` : null) : parsed.problem
    if (problem) problems.push({ file, line: index + 1, text: problem })
    if (!parsed.ok && verdict === 'allow') return []
    return [{ text, verdict, scope: 'cli', source: file }]
  })
}

/** A project's shared file without its allow rules, each of which is reported. */
function narrowing(rules: readonly FileRule[], file: string, problems: RuleProblem[]): FileRule[] {
  return rules.filter((rule) => {
    if (rule.verdict !== 'allow') return true
    const text =
      `A project's shared file can only narrow, so its allow rule ${JSON.stringify(rule.text)} is ignored. ` +
      'If you want it, put it into .sluice/config.local.jsonc or your own config.'
    problems.push({ file, line: rule.line, text })
    return false
  })
}

function stored(rules: readonly FileRule[], scope: StoredRule['scope'], file: string, now: number): ListedRule[] {
  return rules.map((rule) => ({
    text: rule.text,
    verdict: rule.verdict,
    scope,
    source: `${shownFile(file, scope)}:${rule.line}`,
    expires: rule.expires === null ? null : new Date(rule.expires).toISOString(),
    expired: rule.expires !== null && now >= rule.expires,
  }))
}

/** Short for what a person reads: the project's files from the workspace on, the person's own from home on. */
function shownFile(file: string, scope: StoredRule['scope']): string {
  if (scope !== 'user') return file.slice(dirname(dirname(file)).length + 1)
  const home = homedir()
  return file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file
}

function loadFile(file: string, read: Read): FileRules {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    if (isMissing(error)) return read(file, null)
    const text = `The file cannot be read (${messageOf(error)}), so its rules are not in force.`
    return { rules: [], problems: [{ file, line: 1, text }], broken: true }
  }
  const found = read(file, bytes.toString('utf8'))
  if (isUtf8(bytes)) return found
  const text = 'The file is not valid UTF-8; save it as UTF-8. Its allow rules are not in force.'
  return {
    rules: found.rules.filter((rule) => rule.verdict !== 'allow'),
    problems: [{ file, line: 1, text }, ...found.problems],
    broken: true,
  }
}
