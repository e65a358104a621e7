/** Permission rules in JSONC files: the person's own, the project's shared and local ones, the session's and the command line's. */
import { readFileSync } from 'node:fs'
import { lstat, mkdir, readFile, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { builtinTools, parseRule, unknownTool } from '../../permission/rules.ts'
import type { RuleStore, StoredRule } from '../../ports/index.ts'
import { AgentError } from '../../protocol/index.ts'
import { addAllowRule } from './add-rule.ts'
import { withLock } from './file-lock.ts'
import { type FileRule, type FileRules, type RuleProblem, readRules } from './read-rules.ts'
import { replaceFile } from './replace-file.ts'

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

export type RulesFile = RuleStore & {
  /** What is wrong in the files and flags. `file` of a flag is `--allow` or `--deny`, its line is its position from 1. */
  readonly problems: readonly RuleProblem[]
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
  const files = {
    user: load(options.userFile).rules,
    project: options.trusted ? load(options.projectFile).rules : [],
    local: options.trusted ? load(options.localFile).rules : [],
  }
  for (const rule of files.project) {
    if (rule.verdict !== 'allow') continue
    problems.push({
      file: options.projectFile,
      line: rule.line,
      text:
        `A project's shared file can only narrow, so its allow rule ${JSON.stringify(rule.text)} is ignored. ` +
        'If you want it, put it into .sluice/config.local.jsonc or your own config.',
    })
  }
  files.project = files.project.filter((rule) => rule.verdict !== 'allow')
  const session: StoredRule[] = []
  const cli = [
    ...flagRules('allow', options.cli.allow, knownTools, problems),
    ...flagRules('deny', options.cli.deny, knownTools, problems),
  ]

  return {
    problems,
    rules: () => [
      ...cli,
      ...session,
      ...stored(files.local, 'local', options.localFile, now()),
      ...stored(files.project, 'project', options.projectFile, now()),
      ...stored(files.user, 'user', options.userFile, now()),
    ],
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
      if (!options.trusted) {
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

function stored(rules: readonly FileRule[], scope: StoredRule['scope'], file: string, now: number): StoredRule[] {
  return rules
    .filter((rule) => rule.expires === null || now < rule.expires)
    .map((rule) => ({
      text: rule.text,
      verdict: rule.verdict,
      scope,
      source: `${shownFile(file, scope)}:${rule.line}`,
    }))
}

/** Short for what a person reads: the project's files from the workspace on, the person's own from home on. */
function shownFile(file: string, scope: StoredRule['scope']): string {
  if (scope !== 'user') return file.slice(dirname(dirname(file)).length + 1)
  const home = homedir()
  return file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file
}

type Read = (file: string, text: string | null) => FileRules

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

/** Adds the rule under the file's lock and resolves with the rules that the file now has. */
async function writeRule(file: string, rule: string, read: Read, now: () => number): Promise<FileRule[]> {
  try {
    const target = await linkTarget(file)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    return await withLock(`${target}.lock`, async () => {
      for (let attempt = 0; attempt < 5; attempt++) {
        const before = await readBytes(target)
        const text = before?.toString('utf8') ?? ''
        const held = read(file, text)
        if (held.broken || (before !== null && !isUtf8(before))) throw unwritable(file, held.problems[0])
        const has = held.rules.some(
          (one) => one.verdict === 'allow' && one.text === rule && (one.expires === null || now() < one.expires),
        )
        if (has) return held.rules
        const after = addAllowRule(text, rule)
        const result = after === null ? null : read(file, after)
        if (after === null || result === null || result.broken || result.rules.length !== held.rules.length + 1) {
          throw unwritable(file, held.problems[0])
        }
        // An editor knows nothing of our lock: what it saved meanwhile is not to be lost.
        if (!sameBytes(await readBytes(target), before)) continue
        await replaceFile(target, after)
        return result.rules
      }
      throw new Error('it keeps changing while the rule is written')
    })
  } catch (error) {
    if (error instanceof AgentError) throw error
    throw new AgentError(
      'TOOL_EXECUTION_FAILED',
      `The rule was not saved: ${file} cannot be written (${messageOf(error)}).`,
      {
        hint: 'The call itself can still be allowed once or for this session.',
        cause: error,
      },
    )
  }
}

function unwritable(file: string, problem: RuleProblem | undefined): AgentError {
  const why = problem ? `line ${problem.line}: ${problem.text}` : '"permissions" or its "allow" is no list there.'
  return new AgentError(
    'TOOL_EXECUTION_FAILED',
    `The rule was not saved, since ${file} could not be added to: ${why}`,
    {
      hint: 'Correct the file by hand; nothing in it was changed.',
    },
  )
}

/** People keep their config as a link into another folder: the file behind it is the one to replace. */
async function linkTarget(file: string): Promise<string> {
  try {
    return await realpath(file)
  } catch (error) {
    if (!isMissing(error)) throw error
    const isLink = await lstat(file).then(
      (found) => found.isSymbolicLink(),
      () => false,
    )
    if (isLink) throw new Error('it is a link to a file that does not exist')
    const folder = await realpath(dirname(file)).catch(() => dirname(file))
    return join(folder, file.slice(dirname(file).length + 1))
  }
}

/** A cloned project could bring `.sluice` or the file in it as a link to somewhere else. */
async function refusePlantedLink(file: string): Promise<void> {
  for (const path of [dirname(file), file]) {
    const found = await lstat(path).catch(() => null)
    if (found?.isSymbolicLink()) {
      throw new AgentError(
        'TOOL_PERMISSION_DENIED',
        `The rule was not saved: ${path} is a symbolic link, and the project's own rules are not written through one.`,
        {
          hint: 'Replace the link by a real file or folder, or keep the rule for this session or for all folders.',
        },
      )
    }
  }
}

async function readBytes(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

function sameBytes(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other)
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
