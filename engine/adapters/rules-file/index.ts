/** Permission rules in JSONC files: the person's own, the project's shared and local ones, the session's and the command line's. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { builtinTools, parseRule, unknownTool } from '../../permission/rules.ts'
import type { RuleStore, StoredRule } from '../../ports/index.ts'
import { AgentError } from '../../protocol/index.ts'
import { type FileRule, type FileRules, type RuleProblem, readRules } from './read-rules.ts'
import {
  isApproved,
  isMissing,
  isUtf8,
  messageOf,
  type Read,
  type RuleApprovals,
  type RuleEdit,
  refusePlantedLink,
  writeRule,
} from './write-rule.ts'

export type { RuleProblem } from './read-rules.ts'
export type { RuleApprovals } from './write-rule.ts'

export type RulesFileOptions = {
  /** The person's config file. */
  userFile: string
  /** `.sluice/config.jsonc` of the workspace: shared with others, so its deny and ask rules count, its allow rules never. */
  projectFile: string
  /** `.sluice/config.local.jsonc`: the person's own for this folder, and what "always in this project" writes. */
  localFile: string
  /** Both files of the folder are read only when it is trusted: either may have come with a clone. */
  trusted: boolean
  /** Without it the local file's allow rules count only as far as this very store wrote them. */
  approvals?: RuleApprovals
  /** `--allow` and `--deny`. */
  cli: { allow: readonly string[]; deny: readonly string[] }
  /** Tools besides the built-in ones that a rule may name. */
  tools?: readonly string[]
  /** Milliseconds since 1970; rules with an expiry are measured against it. */
  now?: () => number
}

/**
 * A rule as it stands in a file or flag; `expires` is the instant (ISO 8601) from which it no longer counts, `ignored` why it
 * never does, `line` where it stands in its file.
 */
export type ListedRule = StoredRule & {
  expires: string | null
  expired: boolean
  ignored: string | null
  line: number | null
}

export type RulesFile = RuleStore & {
  /** What is wrong in the files and flags. `file` of a flag is `--allow` or `--deny`, its line is its position from 1. */
  readonly problems: readonly RuleProblem[]
  /** Every rule that was read, those too that do not count. */
  list(): ListedRule[]
  /** Adds a rule and makes it durable for its scope; rejects with an AgentError when it cannot be written. */
  add(text: string, verdict: StoredRule['verdict'], scope: 'session' | 'project' | 'user'): Promise<void>
  /** Takes a rule out of its file, or forgets one of the session; rejects with an AgentError when that cannot be. */
  remove(rule: ListedRule): Promise<void>
  /**
   * The person has trusted the folder, or approved what its local file allows: reads its files, as far as they did not count;
   * returns what is wrong in them.
   */
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
  const load = (file: string): FileRules & { bytes: Buffer | null } => {
    const found = loadFile(file, read)
    problems.push(...found.problems)
    return found
  }
  const files: Record<'user' | 'project' | 'local', FileRule[]> = {
    user: load(options.userFile).rules,
    project: [],
    local: [],
  }
  const approvals = options.approvals ?? approvalsOfThisRun()
  let ignored: FileRule[] = []
  /** Allow rules of the local file that nobody approved. */
  let unapproved: FileRule[] = []
  let trusted = false
  const takeLocal = (rules: readonly FileRule[], approved: boolean): void => {
    files.local = rules.filter((rule) => approved || rule.verdict !== 'allow')
    unapproved = rules.filter((rule) => !files.local.includes(rule))
  }
  const loadLocal = (): void => {
    const { rules, bytes } = load(options.localFile)
    takeLocal(rules, isApproved(bytes, rules, approvals))
    if (unapproved.length > 0) problems.push(unapprovedProblem(unapproved, options.localFile))
  }
  const trust = (): readonly RuleProblem[] => {
    if (trusted && unapproved.length === 0) return []
    if (trusted) {
      const others = problems.filter(({ file }) => file !== options.localFile)
      problems.splice(0, problems.length, ...others)
      loadLocal()
      return problems.filter(({ file }) => file === options.localFile)
    }
    trusted = true
    const before = problems.length
    loadLocal()
    const shared = load(options.projectFile).rules
    files.project = narrowing(shared, options.projectFile, problems)
    ignored = shared.filter((rule) => !files.project.includes(rule))
    return problems.slice(before)
  }
  if (options.trusted) trust()
  const session: StoredRule[] = []
  const cli = [
    ...flagRules('allow', options.cli.allow, knownTools, problems),
    ...flagRules('deny', options.cli.deny, knownTools, problems),
  ]

  const listed = (): ListedRule[] => [
    ...[...cli, ...session].map((rule) => ({ ...rule, expires: null, expired: false, ignored: null, line: null })),
    ...stored(files.local, 'local', options.localFile, now()),
    ...stored(files.project, 'project', options.projectFile, now()),
    ...stored(files.user, 'user', options.userFile, now()),
    ...stored(ignored, 'project', options.projectFile, now()).map((rule) => ({ ...rule, ignored: onlyNarrows })),
    ...stored(unapproved, 'local', options.localFile, now()).map((rule) => ({ ...rule, ignored: needsApproval })),
  ]

  async function add(
    text: string,
    verdict: StoredRule['verdict'],
    scope: 'session' | 'project' | 'user',
  ): Promise<void> {
    const parsed = parseRule(text)
    if (!parsed.ok) throw new AgentError('TOOL_INPUT_INVALID', parsed.problem)
    const rule = parsed.rule.text
    if (scope === 'session') {
      if (session.some((one) => one.text === rule && one.verdict === verdict)) return
      session.push({ text: rule, verdict, scope: 'session' })
      return
    }
    const edit = { type: 'add', rule, verdict } as const
    if (scope === 'user') {
      files.user = (await writeRule(options.userFile, edit, read, now)).rules
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
    await writeLocal(edit)
  }

  async function writeLocal(edit: RuleEdit): Promise<void> {
    const written = await writeRule(options.localFile, edit, read, now, approvals)
    takeLocal(written.rules, written.approved)
  }

  async function remove({ scope, verdict, text, line, ignored: never }: ListedRule): Promise<void> {
    if (scope === 'session') {
      const at = session.findIndex((one) => one.text === text && one.verdict === verdict)
      if (at >= 0) session.splice(at, 1)
      return
    }
    const edit = { type: 'remove', place: { verdict, text, line: line ?? 0 } } as const
    if (scope === 'user') files.user = (await writeRule(options.userFile, edit, read, now)).rules
    else if (scope === 'local') {
      await refusePlantedLink(options.localFile)
      await writeLocal(edit)
    } else if (scope === 'project' && never === null) {
      throw new AgentError(
        'TOOL_PERMISSION_DENIED',
        `${text} stands in the project's shared file, which others share: nothing was changed.`,
        { hint: `Edit ${shownFile(options.projectFile, 'project')} by hand.` },
      )
    } else {
      throw new AgentError('TOOL_PERMISSION_DENIED', `${text} cannot be taken away here: ${fixed(scope)}.`)
    }
  }

  return {
    problems,
    trust,
    list: listed,
    rules: () =>
      listed()
        .filter((rule) => !rule.expired && rule.ignored === null)
        .map(({ text, verdict, scope, source }) =>
          source === undefined ? { text, verdict, scope } : { text, verdict, scope, source },
        ),
    add,
    remove,
    allow: (text, scope) => add(text, 'allow', scope),
  }
}

const onlyNarrows = "a project's shared file can only narrow: its allow rules never count"

const needsApproval = 'you have not approved this file as it is now: /trust asks'

/** What this very store writes counts until it ends. */
function approvalsOfThisRun(): RuleApprovals {
  const known = new Set<string>()
  return {
    approved: (sha256) => known.has(sha256),
    approve: async (sha256) => {
      known.add(sha256)
    },
  }
}

function unapprovedProblem(rules: readonly FileRule[], file: string): RuleProblem {
  const shown = rules.slice(0, 3).map(({ text }) => text)
  const more = rules.length > shown.length ? `, and ${rules.length - shown.length} more` : ''
  const text =
    `You have not approved this file as it is now, so what it allows is ignored (${shown.join(', ')}${more}); its ask and ` +
    'deny rules count. To approve it, open sluice in this folder and answer /trust.'
  return { file, line: rules[0]?.line ?? 1, text }
}

function fixed(scope: StoredRule['scope']): string {
  return scope === 'cli' ? 'it was given when sluice was started' : 'it counts for nothing anyway'
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
    ignored: null,
    line: rule.line,
  }))
}

/** Short for what a person reads: the project's files from the workspace on, the person's own from home on. */
function shownFile(file: string, scope: StoredRule['scope']): string {
  if (scope !== 'user') return file.slice(dirname(dirname(file)).length + 1)
  const home = homedir()
  return file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file
}

function loadFile(file: string, read: Read): FileRules & { bytes: Buffer | null } {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    if (isMissing(error)) return { ...read(file, null), bytes: null }
    const text = `The file cannot be read (${messageOf(error)}), so its rules are not in force.`
    return { rules: [], problems: [{ file, line: 1, text }], broken: true, bytes: null }
  }
  const found = read(file, bytes.toString('utf8'))
  if (isUtf8(bytes)) return { ...found, bytes }
  const text = 'The file is not valid UTF-8; save it as UTF-8. Its allow rules are not in force.'
  return {
    rules: found.rules.filter((rule) => rule.verdict !== 'allow'),
    problems: [{ file, line: 1, text }, ...found.problems],
    broken: true,
    bytes,
  }
}
