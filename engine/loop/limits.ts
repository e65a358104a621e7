/** Limits of a turn, and the guard that notices a model repeating the same failing call. */
import type { ToolCall } from '../protocol/index.ts'

export type TurnLimits = {
  /** Model replies in one user turn. */
  maxTurns: number
  /** Wall-clock ms of one turn, waiting for a person included; absent = none. */
  timeoutMs?: number
  /** US dollars of the whole session; absent = none. */
  maxCostUsd?: number
}

export const defaultMaxTurns = 200

/** After how many identical failures the model is told, and after how many the turn ends. */
export const repeatTold = 3
export const repeatStopped = 5

/** Counts failures of identical calls (same tool, same input) since the last success of that call. */
export function createRepeatGuard(): {
  note(call: ToolCall, ok: boolean): { count: number; verdict: 'go' | 'tell' | 'stop' }
} {
  const failures = new Map<string, number>()
  return {
    note(call, ok) {
      const key = `${call.name}\u0000${canonicalJson(call.input)}`
      if (ok) {
        failures.delete(key)
        return { count: 0, verdict: 'go' }
      }
      const count = (failures.get(key) ?? 0) + 1
      failures.set(key, count)
      return { count, verdict: count >= repeatStopped ? 'stop' : count >= repeatTold ? 'tell' : 'go' }
    },
  }
}

/** JSON with object keys sorted, so that equal inputs give equal text. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      inner && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
        : inner,
    ) ?? 'undefined'
  )
}
