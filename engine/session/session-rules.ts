/** The rules that were given for a session, as its record has them: what holds in it, and what is restored with it. */
import type { RuleStore } from '../ports/index.ts'
import type { AgentEvent, Verdict } from '../protocol/index.ts'

export type SessionRule = { text: string; verdict: Verdict }

export type SessionRules = {
  /** Every event, in order. */
  see(event: AgentEvent): void
  /** Each once, oldest first. */
  all(): SessionRule[]
}

export function createSessionRules(from: readonly SessionRule[] = []): SessionRules {
  const held = new Map<string, SessionRule>()
  const add = (rule: SessionRule) => {
    if (!held.has(keyOf(rule))) held.set(keyOf(rule), rule)
  }
  for (const rule of from) add(rule)
  return {
    see(event) {
      if (event.type === 'approval_decision') {
        const rule = event.decision.type === 'allow' ? event.decision.rule : undefined
        if (rule?.scope === 'session') add({ text: rule.text, verdict: 'allow' })
      } else if (event.type === 'setting' && event.rule) {
        const { change, text, verdict } = event.rule
        if (change === 'added') add({ text, verdict })
        else if (change === 'removed') held.delete(keyOf({ text, verdict }))
      }
    },
    all: () => [...held.values()],
  }
}

export function rulesIn(events: readonly AgentEvent[]): SessionRule[] {
  const rules = createSessionRules()
  for (const event of events) rules.see(event)
  return rules.all()
}

/** All that a record gave back. */
export function rulesOf({
  rules,
  narrowing,
}: {
  rules: readonly string[]
  narrowing: readonly SessionRule[]
}): SessionRule[] {
  return [...rules.map((text) => ({ text, verdict: 'allow' as const })), ...narrowing]
}

/** Of rules that held once, those that were taken away by now. */
export function takenAway(before: readonly SessionRule[], now: readonly SessionRule[]): SessionRule[] {
  const kept = new Set(now.map(keyOf))
  return before.filter((rule) => !kept.has(keyOf(rule)))
}

/**
 * The sessions of a folder share one store, so that a rule of this session's record can be taken away in another one: each
 * call gives those that were in force at a call before and are not any more.
 */
export function watchRules(rules: SessionRules, store: RuleStore): () => SessionRule[] {
  let inForce: SessionRule[] = []
  return () => {
    const recorded = rules.all()
    if (recorded.length === 0) return []
    const missing = takenAway(
      recorded,
      store.rules().filter(({ scope }) => scope === 'session'),
    )
    const held = takenAway(recorded, missing)
    // What was never in force, since it could not be saved, was taken away by nobody.
    const lost = takenAway(missing, takenAway(missing, inForce))
    inForce = held
    return lost
  }
}

/** Rules are the same when they say the same about the same; blanks around the text do not count. */
function keyOf({ text, verdict }: SessionRule): string {
  return `${verdict} ${text.trim()}`
}
