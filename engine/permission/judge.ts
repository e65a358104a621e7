/** The verdict on a call: deny before ask before allow, for every fact of it, and the strictest of them for the whole. */
import type { StoredRule } from '../ports/index.ts'
import type {
  JudgedNeed,
  PermissionMode,
  PermissionNeed,
  Risk,
  RuleScope,
  ToolKind,
  Verdict,
} from '../protocol/index.ts'
import { excuseWrapped, judgeCommand } from './command.ts'
import { acceptedEdit, refusedByPlan } from './modes.ts'
import { builtinAllow, byMode, byRule, byUnreadable, firmAsk, type Part, softAsk, strictest } from './part.ts'
import { type Guarded, protectedReason, secretReason } from './protected-paths.ts'
import { riskOf } from './risk.ts'
import { covers, coversCall, refuses } from './rule-scope.ts'
import { canonicalHost, editTools, readTools } from './rules.ts'
import { type ReadableRule, type RuleInForce, rulesInForce } from './rules-in-force.ts'

/** Where a session's calls run. `cwd` and `home` are canonical; `trusted` is the person's word on this folder. */
export type World = Guarded & { trusted: boolean }

export type Call = {
  tool: string
  kind: ToolKind
  needs: readonly PermissionNeed[]
  mode: PermissionMode
  rules: readonly StoredRule[]
}

/**
 * `reason` is a clause that fits after "asked because:"; a refusal by plan mode is written for the model.
 * `decidedBy` tells a mode's verdict from one of a rule or of the built-in defaults.
 */
export type Ruling = {
  verdict: Verdict
  parts: JudgedNeed[]
  /** The rule that decided, exactly as written; null when none did. */
  rule: string | null
  scope: RuleScope | null
  reason: string
  risk: Risk
  decidedBy: 'rule' | 'mode'
}

/** Judges one call. Pure: the same call in the same world is always ruled the same. */
export function judge(call: Call, world: World): Ruling {
  const rules = rulesInForce(call.rules, world.trusted)
  const risk = riskOf(call.needs, call.kind, world)
  const parts = call.needs.map((need) => judgeNeed(need, call, rules, world))
  excuseWrapped(call.needs, parts)
  const [first, ...others] = parts
  const whole = first === undefined ? judgeWithoutNeeds(call, rules) : strictest([first, ...others])
  return {
    ...told(whole),
    parts: parts.map((part, i) => ({ need: call.needs[i] as PermissionNeed, ...told(part) })),
    risk,
    decidedBy: whole.byMode ? 'mode' : 'rule',
  }
}

/**
 * The verdict on reading one file, for what a search may show: `path` is canonical. A search of a folder is judged by the
 * folder; each result that this does not allow is to be left out.
 */
export function judgeRead(path: string, inside: boolean, rules: readonly StoredRule[], world: World): Verdict {
  const need: PermissionNeed = { type: 'path', access: 'read', path, shown: path, inside }
  return judge({ tool: 'read_file', kind: 'read', needs: [need], mode: 'default', rules }, world).verdict
}

function told(part: Part): { verdict: Verdict; rule: string | null; scope: RuleScope | null; reason: string } {
  return { verdict: part.verdict, rule: part.rule?.stored.text ?? null, scope: part.scope, reason: part.reason }
}

function judgeNeed(need: PermissionNeed, call: Call, rules: readonly RuleInForce[], world: World): Part {
  const objection = objectionOf(call, rules, need, (one) => refuses(one.rule, need, call.tool, world))
  if (objection) return objection
  if (need.type === 'path') return judgePath(need, call, rules, world)
  if (need.type === 'command') {
    return judgeCommand(need, { tool: call.tool, yolo: call.mode === 'yolo', rules, place: world })
  }
  const allowed = allowRule(rules, (one) => covers(one.rule, need, call.tool, world))
  if (allowed) return byRule('allow', allowed)
  if (call.mode === 'yolo') return byMode('allow', 'yolo mode allows it')
  const wanted =
    need.type === 'mcp'
      ? `mcp__${need.server}__${need.tool}`
      : `${call.tool === 'bash' ? 'bash' : 'web_fetch'}(domain:${canonicalHost(need.host)})`
  return softAsk(`no rule covers ${wanted}`)
}

function judgeWithoutNeeds(call: Call, rules: readonly RuleInForce[]): Part {
  const objection = objectionOf(call, rules, null, (one) => coversCall(one.rule, call.tool))
  if (objection) return objection
  if (call.tool === 'bash') return firmAsk('there is no command in it that could be judged')
  const allowed = allowRule(rules, (one) => coversCall(one.rule, call.tool))
  if (allowed) return byRule('allow', allowed)
  if (call.kind === 'read') return builtinAllow('it touches nothing outside of this session')
  if (call.mode === 'yolo') return byMode('allow', 'yolo mode allows it')
  return softAsk(`no rule covers ${call.tool}`)
}

/** What speaks against: a deny rule, plan mode, an ask rule, a refusing rule that cannot be read, a question's nature. */
function objectionOf(
  call: Call,
  rules: readonly RuleInForce[],
  need: PermissionNeed | null,
  speaks: (one: ReadableRule) => boolean,
): Part | null {
  let asked: Part | null = null
  for (const one of rules) {
    if (one.stored.verdict === 'allow') continue
    if (!one.readable) {
      if (mayBeMeant(one.tool, call)) asked ??= byUnreadable(one)
    } else if (speaks(one)) {
      if (one.stored.verdict === 'deny') return byRule('deny', one)
      asked ??= byRule('ask', one)
    }
  }
  const refusal = call.mode === 'plan' ? refusedByPlan(need, call.kind) : null
  if (refusal) return byMode('deny', refusal)
  return asked ?? (call.kind === 'ask' ? firmAsk('it is a question for you') : null)
}

/** An unreadable rule may have been meant for its tool and its kin; without a name, for everything that does more than read. */
function mayBeMeant(tool: string | null, call: Call): boolean {
  if (tool === null) return call.kind !== 'read' && call.kind !== 'ask'
  if (tool === call.tool) return true
  return [readTools, editTools].some((family) => family.includes(tool) && family.includes(call.tool))
}

type PathNeed = Extract<PermissionNeed, { type: 'path' }>

function judgePath(need: PathNeed, call: Call, rules: readonly RuleInForce[], world: World): Part {
  const guarded = need.access === 'read' ? null : protectedReason(need.path, world)
  if (guarded) return firmAsk(`${need.shown} is protected, since ${guarded}; only your own yes covers a change of it`)
  const allowed = allowRule(rules, (one) => covers(one.rule, need, call.tool, world))
  if (allowed) return byRule('allow', allowed)
  const secret = need.access === 'read' ? secretReason(need.path, world) : null
  if (secret) return softAsk(`${need.shown} may hold secrets, since ${secret}; no rule names it`)
  if (need.access === 'read' && need.inside) return builtinAllow('reading inside the workspace is allowed')
  if (call.mode === 'accept-edits' && acceptedEdit(need, call.kind)) {
    return byMode('allow', 'accept-edits mode allows edits inside the workspace')
  }
  if (call.mode === 'yolo') return byMode('allow', 'yolo mode allows it')
  const wanted = `${call.tool}(${need.shown})`
  if (!need.inside) return softAsk(`${need.shown} is outside the workspace, and no rule covers ${wanted}`)
  return softAsk(
    need.access === 'delete' ? `it deletes ${need.shown}, and no rule covers that` : `no rule covers ${wanted}`,
  )
}

function allowRule(rules: readonly RuleInForce[], covered: (one: ReadableRule) => boolean): ReadableRule | null {
  return (
    rules.find((one): one is ReadableRule => one.readable && one.stored.verdict === 'allow' && covered(one)) ?? null
  )
}
