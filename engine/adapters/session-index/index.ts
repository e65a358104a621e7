/** The index of stored sessions: a file of SQLite beside the records, derived from them and made anew whenever it is of no use. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, SessionFilter, SessionHit, SessionIndex, SessionSummary } from '../../ports/index.ts'
import { isLive, lockFile } from '../session-lock.ts'
import { lookAtTranscript, type Unreadable } from '../stored-transcript.ts'
import { isDamage, openDatabase } from './database.ts'
import type { SetByPerson } from './fold.ts'
import { isMetaDamaged, writeMeta } from './meta-file.ts'
import { nothingToPreview, previewOf } from './preview.ts'
import { takeInAll } from './refresh.ts'
import { countRows, listRows, rowOf, type StoredSummary, searchRows } from './search.ts'
import { progressOf, storeSet, takeIn } from './take-in.ts'
import { moveToTrash, takeFromTrash } from './trash.ts'
import { type TrashedSession, trashedSessions } from './trash-list.ts'
import { termsOf } from './words.ts'

export type { Unreadable } from '../stored-transcript.ts'
export { type Repaired, repairSettings, repairTranscript } from './repair.ts'
export { dayMs, defaultTrashDays, type Kept, planRetention, type Retention, type Retired } from './retention.ts'
export { eraseTrashed, folderBytes, IdTaken, listTrash, type Trashed } from './trash.ts'
export type { TrashedSession } from './trash-list.ts'

export type SessionIndexOptions = {
  /** Holds `index.sqlite` and the trash. */
  stateFolder: string
  sessionsDir: string
  clock?: Pick<Clock, 'timestamp' | 'monotonic'>
}

export type StoredSessions = SessionIndex & {
  /** Takes in what was written to one session since, at once; for the session that this process works on. */
  touch(id: string): void
  /** False while the index is kept in memory only, because its file cannot be used. */
  readonly stored: boolean
  /** Sessions that the last refresh could not read; with the id '' it is the folder of all of them. */
  unreadable(): readonly Unreadable[]
  /** As `search`, with how many sessions there are beyond the limit. */
  find(text: string, filter?: Pick<SessionFilter, 'cwd' | 'limit'>): { hits: SessionHit[]; more: number }
  /** Deleted sessions that can be restored, the last deleted first. */
  trashed(): TrashedSession[]
  /** True when what the person set on the session (title, pin, tags) cannot be read. */
  settingsDamaged(id: string): boolean
}

/** Opens at once and never throws; without a usable file it works in memory. */
export function createSessionIndex({
  stateFolder,
  sessionsDir,
  clock = systemTime,
}: SessionIndexOptions): StoredSessions {
  const db = openDatabase(join(stateFolder, 'index.sqlite'))
  let closed = false
  let running: Promise<number> | undefined
  /** Rows whose file of settings could not be taken over, because another process held the index. */
  const unset = new Map<string, SetByPerson>()
  let unreadable: readonly Unreadable[] = []

  /** A damaged file is begun anew, at most once in a row: the next refresh fills it. Everything else is done without. */
  const attempt = <T>(without: T, work: () => T): T => {
    if (closed) return without
    try {
      return work()
    } catch (error) {
      if (isDamage(error)) db.reset()
      return without
    }
  }
  /** Looked up again after a moment only: a list asks about the same rows with every key. */
  const looks = new Map<string, { live: boolean; until: number }>()
  const isLiveNow = (id: string): boolean => {
    const now = clock.monotonic()
    const known = looks.get(id)
    if (known !== undefined && now < known.until) return known.live
    const folder = join(sessionsDir, id)
    // Most have no lock, and asking for one costs less than failing to read it.
    const live = existsSync(lockFile(folder)) && isLive(folder)
    looks.set(id, { live, until: now + lookMs })
    return live
  }
  const shown = ({ torn, ...row }: StoredSummary): SessionSummary => {
    const live = isLiveNow(row.id)
    // Half a record at the end of a session that is written now is on its way.
    const lostRecords = row.lostRecords + (torn && !live ? 1 : 0)
    return inOrder({ ...row, live, lostRecords })
  }
  /** A list says with every key how many there are: the same questions come again and again. */
  const counts = { version: '', known: new Map<string, number>() }
  const counted = (filter: Pick<SessionFilter, 'cwd' | 'words'>): number => {
    const version = db.version()
    if (counts.version !== version) {
      counts.version = version
      counts.known.clear()
    }
    const question = JSON.stringify([filter.cwd, filter.words])
    const known = counts.known.get(question) ?? countRows(db, filter)
    counts.known.set(question, known)
    return known
  }
  const set = (id: string, change: Partial<SetByPerson>) => {
    const now = writeMeta(join(sessionsDir, id), change)
    unset.set(id, now)
    attempt(undefined, takeOverSettings)
  }
  const takeOverSettings = () => {
    for (const [id, now] of unset) {
      transact(() => storeSet(db, id, now))
      unset.delete(id)
    }
  }
  /** Joins the transaction of a refresh that is under way. */
  const transact = (work: () => void) => {
    db.begin()
    try {
      work()
      if (running === undefined) db.commit()
    } catch (error) {
      if (running === undefined) db.rollback()
      throw error
    }
  }

  const refresh = (sliceMs: number) => {
    const cannotRead = (those: Unreadable[]) => {
      unreadable = those
    }
    const world = { db, stateFolder, sessionsDir, clock, closed: () => closed, takeOverSettings, cannotRead }
    running ??= takeInAll(world, sliceMs).finally(() => {
      running = undefined
    })
    return running
  }

  const find: StoredSessions['find'] = (text, filter = {}) =>
    attempt({ hits: [], more: 0 }, () => {
      const { hits, more } = searchRows(db, sessionsDir, text, filter)
      return { hits: hits.map(({ session, snippet }) => ({ session: shown(session), snippet })), more }
    })

  return {
    list: (filter = {}) => attempt([], () => listRows(db, filter).map(shown)),
    count: (filter = {}) => attempt(0, () => counted(filter)),
    get: (id) =>
      attempt(undefined, () => {
        const row = rowOf(db, id)
        return row && shown(row)
      }),
    search: (text, filter) => find(text, filter).hits,
    find,
    unreadable: () => unreadable,
    settingsDamaged: (id) => isMetaDamaged(join(sessionsDir, id)),
    trashed: () => attempt([], () => trashedSessions(db, stateFolder)),
    preview: (id) =>
      attempt(nothingToPreview, () => {
        touch(id)
        const progress = progressOf(db, id)
        return progress === null ? nothingToPreview : previewOf(sessionsDir, id, progress)
      }),
    touch,
    refresh: () => (closed ? Promise.resolve(0) : refresh(sliceMs)),
    async rebuild() {
      await running
      if (closed) return 0
      db.reset()
      return refresh(rebuildSliceMs)
    },
    rename: (id, title) => set(id, { title: title.replace(/\s+/g, ' ').trim(), titledAt: clock.timestamp() }),
    pin: (id, pinned) => set(id, { pinned }),
    tag: (id, tags) => set(id, { tags: [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''))] }),
    remove(id) {
      if (isLive(join(sessionsDir, id))) throw new Error('A process works on this session. End it there first.')
      moveToTrash(stateFolder, sessionsDir, id, Date.parse(clock.timestamp()))
      attempt(undefined, () => transact(() => db.run('UPDATE sessions SET removed = 1 WHERE id = ?', id)))
    },
    restore(name) {
      const id = takeFromTrash(stateFolder, sessionsDir, name)
      attempt(undefined, () => transact(() => db.run('UPDATE sessions SET removed = 0 WHERE id = ?', id)))
    },
    get stored() {
      return db.stored
    },
    close() {
      if (closed) return
      closed = true
      try {
        db.commit()
      } catch {
        // What was not kept is read again the next time.
      }
      db.close()
    },
  }

  function touch(id: string): void {
    attempt(undefined, () => {
      const look = lookAtTranscript(sessionsDir, id)
      if (look.type !== 'file') return
      const { stat } = look
      const known = progressOf(db, id)
      if (stat.size - (known?.indexed ?? 0) > mostAtOnce) return
      if (known?.size === stat.size && known.mtime === stat.mtimeMs && known.inode === stat.ino) return
      transact(() => {
        for (const _ of takeIn(db, sessionsDir, id));
      })
    })
  }
}

/** False for words in which there is nothing that the index holds: no letter, digit or emoji. */
export function canBeSearched(text: string): boolean {
  return termsOf(text).length > 0
}

/** A key pressed meanwhile is answered within a frame. */
const sliceMs = 8
const rebuildSliceMs = 40
const lookMs = 1000
/** Bytes that may be taken in while somebody waits. */
const mostAtOnce = 8 * 1024 * 1024

const systemTime = { timestamp: () => new Date().toISOString(), monotonic: () => performance.now() }

/** The order of the type, so that what is printed is the same each time. */
function inOrder(row: SessionSummary): SessionSummary {
  const {
    id,
    title,
    cwd,
    model,
    startedAt,
    updatedAt,
    turns,
    stopReason,
    costUsd,
    additions,
    deletions,
    live,
    ...rest
  } = row
  return {
    id,
    title,
    cwd,
    model,
    startedAt,
    updatedAt,
    turns,
    stopReason,
    costUsd,
    additions,
    deletions,
    live,
    ...rest,
  }
}
