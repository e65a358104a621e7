/** Stored rules as the judge uses them: parsed once, and without those that may not count. */
import type { StoredRule } from '../ports/index.ts'
import { type ParsedRule, parseRule } from './rules.ts'

/** A rule that was read, or a refusing one that could not be: `tool` is then what it seems to be about, null for anything. */
export type RuleInForce =
  | { readable: true; stored: StoredRule; rule: ParsedRule }
  | { readable: false; stored: StoredRule; tool: string | null; problem: string }

export type ReadableRule = Extract<RuleInForce, { readable: true }>

/**
 * The rules that count, in the order given. A project's shared file can only narrow, so its allow rules never count; what
 * lies in an untrusted folder allows nothing. An allow rule that cannot be read allows nothing, a deny or ask rule that
 * cannot be read stays, so that the judge asks where it would have refused.
 */
export function rulesInForce(stored: readonly StoredRule[], trusted: boolean): RuleInForce[] {
  const inForce: RuleInForce[] = []
  for (const one of stored) {
    if (one.verdict === 'allow' && (one.scope === 'project' || (one.scope === 'local' && !trusted))) continue
    const parsed = parseRule(one.text)
    if (parsed.ok) inForce.push({ readable: true, stored: one, rule: parsed.rule })
    else if (one.verdict !== 'allow') {
      inForce.push({ readable: false, stored: one, tool: parsed.tool, problem: parsed.problem })
    }
  }
  return inForce
}
