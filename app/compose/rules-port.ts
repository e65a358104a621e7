/** The rules of a running session for the view that lists, tests, adds and revokes them. */
import { dirname } from 'node:path'
import { builtinTools, judge, parseRule, type Session, unknownTool } from '@sluice/engine'
import type { ListedRule, RulesFile } from '@sluice/engine/adapters/rules-file'
import { AgentError, type Verdict } from '@sluice/engine/protocol'
import { parseCall } from '../cli/call-text.ts'
import { explanation } from '../cli/explain-verdict.ts'
import { UsageError } from '../cli/usage-error.ts'
import type { RuleCheck, RuleRow, RulesPort } from '../overlays/rules/rules-port.ts'
import type { Paths } from '../paths.ts'
import { createCallJudge } from './permissions.ts'
import { type PastCall, readRuleHistory } from './rule-history.ts'
import { ruleMeaning } from './rule-meaning.ts'

/** What the port needs of a session. */
export type RulesRuntime = {
  session: Pick<Session, 'id' | 'cwd' | 'mode' | 'notice' | 'noteRule'>
  terms: { rules: RulesFile; trust: { readonly trusted: boolean } }
}

export function createRulesPort({ session, terms }: RulesRuntime, paths: Paths): RulesPort {
  const { rules, trust } = terms
  const { cwd } = session
  const judgeCall = createCallJudge(paths, cwd, {
    trusted: () => trust.trusted,
    mode: () => session.mode,
    rules: rules.rules,
  })
  const world = {
    cwd,
    home: paths.home,
    trusted: true,
    configFolder: dirname(paths.configFile),
    stateFolder: dirname(paths.sessionsDir),
  }
  const listed = new Map<string, ListedRule>()
  const note = (text: string) => session.notice('info', 'permissions', text)

  return {
    place: () => ({ cwd, mode: session.mode, trusted: trust.trusted }),
    list() {
      listed.clear()
      const rows = rules.list().map((rule, index) => {
        const row = toRow(rule, index, trust.trusted)
        listed.set(row.id, rule)
        return row
      })
      return [...rows, ...defaults]
    },
    problems: () =>
      rules.problems
        // Told with the rule itself.
        .filter(({ text }) => !text.startsWith("A project's shared file can only narrow"))
        .map(({ file, line, text }) => `${file}:${line} ${text}`),
    history: () =>
      readRuleHistory({
        sessionsDir: paths.sessionsDir,
        sessionId: session.id,
        now: Date.now(),
        judge: ({ tool, kind, needs }: PastCall, given) =>
          judge({ tool, kind, needs, mode: 'default', rules: given }, world).verdict,
      }),
    check,
    async add(text, effect, scope) {
      const checked = check(text)
      if (!checked.ok) throw new AgentError('TOOL_INPUT_INVALID', checked.problem)
      await rules.add(checked.text, effect, scope)
      if (scope === 'session') session.noteRule({ change: 'added', text: checked.text, verdict: effect })
      note(`You added the rule: ${effect} ${checked.text} (${scopeWords[scope]}).`)
    },
    async revoke(row) {
      const rule = listed.get(row.id)
      if (rule === undefined) throw new AgentError('TOOL_INPUT_INVALID', 'That rule is not there any more.')
      await rules.remove(rule)
      const { text, verdict } = rule
      if (rule.scope === 'session') session.noteRule({ change: 'removed', text, verdict })
      note(`You took the rule away: ${row.effect} ${row.text}${row.source === '' ? '' : ` (${row.source})`}.`)
    },
    async test(text) {
      try {
        const call = parseCall(text)
        const place = { cwd, mode: session.mode, trusted: trust.trusted }
        return explanation(call.tool, await judgeCall(call), place)
      } catch (error) {
        if (error instanceof UsageError) throw new AgentError('TOOL_INPUT_INVALID', `${error.message} ${error.fix}`)
        throw error
      }
    },
  }
}

const scopeWords = { session: 'for this session', project: 'for this folder', user: 'for all folders' }

function check(text: string): RuleCheck {
  const parsed = parseRule(text)
  if (!parsed.ok) return { ok: false, problem: parsed.problem }
  const unknown = unknownTool(parsed.rule, builtinTools)
  if (unknown !== null) return { ok: false, problem: `There is no tool named "${unknown}".` }
  return { ok: true, text: parsed.rule.text, meaning: ruleMeaning(parsed.rule) }
}

function toRow(
  { text, verdict, scope, source = '', expires, expired, ignored, line }: ListedRule,
  index: number,
  trusted: boolean,
): RuleRow {
  const parsed = parseRule(text)
  const why = ignored ?? (scope === 'local' && verdict === 'allow' && !trusted ? 'this folder is not trusted' : null)
  return {
    id: `${index} ${scope} ${verdict} ${line ?? 0} ${text}`,
    effect: verdict,
    text,
    scope,
    source: scope === 'session' || scope === 'cli' ? '' : source,
    expires,
    state: why !== null ? 'ignored' : expired ? 'expired' : 'in force',
    meaning:
      why ??
      (parsed.ok ? ruleMeaning(parsed.rule) : `it cannot be read, so what it may mean is asked: ${parsed.problem}`),
    revocable: scope === 'session' || scope === 'user' || scope === 'local',
  }
}

/** What counts where no rule speaks; the words of the judge. */
const defaults: readonly RuleRow[] = (
  [
    ['allow', 'read_file(**)', 'reading inside the workspace, except files that may hold secrets'],
    ['ask', 'protected files', 'changes of what git, editors and agents obey: no rule and no mode covers them'],
    ['ask', '*', 'everything else, unless the mode allows it'],
  ] satisfies [Verdict, string, string][]
).map(([effect, text, meaning]) => ({
  id: `builtin ${text}`,
  effect,
  text,
  scope: 'builtin',
  source: '',
  expires: null,
  state: 'in force',
  meaning,
  revocable: false,
}))
