/** When a failed model request is tried again, and after how long. */
import type { AgentErrorShape } from '../protocol/index.ts'

export type RetryPolicy = { attempts: number; baseMs: number; capMs: number }
export const defaultRetry: RetryPolicy = { attempts: 5, baseMs: 500, capMs: 60_000 }

/**
 * Milliseconds to wait before attempt `attempt + 1`, or null to give up. `attempt` counts from 1; `random` is in [0, 1).
 * A server's own wait is kept up to the cap; a longer one is a reason to give up, not to hang.
 */
export function retryDelay(
  error: AgentErrorShape,
  attempt: number,
  random: number,
  policy = defaultRetry,
): number | null {
  if (!error.retryable || attempt >= policy.attempts) return null
  if (error.retryAfterMs !== undefined) return error.retryAfterMs <= policy.capMs ? error.retryAfterMs : null
  return Math.round(random * Math.min(policy.capMs, policy.baseMs * 2 ** attempt))
}
