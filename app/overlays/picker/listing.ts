/** The rows of the list for one filter: the sessions of this process first, then stored ones, read as far as they are looked at. */
import type { SessionIndex, SessionSummary } from '@sluice/engine/ports'
import type { HereSession, PickerRow } from './picker-row.ts'

export type Listing = {
  /** How many rows there are. */
  readonly total: number
  /** The rows from `from` up to `to`, as far as there are any. */
  rows(from: number, to: number): PickerRow[]
  at(row: number): PickerRow | undefined
  /** Where a session stands, looked for around the row `near` and at the beginning; -1 when it is not there. */
  find(id: string, near: number): number
}

export type ListFilter = {
  words: string
  /** Searched in what was said and done, not in titles. */
  content: boolean
  /** Null for all folders. */
  cwd: string | null
}

export function listSessions(index: SessionIndex, here: readonly HereSession[], filter: ListFilter): Listing {
  const words = filter.words.trim()
  if (filter.content && words !== '') return found(index, here, words, filter.cwd)
  return listed(index, here, words, filter.cwd)
}

/** Whatever is filtered, in all folders. */
export function countAll(index: SessionIndex, here: readonly HereSession[]): number {
  return index.count() + here.filter(({ session }) => index.get(session.id) === undefined).length
}

/** Those that run here are shown whatever folder is asked for: they are one key away. */
function listed(index: SessionIndex, here: readonly HereSession[], words: string, cwd: string | null): Listing {
  const scope = { ...(words === '' ? {} : { words }), ...(cwd === null ? {} : { cwd }) }
  const first = here.filter(({ session }) => matches(session, words)).map((one) => rowOf(one.session, one))
  const own = new Set(here.map(({ session }) => session.id))
  // Stored ones stand behind; those that run here are counted there too.
  const twice = here.filter(({ session }) => {
    const stored = index.get(session.id)
    return stored !== undefined && matches(stored, words) && (cwd === null || stored.cwd === cwd)
  }).length
  const stored = index.count(scope)
  /** Read from the beginning, and from the end for somebody who goes there at once. */
  const head = [...first]
  const tail: PickerRow[] = []
  let total = first.length + Math.max(0, stored - twice)
  let offset = 0
  let end = stored

  const others = (page: readonly SessionSummary[]) =>
    page.filter(({ id }) => !own.has(id)).map((session) => rowOf(session))
  const readOn = (wanted: number) => {
    while (head.length < wanted && offset < Number.POSITIVE_INFINITY) {
      const limit = Math.max(pageRows, wanted - head.length)
      const page = index.list({ ...scope, limit, offset })
      head.push(...others(page))
      offset = page.length < limit ? Number.POSITIVE_INFINITY : offset + page.length
    }
    // Now it is known, and not only counted.
    if (offset === Number.POSITIVE_INFINITY) total = head.length
  }
  const readBack = (wanted: number) => {
    while (tail.length < wanted && end > 0) {
      const from = Math.max(0, end - Math.max(pageRows, wanted - tail.length))
      tail.unshift(...others(index.list({ ...scope, limit: end - from, offset: from })))
      end = from
    }
  }
  const at = (row: number): PickerRow | undefined => {
    if (row < 0) return undefined
    const back = total - row
    if (row >= head.length && back > tail.length) {
      if (row - head.length <= back - tail.length) readOn(row + 1)
      else readBack(back)
    }
    return row < head.length ? head[row] : row < total ? tail[tail.length - (total - row)] : undefined
  }
  return {
    get total() {
      return total
    },
    rows: (from, to) =>
      Array.from({ length: Math.max(0, to - from) }, (_, i) => at(from + i)).filter((row) => row !== undefined),
    at,
    find(id, near) {
      const is = (row: number) => at(row)?.session.id === id
      for (let away = 0; away <= nearby; away++) {
        if (is(near + away)) return near + away
        if (is(near - away)) return near - away
      }
      // It may have gone to the beginning.
      for (let row = 0; row < Math.min(total, nearby * 2); row++) if (is(row)) return row
      return -1
    },
  }
}

function found(index: SessionIndex, here: readonly HereSession[], words: string, cwd: string | null): Listing {
  const hits = index.search(words, { ...(cwd === null ? {} : { cwd }), limit: mostHits })
  const rows = hits.map(({ session, snippet }): PickerRow => {
    const one = here.find((running) => running.session.id === session.id)
    return { session: one?.session ?? session, here: one ?? null, snippet }
  })
  return {
    total: rows.length,
    rows: (from, to) => rows.slice(from, to),
    at: (row) => rows[row],
    find: (id) => rows.findIndex(({ session }) => session.id === id),
  }
}

/** As the index filters: every word somewhere in title, folder, tags or id. */
function matches({ title, cwd, tags, id }: SessionSummary, words: string): boolean {
  if (words === '') return true
  const text = [title, cwd, ...tags, id].join(' ').toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function rowOf(session: SessionSummary, here: HereSession | null = null): PickerRow {
  return { session, here, snippet: null }
}

/** How far a session is looked for. */
const nearby = 60
/** About two screens: the first one comes from one short question. */
const pageRows = 60
/** More than anybody looks through; another word narrows it. */
export const mostHits = 200
