/** Answers lists and searches from the index; of transcripts it reads only the piece that a snippet comes from. */
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionFilter, SessionHit, SessionSummary } from '../../ports/index.ts'
import type { AgentEvent } from '../../protocol/index.ts'
import type { Database, Row } from './database.ts'
import { readRecords } from './records.ts'
import { openTranscript, pieceBytes, pieceSpan, readAt } from './take-in.ts'
import { marksIn, matchOf, snippetOf, type Term, termsOf, wordsOf } from './words.ts'

/** A row as it is stored: whether it is live is looked up when it is shown. */
export type StoredSummary = Omit<SessionSummary, 'live'> & { torn: boolean }

export function listRows(db: Database, { cwd, words, limit = -1, offset = 0 }: SessionFilter): StoredSummary[] {
  const where = condition({ cwd, words })
  // The keys first, from what the index of the table holds; then only the rows that are shown.
  const sql = `SELECT summary FROM sessions WHERE key IN (SELECT key FROM sessions WHERE ${where.sql} ${order} LIMIT ? OFFSET ?) ${order}`
  return db.all(sql, ...where.values, limit, offset).map(toSummary)
}

export function countRows(db: Database, filter: Pick<SessionFilter, 'cwd' | 'words'>): number {
  const where = condition(filter)
  return Number(db.get(`SELECT count(*) AS n FROM sessions WHERE ${where.sql}`, ...where.values)?.n ?? 0)
}

/** Of those that were deleted and are not erased yet. */
export function removedRows(db: Database): StoredSummary[] {
  return db.all('SELECT summary FROM sessions WHERE removed = 1').map(toSummary)
}

export function rowOf(db: Database, id: string): StoredSummary | undefined {
  const row = db.get('SELECT summary FROM sessions WHERE id = ? AND removed = 0', id)
  return row && toSummary(row)
}

export type Hit = { session: StoredSummary; snippet: SessionHit['snippet'] }

/** Sessions in which every word occurs, be it in what was said or in title, folder and tags; in the order of a list. `more` is how many the limit left out. */
export function searchRows(
  db: Database,
  sessionsDir: string,
  text: string,
  { cwd, limit = defaultHits }: Pick<SessionFilter, 'cwd' | 'limit'>,
): { hits: Hit[]; more: number } {
  const terms = termsOf(text)
  if (terms.length === 0) return { hits: [], more: 0 }
  const pieces = piecesWith(db, terms)
  const named = condition(
    { cwd },
    terms.map((term) => term.text),
  )
  const byName = new Set(db.all(`SELECT key FROM sessions WHERE ${named.sql}`, ...named.values).map(keyOf))
  const where = condition({ cwd })
  const found = db
    .all(`SELECT key FROM sessions WHERE ${where.sql} ${order}`, ...where.values)
    .map(keyOf)
    .filter((key) => pieces.has(key) || byName.has(key))
  const hits = found.slice(0, limit).flatMap((key) => {
    const row = db.get('SELECT summary FROM sessions WHERE key = ?', key)
    if (row === undefined) return []
    const session = toSummary(row)
    const piece = pieces.get(key)
    const said = piece === undefined ? null : snippetFrom(join(sessionsDir, session.id), piece - key * pieceSpan, terms)
    return [{ session, snippet: said ?? snippetOf(session.title, terms) ?? { text: session.title, marks: [] } }]
  })
  return { hits, more: Math.max(0, found.length - limit) }
}

const defaultHits = 50
const order = 'ORDER BY pinned DESC, empty, updated DESC, id'

function condition(
  { cwd, words = '' }: Pick<SessionFilter, 'cwd' | 'words'>,
  texts = words.split(/\s+/).filter((word) => word !== ''),
): { sql: string; values: string[] } {
  const sql = ['removed = 0', ...(cwd === undefined ? [] : ['cwd = ?']), ...texts.map(() => 'instr(haystack, ?) > 0')]
  const values = [...(cwd === undefined ? [] : [cwd]), ...texts.map((text) => text.toLowerCase())]
  return { sql: sql.join(' AND '), values }
}

function toSummary(row: Row): StoredSummary {
  return JSON.parse(String(row.summary)) as StoredSummary
}

/**
 * Sessions in which all terms occur, with the piece to show: the last one that has all of them, else the last that has the
 * rarest. Words may stand in different pieces, so each is looked up by itself.
 */
function piecesWith(db: Database, terms: readonly Term[]): Map<number, number> {
  const apart = terms.map((term) => piecesOf(db, matchOf(term))).sort((a, b) => a.size - b.size)
  const [rarest = new Map<number, number>(), ...others] = apart
  if (others.length === 0) return rarest
  const together = piecesOf(db, terms.map(matchOf).join(' AND '))
  const shared = new Map<number, number>()
  for (const [key, piece] of rarest)
    if (others.every((other) => other.has(key))) shared.set(key, together.get(key) ?? piece)
  return shared
}

/** Session → the last piece that matches. */
function piecesOf(db: Database, match: string): Map<number, number> {
  const sql = `SELECT rowid / ${pieceSpan} AS key, max(rowid) AS piece FROM words WHERE words MATCH ? GROUP BY 1`
  return new Map(db.all(sql, match).map((row) => [keyOf(row), Number(row.piece)]))
}

function keyOf(row: Row): number {
  return Number(row.key)
}

function snippetFrom(folder: string, from: number, terms: readonly Term[]): SessionHit['snippet'] | null {
  const file = openTranscript(folder)
  if (file === null) return null
  try {
    return snippetAt(file, from, terms)
  } finally {
    closeSync(file)
  }
}

/** The record with the most of the words speaks for the piece. */
function snippetAt(file: number, from: number, terms: readonly Term[]): SessionHit['snippet'] | null {
  let best = ''
  let most = 0
  const heard = {
    record(event: AgentEvent) {
      const text = wordsOf(event)
      if (text === '') return
      const count = terms.filter((term) => marksIn(text, [term]).length > 0).length
      if (count > most) {
        most = count
        best = text
      }
    },
    passed() {},
    lost() {},
  }
  readRecords(pieceAt(file, from), heard, () => most === terms.length)
  return snippetOf(best, terms)
}

/** With the whole of the record that begins in it last. */
function pieceAt(file: number, from: number): Buffer {
  for (let length = pieceBytes * 2; ; length *= 4) {
    const bytes = readAt(file, from, length)
    const end = bytes.indexOf(10, pieceBytes)
    if (end >= 0 || bytes.length < length) return bytes.subarray(0, end >= 0 ? end : bytes.length)
  }
}
