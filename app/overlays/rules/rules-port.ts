/** What the rules view sees and does: plain rows, and a few wishes that can fail with a sentence. */
import type { PermissionMode, RuleScope, Verdict } from '@sluice/engine/protocol'

export type RuleRow = {
  id: string
  effect: Verdict
  text: string
  scope: RuleScope
  /** `~/.config/sluice/config.jsonc:12`; '' where it stands in no file. */
  source: string
  /** ISO 8601. */
  expires: string | null
  state: 'in force' | 'expired' | 'ignored'
  /** What it means, or why it counts for nothing. */
  meaning: string
  revocable: boolean
}

/** From the ledgers of this and of earlier sessions; times are ms since 1970. */
export type RuleHistory = {
  hits(text: string): { session: number; lately: number; last: number | null; added: number | null }
  /** How many calls that were asked about a rule would have decided, and of how many; `examples` are titles. */
  covers(text: string): { count: number; of: number; examples: readonly string[] }
}

export type NewRuleScope = 'session' | 'project' | 'user'
export type RuleCheck = { ok: true; text: string; meaning: string } | { ok: false; problem: string }

export interface RulesPort {
  place(): { cwd: string; mode: PermissionMode; trusted: boolean }
  list(): readonly RuleRow[]
  /** `file:line what` for all that is wrong in the files. */
  problems(): readonly string[]
  history(): Promise<RuleHistory>
  check(text: string): RuleCheck
  /** Rejects with a sentence when it cannot be written. */
  add(text: string, effect: Verdict, scope: NewRuleScope): Promise<void>
  revoke(row: RuleRow): Promise<void>
  /** What the rules say to a call such as `bash(git push)`, as lines; rejects with a sentence when it is no call. */
  test(call: string): Promise<readonly string[]>
}
