/** Who works on a stored session: its lock file, and whether the process that wrote it is still there. */

import { statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { isAlive, pidSpace, startOf } from './process-identity.ts'
import { readAtOnce } from './read-at-once.ts'

/**
 * `started` tells the process from a later one with the same pid, `space` the pid namespace, in which alone the pid means
 * something; either is '' where the system does not say.
 */
export type LockHolder = { pid: number; started: string; host: string; space: string }

/** The lock file of a session's folder. */
export function lockFile(folder: string): string {
  return join(folder, 'lock')
}

/** Cheap: without a lock file one failing open. */
export function isLive(folder: string): boolean {
  return liveHolder(folder) !== null
}

/** The process that works on the session now; null when none does, or when it has died. */
export function liveHolder(folder: string): LockHolder | null {
  const path = lockFile(folder)
  const holder = readHolder(path)
  return holder !== null && holds(holder, path) ? holder : null
}

/** The holder that a lock file names; null when there is no such file, or none that we wrote. */
export function readHolder(path: string): LockHolder | null {
  try {
    const { pid, started, host, space } = JSON.parse(readAtOnce(path))
    return Number.isSafeInteger(pid) && pid > 0 && [started, host, space].every((part) => typeof part === 'string')
      ? { pid, started, host, space }
      : null
  } catch {
    return null
  }
}

/** True while the holder's process runs; one that cannot be looked at counts as long as it keeps its lock file fresh. */
export function holds(holder: LockHolder, path: string): boolean {
  const own = ownHolder()
  if (holder.host !== own.host || holder.space !== own.space) return ageOf(path) < foreignMs
  if (holder.pid === own.pid) return holder.started === own.started
  return isAlive(holder.pid) && startOf(holder.pid) === holder.started
}

/** How often a holder touches its lock, and how long one that cannot be looked at is believed. */
export const freshenMs = 30_000
const foreignMs = 5 * 60_000

let own: LockHolder | undefined

/** What this process writes into its locks. */
export function ownHolder(): LockHolder {
  own ??= { pid: process.pid, started: startOf(process.pid), host: hostname(), space: pidSpace() }
  return own
}

function ageOf(path: string): number {
  try {
    return Date.now() - statSync(path).mtimeMs
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
