/** The index's file: opened, made anew when it is of no use, and done without when there can be none. */
import { chmodSync, closeSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite'
import { makeFolder } from '../make-folder.ts'

export type Row = Record<string, SQLOutputValue>

/** Everything throws as SQLite does; `withRepair` is how callers survive that. */
export interface Database {
  all(sql: string, ...values: SQLInputValue[]): Row[]
  get(sql: string, ...values: SQLInputValue[]): Row | undefined
  run(sql: string, ...values: SQLInputValue[]): number
  /** Opens a transaction unless one is open. */
  begin(): void
  commit(): void
  rollback(): void
  /** False while it is in memory only, because the file cannot be used. */
  readonly stored: boolean
  /** Another one whenever the content may have changed, by this process or another. */
  version(): string
  /** Throws the content away and begins with an empty file, or in memory where that fails too. */
  reset(): void
  /** Goes on in memory with nothing: the file cannot be written. */
  leaveFile(): void
  close(): void
}

/** Raised with every change of the tables; another version's file is built anew. */
export const schemaVersion = 3

const schema = `
CREATE TABLE sessions (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  removed INTEGER NOT NULL DEFAULT 0,
  pinned INTEGER NOT NULL DEFAULT 0,
  empty INTEGER NOT NULL DEFAULT 0,
  updated TEXT NOT NULL DEFAULT '',
  cwd TEXT NOT NULL DEFAULT '',
  haystack TEXT NOT NULL DEFAULT '',
  summary TEXT NOT NULL
);
-- Holds all that a filter looks at, so that a key typed into the picker reads this and nothing else.
CREATE INDEX sessions_order ON sessions (removed, pinned DESC, empty, updated DESC, id, cwd, haystack);
CREATE TABLE progress (
  key INTEGER PRIMARY KEY,
  indexed INTEGER NOT NULL,
  size INTEGER NOT NULL,
  mtime REAL NOT NULL,
  inode INTEGER NOT NULL,
  mark TEXT NOT NULL,
  said INTEGER NOT NULL,
  answered INTEGER NOT NULL,
  folded TEXT NOT NULL
);
-- The text itself stays in the transcripts: only which words stand where is kept.
CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
PRAGMA user_version = ${schemaVersion};
`

/** `path` null: in memory. Never throws. */
export function openDatabase(path: string | null): Database {
  let opened = open(path)
  let writes = 0
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  const prepared = (sql: string) => {
    let statement = statements.get(sql)
    if (statement === undefined) {
      statement = opened.db.prepare(sql)
      statements.set(sql, statement)
    }
    return statement
  }
  const close = () => {
    statements.clear()
    try {
      opened.db.close()
    } catch {
      // Closed already, or beyond that; the file is left to the next one.
    }
  }
  return {
    all: (sql, ...values) => prepared(sql).all(...values),
    get: (sql, ...values) => prepared(sql).get(...values),
    run(sql, ...values) {
      writes++
      const statement = prepared(sql)
      // Taking words out leaves a row id of FTS5's own behind that no number can hold; asked for as a number it throws.
      statement.setReadBigInts(true)
      return Number(statement.run(...values).changes)
    },
    begin() {
      if (!opened.db.isTransaction) opened.db.exec('BEGIN IMMEDIATE')
    },
    commit() {
      if (opened.db.isTransaction) opened.db.exec('COMMIT')
    },
    rollback() {
      if (opened.db.isTransaction) opened.db.exec('ROLLBACK')
    },
    get stored() {
      return opened.stored
    },
    version: () => `${prepared('PRAGMA data_version').get()?.data_version} ${writes}`,
    reset() {
      writes++
      close()
      if (path !== null) erase(path)
      opened = open(path)
    },
    leaveFile() {
      writes++
      close()
      opened = open(null)
    },
    close,
  }
}

/** True when the file's content is to blame, and not a moment at which another process holds it. */
export function isDamage(error: unknown): boolean {
  const code = (error as { errcode?: unknown } | null)?.errcode
  // SQLITE_ERROR stands for a missing table or column; CORRUPT, NOTADB and FORMAT for themselves.
  return typeof code === 'number' && [1, 11, 24, 26].includes(code & 0xff)
}

/** True when the disk is full, broken, or not to be written. */
export function isNoRoom(error: unknown): boolean {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' && [8, 10, 13, 14].includes(code & 0xff)
}

/** True at a moment at which another process holds the file. */
export function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' && [5, 6].includes(code & 0xff)
}

type Opened = { db: DatabaseSync; stored: boolean }

function open(path: string | null): Opened {
  if (path !== null) {
    for (let attempt = 0; attempt < 2; attempt++) {
      const found = openFile(path)
      if (found === 'locked') break
      if (found !== null) return { db: found, stored: true }
      if (!erase(path)) break
    }
  }
  const { DatabaseSync } = sqlite()
  const db = new DatabaseSync(':memory:')
  db.exec(schema)
  return { db, stored: false }
}

/** Null when what is there is of no use. */
function openFile(path: string): DatabaseSync | 'locked' | null {
  let db: DatabaseSync | undefined
  try {
    makeFolder(dirname(path))
    // Created by us first: SQLite would follow the umask. What it puts beside the file has the file's mode.
    closeSync(openSync(path, 'a', 0o600))
    chmodSync(path, 0o600)
    const { DatabaseSync } = sqlite()
    db = new DatabaseSync(path, { timeout: patienceMs })
    db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY',
    )
    const version = () => db?.prepare('PRAGMA user_version').get()?.user_version
    if (version() === 0) {
      db.exec('BEGIN IMMEDIATE')
      // Another process may have been faster.
      if (version() === 0) db.exec(schema)
      db.exec('COMMIT')
    }
    if (version() !== schemaVersion) throw new Error('another version')
    db.prepare('SELECT key FROM sessions LIMIT 1').get()
    return db
  } catch (error) {
    try {
      db?.close()
    } catch {
      // It never was open.
    }
    const code = (error as { errcode?: unknown } | null)?.errcode
    return typeof code === 'number' && [5, 6, 8, 10, 14].includes(code & 0xff) ? 'locked' : null
  }
}

/** False when it could not be removed. */
function erase(path: string): boolean {
  try {
    for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) rmSync(file, { force: true })
    return true
  } catch {
    return false
  }
}

/** How long a statement waits for another process, in ms; nobody answers keys meanwhile. */
const patienceMs = 40

/** Loaded when the first index is opened; what older versions of Node say about it has no place on our screen. */
function sqlite(): typeof import('node:sqlite') {
  const emit = process.emitWarning
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emit
  }
}
