/** Takes what was written to one transcript since the last time into the index: only the new bytes are read. */
import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { transcriptName } from '../stored-transcript.ts'
import type { Database } from './database.ts'
import { type Folded, foldAt, nothingFolded, type SetByPerson, summaryOf, timed } from './fold.ts'
import { readMeta } from './meta-file.ts'
import { parse, readRecords } from './records.ts'
import { indexed as indexedWords, wordsOf } from './words.ts'

/** How far a session is indexed and what is known up to there. */
export type Progress = {
  key: number
  /** Bytes that are folded and searchable. */
  indexed: number
  /** Of the file when it was last looked at. */
  size: number
  mtime: number
  inode: number
  /** The last bytes before `indexed`: they tell a file that grew from one that was written anew. */
  mark: string
  /** Where the last words of the person and the last answer stand; -1 before the first. */
  said: number
  answered: number
  folded: Folded
}

/**
 * Works in pieces and yields after each, with everything so far in the open transaction. Returns true when something is
 * known that was not. Throws what SQLite throws, and the system's error for a transcript that cannot be read.
 */
export function* takeIn(db: Database, sessionsDir: string, id: string): Generator<undefined, boolean, undefined> {
  const folder = join(sessionsDir, id)
  const file = openSync(join(folder, transcriptName), 'r')
  try {
    const stat = fstatSync(file)
    let stored = progressOf(db, id)
    let progress = stored !== null && goesOn(stored, stat, file) ? stored : { ...fresh, key: stored?.key ?? -1 }
    for (;;) {
      const part = readPart(file, progress.indexed, stat.size)
      const next = part.bytes.length === 0 ? { progress, pieces: [] } : foldPart(part.bytes, progress, file)
      const seen = { size: stat.size, mtime: stat.mtimeMs, inode: stat.ino }
      const from = progress.indexed
      progress = { ...next.progress, ...seen }
      if (!store(db, { id, folder, before: stored, from, progress, pieces: next.pieces, torn: part.torn })) return false
      if (part.bytes.length === 0 || progress.indexed >= stat.size || part.torn) return true
      yield
      stored = progressOf(db, id)
      // Another process went on with it meanwhile, or it was deleted.
      if (stored === null || stored.indexed !== progress.indexed) return false
      progress = { ...progress, key: stored.key }
    }
  } finally {
    closeSync(file)
  }
}

export function progressOf(db: Database, id: string): Progress | null {
  const row = db.get('SELECT p.* FROM progress p JOIN sessions s ON s.key = p.key WHERE s.id = ?', id)
  return row === undefined ? null : ({ ...row, folded: JSON.parse(String(row.folded)) } as unknown as Progress)
}

/** Null when there is none, or none that can be read. */
export function openTranscript(folder: string): number | null {
  try {
    return openSync(join(folder, transcriptName), 'r')
  } catch {
    return null
  }
}

/** A piece of text is one row: its number says the session and where in the transcript the piece begins. */
export const pieceSpan = 2 ** 32
/** What a snippet is looked for in. */
export const pieceBytes = 64 * 1024

/** Less than `length` only at the end of the file. */
export function readAt(file: number, from: number, length: number): Buffer {
  return fill(Buffer.allocUnsafe(length), file, from)
}

function fill(bytes: Buffer, file: number, from: number): Buffer {
  let got = 0
  while (got < bytes.length) {
    const more = readSync(file, bytes, got, bytes.length - got, from + got)
    if (more === 0) break
    got += more
  }
  return bytes.subarray(0, got)
}

/** Title, pin and tags as they are now, and with them what is listed and filtered. */
export function storeSet(db: Database, id: string, set: SetByPerson): void {
  const progress = progressOf(db, id)
  if (progress === null) return
  const row = db.get('SELECT summary FROM sessions WHERE key = ?', progress.key)
  const { torn } = JSON.parse(String(row?.summary ?? '{}')) as { torn?: boolean }
  const { key, folded, size } = progress
  storeSummary(db, { id, key, folded, set, bytes: size, torn: torn === true })
}

/** Takes everything about the session out of the index. */
export function forget(db: Database, key: number): void {
  forgetWords(db, key)
  db.run('DELETE FROM progress WHERE key = ?', key)
  db.run('DELETE FROM sessions WHERE key = ?', key)
}

const fresh: Progress = {
  key: -1,
  indexed: 0,
  size: 0,
  mtime: 0,
  inode: 0,
  mark: '',
  said: -1,
  answered: -1,
  folded: nothingFolded,
}

const markBytes = 32

function goesOn(known: Progress, stat: Stats, file: number): boolean {
  if (known.inode !== stat.ino || stat.size < known.indexed) return false
  if (known.size === stat.size && known.mtime !== stat.mtimeMs) return false
  return markBefore(file, known.indexed) === known.mark
}

function markBefore(file: number, offset: number): string {
  const length = Math.min(markBytes, offset)
  return readAt(file, offset - length, length).toString('latin1')
}

/** Of the part that is being read; kept, since a new one for every file would be most of the work. */
let buffer = Buffer.alloc(0)
const readBytes = 1 << 20

/** Whole lines only, valid until the next call; `torn` when after them comes half a record and then the end of the file. */
function readPart(file: number, from: number, size: number): { bytes: Buffer; torn: boolean } {
  for (let wanted = readBytes; ; wanted *= 4) {
    const length = Math.min(wanted, size - from)
    if (buffer.length < length) buffer = Buffer.allocUnsafeSlow(Math.max(readBytes, length))
    const bytes = fill(buffer.subarray(0, Math.max(0, length)), file, from)
    // One long line is no reason to keep so much for ever.
    if (buffer.length > mostKept) buffer = Buffer.alloc(0)
    const end = bytes.lastIndexOf(lineFeed) + 1
    if (from + bytes.length < size && bytes.length > 0) {
      if (end === 0) continue
      return { bytes: bytes.subarray(0, end), torn: false }
    }
    // A last line that lacks its line feed only is a record all the same.
    const rest = bytes.subarray(end)
    const whole = rest.length === 0 || parse(rest) !== undefined
    return { bytes: whole ? bytes : bytes.subarray(0, end), torn: !whole }
  }
}

const mostKept = 16 * readBytes
const lineFeed = 10

function foldPart(bytes: Buffer, before: Progress, file: number): { progress: Progress; pieces: Piece[] } {
  let { folded } = before
  const pieces: Piece[] = []
  readRecords(bytes, {
    record(event, offset) {
      folded = foldAt(folded, event, before.indexed + offset)
      const text = wordsOf(event)
      if (text !== '') {
        const from = before.indexed + offset
        const last = pieces.at(-1)
        if (last === undefined || from - last.from >= pieceBytes) pieces.push({ from, words: [indexedWords(text)] })
        else last.words.push(indexedWords(text))
      }
    },
    passed(time) {
      folded = timed(folded, time)
    },
    lost() {
      folded = { ...folded, lostRecords: folded.lostRecords + 1 }
    },
  })
  const { said, answered } = folded
  const indexed = before.indexed + bytes.length
  const mark = bytes.length >= markBytes ? bytes.subarray(-markBytes).toString('latin1') : markBefore(file, indexed)
  return { progress: { ...before, indexed, mark, said, answered, folded }, pieces }
}

/** Text from there on, as far as the next piece. */
type Piece = { from: number; words: string[] }

type Stored = {
  id: string
  folder: string
  /** What the database held when this began. */
  before: Progress | null
  /** Where the piece begins. */
  from: number
  progress: Progress
  pieces: readonly Piece[]
  torn: boolean
}

/** False when another process has stored something else meanwhile: the next look goes on from there. */
function store(db: Database, { id, folder, before, from, progress, pieces, torn }: Stored): boolean {
  db.begin()
  const now = progressOf(db, id)
  if (now?.indexed !== before?.indexed || now?.mark !== before?.mark) return false
  let { key } = progress
  if (now === null) key = newRow(db, id)
  else if (from === 0 && now.indexed > 0) forgetWords(db, key)
  for (const piece of pieces) {
    if (piece.from >= pieceSpan) break
    db.run('INSERT INTO words (rowid, text) VALUES (?, ?)', key * pieceSpan + piece.from, piece.words.join('\n'))
  }
  const { indexed, size, mtime, inode, mark, said, answered, folded } = progress
  db.run(
    'INSERT OR REPLACE INTO progress (key, indexed, size, mtime, inode, mark, said, answered, folded) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ...[key, indexed, size, mtime, inode, mark, said, answered, JSON.stringify(folded)],
  )
  storeSummary(db, { id, key, folded, set: readMeta(folder), bytes: size, torn })
  return true
}

/** Not with RETURNING, whose savepoint makes FTS5 write out what it has gathered: a quarter of all the work. */
function newRow(db: Database, id: string): number {
  const key = Number(db.get('SELECT coalesce(max(key), 0) + 1 AS key FROM sessions')?.key)
  db.run("INSERT INTO sessions (key, id, summary) VALUES (?, ?, '{}')", key, id)
  return key
}

type Summarised = { id: string; key: number; folded: Folded; set: SetByPerson; bytes: number; torn: boolean }

function storeSummary(db: Database, { id, key, folded, set, bytes, torn }: Summarised): void {
  const summary = summaryOf(id, folded, set, bytes)
  const haystack = [summary.title, summary.cwd, ...summary.tags, id].join('\n').toLowerCase()
  // Nothing was said in it and nothing set on it: nobody looks for it.
  const empty = summary.turns === 0 && summary.title === '' && !set.pinned && summary.tags.length === 0
  db.run(
    'UPDATE sessions SET pinned = ?, empty = ?, updated = ?, cwd = ?, haystack = ?, summary = ? WHERE key = ?',
    ...[set.pinned ? 1 : 0, empty ? 1 : 0, summary.updatedAt, summary.cwd, haystack],
    ...[JSON.stringify({ ...summary, torn }), key],
  )
}

function forgetWords(db: Database, key: number): void {
  db.run('DELETE FROM words WHERE rowid BETWEEN ? AND ?', key * pieceSpan, (key + 1) * pieceSpan - 1)
}
