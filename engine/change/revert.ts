/** Whether a recorded change of a file can be undone, by what it was before it, after it and is now. */

export type RevertPlan = 'restore' | 'already' | 'conflict'

/**
 * `already`: it is as it was before. `restore`: it is as the change left it, so that putting it back loses nothing.
 * `conflict`: somebody changed it since, or it is not known how the change left it (`after` undefined). Pure.
 */
export function revertPlan<T>(before: T, after: T | undefined, now: T, same: (a: T, b: T) => boolean): RevertPlan {
  if (same(now, before)) return 'already'
  return after !== undefined && same(now, after) ? 'restore' : 'conflict'
}

/** For files as bytes, where null stands for a file that is not there. */
export function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  if (a === null || b === null) return a === b
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
