/** The verdict on one fact of a call, and how verdicts weigh against each other. */
import type { RuleScope, Verdict } from '../protocol/index.ts'
import type { ReadableRule, RuleInForce } from './rules-in-force.ts'

/** `firm` marks an ask that no allow rule could lift; `byMode` a verdict that the permission mode gave. */
export type Part = {
  verdict: Verdict
  rule: ReadableRule | null
  scope: RuleScope | null
  reason: string
  byMode: boolean
  firm: boolean
}

/** What an allow rule could lift. */
export function softAsk(reason: string): Part {
  return { verdict: 'ask', rule: null, scope: null, reason, byMode: false, firm: false }
}

/** What only a person's yes lifts. */
export function firmAsk(reason: string): Part {
  return { ...softAsk(reason), firm: true }
}

export function builtinAllow(reason: string): Part {
  return { verdict: 'allow', rule: null, scope: 'builtin', reason, byMode: false, firm: false }
}

export function byMode(verdict: Verdict, reason: string): Part {
  return { verdict, rule: null, scope: null, reason, byMode: true, firm: true }
}

export function byRule(verdict: Verdict, rule: ReadableRule): Part {
  const { text, source, scope } = rule.stored
  const effect = verdict === 'allow' ? 'allows it' : verdict === 'deny' ? 'forbids it' : 'says to ask'
  const origin = source ? ` (${source})` : ''
  return { verdict, rule, scope, reason: `the rule ${text}${origin} ${effect}`, byMode: false, firm: true }
}

/** A refusing rule that cannot be read asks about everything it may have been meant for. */
export function byUnreadable(rule: Extract<RuleInForce, { readable: false }>): Part {
  const problem = rule.problem.replace(/\.$/, '')
  return { ...firmAsk(`a ${rule.stored.verdict} rule is not understood. ${problem}`), scope: rule.stored.scope }
}

/** The strictest: deny, then what only a person lifts, then what a rule could lift, then allow; the first of equals. */
export function strictest(parts: readonly [Part, ...Part[]]): Part {
  return parts.reduce((worst, part) => (weight(part) > weight(worst) ? part : worst))
}

function weight(part: Part): number {
  if (part.verdict === 'deny') return 3
  if (part.verdict === 'allow') return 0
  return part.firm ? 2 : 1
}
