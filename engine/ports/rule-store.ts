/** Where permission rules live. */
import type { RuleScope } from '../protocol/index.ts'

/** One rule line with its origin. `text` is exactly what stands in the file: `bash(npm test *)`. */
export type StoredRule = { text: string; verdict: 'allow' | 'ask' | 'deny'; scope: RuleScope; source?: string }

export interface RuleStore {
  /** All rules in force, in any order. */
  rules(): readonly StoredRule[]
  /** Adds an allow rule and makes it durable for its scope; rejects with an AgentError when it cannot be written. */
  allow(text: string, scope: 'session' | 'project' | 'user'): Promise<void>
}
