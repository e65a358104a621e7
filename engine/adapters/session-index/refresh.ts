/** Takes in what was written to all sessions since the last time, in slices between which others have their turn. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../ports/index.ts'
import { lookAtTranscript, namesOfSessions, type Unreadable } from '../stored-transcript.ts'
import { whyOf } from '../system-words.ts'
import { type Database, isBusy, isDamage, isNoRoom } from './database.ts'
import { forget, takeIn } from './take-in.ts'
import { trashName } from './trash.ts'

export type RefreshWorld = {
  db: Database
  stateFolder: string
  sessionsDir: string
  clock: Pick<Clock, 'monotonic'>
  /** True once the index is closed: nothing may be asked of it any more. */
  closed(): boolean
  /** What a person set while the index could not be written. */
  takeOverSettings(): void
  /** After each look at all of them: sessions that are there and cannot be read. With the id '' the folder itself. */
  cannotRead(those: Unreadable[]): void
}

/**
 * Resolves with how many sessions changed; never rejects. A damaged index is begun anew, one that another process writes
 * is waited for, one that cannot be written is left for one in memory, a session that cannot be read is passed over, and
 * whatever else is in the way leaves the rest to the next time.
 */
export async function takeInAll(world: RefreshWorld, sliceMs: number): Promise<number> {
  const { db, closed } = world
  let others = 0
  for (let round = 0; round < mostRounds; round++) {
    try {
      return (await walk(world, sliceMs)) + others
    } catch (error) {
      if (closed()) break
      if (isDamage(error)) db.reset()
      else if (isNoRoom(error) && db.stored) db.leaveFile()
      else if (!isBusy(error)) break
      else {
        // Another process takes in the same sessions: what it finds is news here too.
        others = 1
        await new Promise((resolve) => setTimeout(resolve, busyMs))
      }
    }
  }
  return others
}

const transactionMs = 250
const busyMs = 150
const mostRounds = 40

async function walk(world: RefreshWorld, sliceMs: number): Promise<number> {
  const { db, stateFolder, sessionsDir, closed } = world
  const pause = pausing(world, sliceMs)
  let count = 0
  try {
    const known = knownRows(db)
    const changed: { id: string; mtime: number }[] = []
    const { names, why } = namesOfSessions(sessionsDir)
    const unreadable: Unreadable[] = why === null ? [] : [{ id: '', why }]
    for (const id of names) {
      const look = lookAtTranscript(sessionsDir, id)
      if (look.type === 'unreadable') unreadable.push({ id, why: look.why })
      if (look.type === 'file') {
        const { stat } = look
        const row = known.get(id)
        known.delete(id)
        const same = row?.size === stat.size && row.mtime === stat.mtimeMs && row.inode === stat.ino
        if (!same) changed.push({ id, mtime: stat.mtimeMs })
        // Somebody moved it back by hand.
        if (row?.removed === 1) {
          db.begin()
          count += db.run('UPDATE sessions SET removed = 0 WHERE id = ?', id)
        }
      }
      if (await pause()) return count
    }
    for (const [id, { key, removed }] of known) {
      if (removed === 1 && namesIn(join(stateFolder, trashName, id)).length > 0) continue
      db.begin()
      forget(db, Number(key))
      count++
      if (await pause()) return count
    }
    world.takeOverSettings()
    // What was worked on last is what is looked for first.
    changed.sort((a, b) => b.mtime - a.mtime)
    for (const { id } of changed) {
      const steps = takeIn(db, sessionsDir, id)
      for (let step = next(steps); ; step = next(steps)) {
        if (typeof step === 'string') {
          unreadable.push({ id, why: step })
          count += forgetUnreadable(db, id)
          break
        }
        if (step.done) {
          if (step.value) count++
          break
        }
        if (await pause()) {
          steps.return(false)
          return count
        }
      }
      if (await pause()) return count
    }
    world.cannotRead(unreadable)
    return count
  } finally {
    if (!closed()) db.commit()
  }
}

/** The next step; why, when the transcript cannot be read. Throws what SQLite throws. */
function next(steps: ReturnType<typeof takeIn>): ReturnType<typeof steps.next> | string {
  try {
    return steps.next()
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null)?.syscall === undefined) throw error
    return whyOf(error)
  }
}

function forgetUnreadable(db: Database, id: string): number {
  const row = db.get('SELECT key FROM sessions WHERE id = ?', id)
  if (row === undefined) return 0
  db.begin()
  forget(db, Number(row.key))
  return 1
}

/** Lets others have their turn when a slice is over; true when the index was closed meanwhile. */
function pausing({ db, clock, closed }: RefreshWorld, sliceMs: number): () => Promise<boolean> | boolean {
  let end = clock.monotonic() + sliceMs
  let begun = clock.monotonic()
  return () => (clock.monotonic() < end ? false : pause())

  async function pause(): Promise<boolean> {
    // Other processes wait for the end of a transaction, and each end costs.
    if (clock.monotonic() - begun > transactionMs) {
      db.commit()
      begun = clock.monotonic()
    }
    await new Promise((resolve) => setImmediate(resolve))
    end = clock.monotonic() + sliceMs
    return closed()
  }
}

function knownRows(db: Database) {
  const columns = 's.id, s.key, s.removed, p.size, p.mtime, p.inode'
  const rows = db.all(`SELECT ${columns} FROM sessions s LEFT JOIN progress p ON p.key = s.key`)
  return new Map(rows.map((row) => [String(row.id), row]))
}

/** What is not readable has no names. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
