/** What lies in the trash, as a person knows it: by title, folder and when it was deleted. */
import { join } from 'node:path'
import type { SessionSummary } from '../../ports/index.ts'
import { type Database, openDatabase } from './database.ts'
import { removedRows, rowOf } from './search.ts'
import { takeIn } from './take-in.ts'
import { listTrash, trashName } from './trash.ts'

/** `name` is that of its folder in the trash: the id, unless another one of that id was deleted too. */
export type TrashedSession = {
  name: string
  /** ms since 1970. */
  deletedAt: number
  /** Null when its records cannot be read; it can be restored all the same. */
  session: Omit<SessionSummary, 'live'> | null
}

/** From the index where that still knows them, else read anew: an index that was made anew has never seen the trash. */
export function trashedSessions(db: Database, stateFolder: string): TrashedSession[] {
  const known = new Map(removedRows(db).map((row) => [row.id, row]))
  let unknown: Database | undefined
  try {
    return listTrash(stateFolder)
      .sort((a, b) => b.since - a.since)
      .map(({ id: name, since }) => {
        const row = known.get(name)
        if (row !== undefined) return { name, deletedAt: since, session: withoutTorn(row) }
        unknown ??= openDatabase(null)
        return { name, deletedAt: since, session: readAnew(unknown, join(stateFolder, trashName), name) }
      })
  } finally {
    unknown?.close()
  }
}

function readAnew(db: Database, trash: string, name: string): TrashedSession['session'] {
  try {
    for (const _ of takeIn(db, trash, name));
    const row = rowOf(db, name)
    return row === undefined ? null : withoutTorn(row)
  } catch {
    return null
  }
}

function withoutTorn({ torn, ...row }: NonNullable<ReturnType<typeof rowOf>>): Omit<SessionSummary, 'live'> {
  return { ...row, lostRecords: row.lostRecords + (torn ? 1 : 0) }
}
