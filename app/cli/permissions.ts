/** `sluice permissions`: the rules in force, and what they would say to a call that nobody makes. */
import type { PermissionMode } from '@sluice/engine/protocol'
import { createRuleTester, type ListedRule, openPermissions, type PermissionWorld } from '../compose/permissions.ts'
import { loadConfig } from '../config.ts'
import { findPaths } from '../paths.ts'
import { findWorkspace } from '../workspace.ts'
import type { Options } from './args.ts'
import { parseCall } from './call-text.ts'
import { explanation } from './explain-verdict.ts'
import { openOutput } from './output.ts'
import { testCalls } from './permission-tests.ts'
import { UsageError } from './usage-error.ts'

const usage =
  "Write: sluice permissions [--json] · sluice permissions test 'bash(git status)' · sluice permissions test --json FILE"

export async function runPermissions(options: Options): Promise<void> {
  const [word, ...rest] = options.rest
  if (word === undefined) return listRules(options)
  if (word !== 'test') throw new UsageError(`sluice permissions has no "${word}".`, usage)
  const [subject, more] = rest
  if (subject === undefined || more !== undefined) {
    throw new UsageError('There is one call, or one file with --json, to test.', usage)
  }
  if (options.json) {
    const output = openOutput(() => {})
    const judge = createRuleTester(findPaths(), findWorkspace(options.cwd ?? process.cwd()))
    process.exitCode = (await testCalls(subject, judge, output)) ? 0 : 2
    return
  }
  return explain(subject, options)
}

async function open(options: Options): Promise<PermissionWorld> {
  const paths = findPaths()
  const { config } = await loadConfig(paths.configFile)
  const mode: PermissionMode = options.permissionMode ?? config.permissionMode ?? 'default'
  const { allow, deny, trust } = options
  const world = openPermissions(paths, { cwd: findWorkspace(options.cwd ?? process.cwd()), mode, trust, allow, deny })
  const flag = world.problems.find(({ file }) => file === '--allow' || file === '--deny')
  if (flag) throw new UsageError(`${flag.file}: ${flag.text}`, "Write a rule such as 'bash(npm test *)'.")
  return world
}

async function listRules(options: Options): Promise<void> {
  const world = await open(options)
  const output = openOutput(() => {})
  for (const { file, line, text } of world.problems) output.note(`sluice: ${file}:${line} ${text}`)
  if (options.json) {
    const rules = world.rules.map(({ text, verdict, scope, source, expires, expired, ignored }) => ({
      rule: text,
      verdict,
      scope,
      source: source ?? null,
      expires,
      inForce: !expired && ignored === null,
    }))
    return output.write(`${JSON.stringify({ cwd: world.cwd, trusted: world.trusted, rules }, null, 2)}\n`)
  }
  const { sanitizeForTerminal } = await import('@sluice/permissions-ui')
  const widest = Math.min(60, Math.max(0, ...world.rules.map((rule) => rule.text.length)))
  const rows = world.rules.map((rule) => {
    const text = sanitizeForTerminal(rule.text, 'visible').padEnd(widest)
    return `  ${rule.verdict.padEnd(5)}  ${text}  ${origin(rule)}`.trimEnd()
  })
  const trust = world.trusted ? 'this folder is trusted' : 'this folder is not trusted: its own rules are not read'
  await output.write(
    [
      rows.length === 0 ? `There are no rules for ${world.cwd} (${trust}).` : `Rules for ${world.cwd} (${trust}):`,
      ...rows,
      'Without a rule, reads inside the folder are allowed and everything else asks. deny goes before ask, ask before allow.',
      '',
    ].join('\n'),
  )
}

function origin({ scope, source, expires, expired, ignored }: ListedRule): string {
  if (ignored !== null) return `${scope}${source === undefined ? '' : ` ${source}`}, ignored: ${ignored}`
  const until = expires === null ? '' : expired ? `, expired ${expires}` : `, until ${expires}`
  return `${scope}${source === undefined ? '' : ` ${source}`}${until}`
}

async function explain(subject: string, options: Options): Promise<void> {
  const call = parseCall(subject)
  const world = await open(options)
  const judged = await world.judge(call)
  const { sanitizeForTerminal } = await import('@sluice/permissions-ui')
  const lines = explanation(call.tool, judged, world).map((line) => sanitizeForTerminal(line, 'visible'))
  const output = openOutput(() => {})
  for (const { file, line, text } of world.problems) output.note(`sluice: ${file}:${line} ${text}`)
  await output.write(`${lines.join('\n')}\n`)
}
