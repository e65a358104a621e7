/** One writer per session: a lock file that only one process can have, given back at the end, and taken over from the dead. */
import { linkSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { makeFolder } from '../make-folder.ts'
import { freshenMs, holds, type LockHolder, lockFile, ownHolder, readHolder } from '../session-lock.ts'

export { isLive, type LockHolder, liveHolder } from '../session-lock.ts'

export interface SessionLock {
  /** Tells those who cannot see this process that it is there; a lock that was deleted is made again. Called by itself, too. */
  freshen(): void
  /** Gives the session back; safe to call again. */
  release(): void
}

/** `taken`: now ours. `held`: somebody works on it, null when they did not sign. `failed`: the folder cannot be written, so nobody can. */
export type LockAttempt =
  | { type: 'taken'; lock: SessionLock }
  | { type: 'held'; holder: LockHolder | null }
  | { type: 'failed'; problem: string }

/** Takes the session of `folder`, which is made if need be. Locks of processes that are gone are taken over. Never throws. */
export function takeSessionLock(folder: string): LockAttempt {
  const path = lockFile(folder)
  try {
    makeFolder(folder)
    // Twice for a lock that its owner gives back meanwhile, or that is broken; more often only a fight would need.
    for (let attempt = 0; attempt < 5; attempt++) {
      if (create(path)) return { type: 'taken', lock: heldLock(path) }
      const holder = readHolder(path)
      if (holder !== null && holds(holder, path)) return { type: 'held', holder }
      breakStale(path)
    }
    return { type: 'held', holder: readHolder(path) }
  } catch (error) {
    return { type: 'failed', problem: error instanceof Error ? error.message : String(error) }
  }
}

function heldLock(path: string): SessionLock {
  let released = false
  // For those who cannot see this process: see `holds`.
  const freshen = () => {
    if (released) return
    const holder = readHolder(path)
    // Somebody took over what they thought was stale: only they can say that they are there.
    if (holder !== null && !isOwn(holder)) return
    try {
      const now = new Date()
      utimesSync(path, now, now)
    } catch (error) {
      // With the whole folder, which whoever writes the records makes again; until then, and without a disk, nothing can be done.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') tryToCreate(path)
    }
  }
  const timer = setInterval(freshen, freshenMs)
  timer.unref()
  const release = () => {
    if (released) return
    released = true
    clearInterval(timer)
    held.delete(release)
    // Somebody may have taken over what they thought was stale.
    const holder = readHolder(path)
    try {
      if (holder === null || isOwn(holder)) rmSync(path, { force: true })
    } catch {
      // A disk that can only be read by now: once this process is gone, the lock is stale.
    }
  }
  if (!watching) process.on('exit', releaseAll)
  watching = true
  held.add(release)
  return { freshen, release }
}

function tryToCreate(path: string): void {
  try {
    create(path)
  } catch {
    // The folder is not there yet.
  }
}

/** What is given back when the process ends by itself. */
const held = new Set<() => void>()
let watching = false

function releaseAll(): void {
  for (const release of held) release()
}

/** Makes the file with its content at once, so that nobody sees an empty one; false when there is one already. */
function create(path: string): boolean {
  const content = JSON.stringify(ownHolder())
  const temporary = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`
  writeFileSync(temporary, content, { flag: 'wx', mode: 0o600 })
  try {
    linkSync(temporary, path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    // Some file systems have no links.
    return createPlain(path, content)
  } finally {
    rmSync(temporary, { force: true })
  }
}

function createPlain(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Only one process breaks a lock at a time, and looks again before it does: a fresh lock is never taken for the stale one. */
function breakStale(path: string): void {
  const breaker = `${path}.break`
  if (!create(breaker)) {
    const other = readHolder(breaker)
    // Breaking takes no time: whoever is at it for long has died.
    if (other === null || !holds(other, breaker) || ageOf(breaker) > 10_000) rmSync(breaker, { force: true })
    return
  }
  try {
    const holder = readHolder(path)
    // One without a holder is not ours, or is being written right now by a system that cannot link.
    if (holder === null ? ageOf(path) > 5_000 : !holds(holder, path)) rmSync(path, { force: true })
  } finally {
    rmSync(breaker, { force: true })
  }
}

function isOwn(holder: LockHolder): boolean {
  const { pid, started, host, space } = ownHolder()
  return holder.pid === pid && holder.started === started && holder.host === host && holder.space === space
}

function ageOf(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? 0 : Date.now() - stat.mtimeMs
}
