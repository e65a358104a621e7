/** The reader's place in a transcript: scroll, the marked row, what is open, what is searched; pure steps between them. */
import type { StyledRow } from '@sluice/permissions-ui'
import { plainText } from '../markdown/spans.ts'
import { findAfter, findBefore, type Item, type Log } from '../state/index.ts'
import type { Entries } from './entries.ts'
import { canOpen, isOpen, needsSpace, nothingOpened, type Opened, openness } from './item-rows.ts'
import { placesOf, type Search, searchItems } from './search.ts'
import { type Anchor, following, moveBy, type Rows, reveal, type Scroll, toRow, toTop, windowAt } from './window.ts'

export type Reader = {
  scroll: Scroll
  /** The marked row; null while nobody reads. */
  cursor: Anchor | null
  opened: Opened
  /** `typing` while the query is being written. */
  search: (Search & { typing: boolean }) | null
}

export const newReader: Reader = { scroll: following, cursor: null, opened: nothingOpened, search: null }

export type ReaderAction =
  | 'up'
  | 'down'
  | 'pageUp'
  | 'pageDown'
  | 'top'
  | 'bottom'
  | 'previousTurn'
  | 'nextTurn'
  | 'toggle'
  | 'toggleAll'
  | 'search'
  | 'nextMatch'
  | 'previousMatch'

export const readerActions: ReadonlySet<string> = new Set<ReaderAction>([
  'up',
  'down',
  'pageUp',
  'pageDown',
  'top',
  'bottom',
  'previousTurn',
  'nextTurn',
  'toggle',
  'toggleAll',
  'search',
  'nextMatch',
  'previousMatch',
])

export function isReaderAction(action: string | undefined): action is ReaderAction {
  return action !== undefined && readerActions.has(action)
}

/** What a step needs to know; `rowsWith` lays out with other open entries. */
export type Page = {
  entries: Entries
  settled: Log<Item>
  height: number
  rowsWith(opened: Reader['opened']): Rows & { rowsAt(index: number): readonly StyledRow[] }
}

export function step(reader: Reader, action: ReaderAction, page: Page): Reader {
  const { height } = page
  const rows = page.rowsWith(reader.opened)
  const cursor = reader.cursor ?? lastVisible(reader, rows, height)
  switch (action) {
    case 'up':
      return toEntryAbove(reader, cursor, rows, page)
    case 'down':
      return toEntryBelow(reader, cursor, rows, page)
    case 'pageUp':
    case 'pageDown': {
      const by = Math.max(1, height - 2) * (action === 'pageUp' ? -1 : 1)
      const scroll = moveBy(reader.scroll, by, rows, height)
      const { slices } = windowAt(scroll, rows, height)
      const edge = action === 'pageUp' ? slices[0] : slices[slices.length - 1]
      if (edge === undefined) return { ...reader, scroll }
      const offset = action === 'pageUp' ? edge.from : edge.to - 1
      return { ...reader, scroll, cursor: { index: edge.index, offset } }
    }
    case 'top':
      return { ...reader, scroll: toTop(reader.scroll, rows, height), cursor: firstRow(rows) }
    case 'bottom':
      return { ...reader, scroll: following, cursor: lastRow(rows) }
    case 'previousTurn':
    case 'nextTurn': {
      const prompt = (item: Item) => item.kind === 'user'
      const back = action === 'previousTurn'
      const index = back
        ? findBefore(page.settled, cursor.index, prompt)
        : findAfter(page.settled, cursor.index, prompt)
      if (index === -1) return step(reader, back ? 'top' : 'bottom', page)
      const place = { index, offset: firstRowOf(page.entries, index) }
      return { ...reader, scroll: toRow(reader.scroll, index, place.offset, rows, height), cursor: place }
    }
    case 'toggle': {
      const entry = page.entries.entryAt(cursor.index)
      if (entry === undefined || !canOpen(entry)) return { ...reader, cursor }
      const byHand = new Map(reader.opened.byHand).set(entry.id, !isOpen(entry, reader.opened))
      return reopened(reader, { ...reader.opened, byHand }, cursor, rows, page)
    }
    case 'toggleAll':
      // The second press gives back what is open unasked: failures, and what runs.
      return reopened(reader, { all: reader.opened.all === true ? null : true, byHand: new Map() }, cursor, rows, page)
    case 'search':
      return { ...reader, cursor, search: { query: '', checked: 0, hits: [], typing: true } }
    case 'nextMatch':
    case 'previousMatch':
      return reader.search === null
        ? reader
        : found(reader, reader.search, action === 'nextMatch' ? 1 : -1, cursor, page)
  }
}

/** The mark appears where the reader looks: at the last visible row. */
export function enter(reader: Reader, page: Page): Reader {
  if (reader.cursor !== null) return reader
  return { ...reader, cursor: lastVisible(reader, page.rowsWith(reader.opened), page.height) }
}

/** Moves the window and leaves the mark alone; for the wheel. */
export function wheel(reader: Reader, delta: number, page: Page): Reader {
  return { ...reader, scroll: moveBy(reader.scroll, delta, page.rowsWith(reader.opened), page.height) }
}

/** The query after a change by the person; the nearest match at or before the mark is shown. */
export function typedQuery(reader: Reader, query: string, page: Page): Reader {
  const search = { ...searchItems(page.settled, query), typing: true }
  const rows = page.rowsWith(reader.opened)
  const from = lastRow(rows)
  return query === ''
    ? { ...reader, search }
    : found({ ...reader, search }, search, -1, { ...from, offset: from.offset + 1 }, page)
}

/** The reader goes back to the end and to typing. */
export function leave(reader: Reader): Reader {
  return { ...reader, scroll: following, cursor: null, search: null }
}

/** The next or previous match from a place; wraps around at the ends. Entries that hide their match are opened. */
function found(
  reader: Reader,
  search: Search & { typing: boolean },
  direction: 1 | -1,
  from: Anchor,
  page: Page,
): Reader {
  const fresh = { ...searchItems(page.settled, search.query, search), typing: search.typing }
  const { hits } = fresh
  if (hits.length === 0) return { ...reader, search: fresh }
  const before = hits.filter((index) => index < from.index)
  const after = hits.filter((index) => index > from.index)
  const here = hits.includes(from.index) ? [from.index] : []
  const order =
    direction === 1
      ? [...here, ...after, ...before, ...here]
      : [...here, ...before.reverse(), ...after.reverse(), ...here]
  for (const [n, index] of order.entries()) {
    const inside = n === 0 && index === from.index
    const place = placeIn(reader, index, fresh.query, direction, inside ? from.offset : null, page)
    if (place === null) continue
    const rows = page.rowsWith(place.opened)
    const cursor = { index, offset: place.offset }
    const scroll = reveal(reader.scroll, index, place.offset, rows, page.height)
    return { ...reader, opened: place.opened, cursor, scroll, search: fresh }
  }
  return { ...reader, search: fresh }
}

function placeIn(
  reader: Reader,
  index: number,
  query: string,
  direction: 1 | -1,
  beyond: number | null,
  page: Page,
): { offset: number; opened: Reader['opened'] } | null {
  const rowsWithMatch = (opened: Reader['opened']) =>
    page
      .rowsWith(opened)
      .rowsAt(index)
      .flatMap((one, offset) => (placesOf(plainText(one.spans), query).length > 0 ? [offset] : []))
  const passing = (offsets: number[]) => {
    const left = offsets.filter((offset) => beyond === null || (direction === 1 ? offset > beyond : offset < beyond))
    return direction === 1 ? left[0] : left[left.length - 1]
  }
  const shown = rowsWithMatch(reader.opened)
  const offset = passing(shown)
  if (offset !== undefined) return { offset, opened: reader.opened }
  const entry = page.entries.entryAt(index)
  if (shown.length === 0 && entry && canOpen(entry) && openness(entry, reader.opened) !== 'whole') {
    const opened = { ...reader.opened, byHand: new Map(reader.opened.byHand).set(entry.id, true) }
    return { offset: passing(rowsWithMatch(opened)) ?? 0, opened }
  }
  // A match that is wrapped over two rows stands in neither: the entry itself is the place.
  return beyond === null ? { offset: 0, opened: reader.opened } : null
}

/** The entry that was acted on stays where it is: what opens grows downwards, and the marked row stays in sight. */
function reopened(reader: Reader, opened: Opened, cursor: Anchor, rows: Rows, page: Page): Reader {
  const after = page.rowsWith(opened)
  const place = { index: cursor.index, offset: Math.max(0, Math.min(cursor.offset, after.heightOf(cursor.index) - 1)) }
  const top = windowAt(reader.scroll, rows, page.height).top
  const anchor = { index: top.index, offset: Math.max(0, Math.min(top.offset, after.heightOf(top.index) - 1)) }
  const scroll: Scroll = { follow: false, anchor, seen: reader.scroll.follow ? rows.count : reader.scroll.seen }
  return { ...reader, opened, cursor: place, scroll: reveal(scroll, place.index, place.offset, after, page.height) }
}

/** Down to the next entry; a long one is scrolled through row by row first. */
function toEntryBelow(reader: Reader, cursor: Anchor, rows: Rows, page: Page): Reader {
  const { slices } = windowAt(reader.scroll, rows, page.height)
  const own = rows.heightOf(cursor.index)
  const slice = slices.find((one) => one.index === cursor.index)
  if (slice !== undefined && slice.to < own) {
    return { ...reader, cursor, scroll: moveBy(reader.scroll, 1, rows, page.height) }
  }
  const next = entryBelow(cursor.index, rows)
  if (next === -1) return { ...reader, cursor, scroll: following }
  const offset = firstRowOf(page.entries, next)
  const last = Math.min(rows.heightOf(next), page.height) - 1
  const scroll = nudge(reader.scroll, next, last, 1, rows, page.height)
  return { ...reader, cursor: { index: next, offset }, scroll }
}

function toEntryAbove(reader: Reader, cursor: Anchor, rows: Rows, page: Page): Reader {
  const { slices } = windowAt(reader.scroll, rows, page.height)
  const slice = slices.find((one) => one.index === cursor.index)
  if (slice !== undefined && slice.from > 0 && slice.from > firstRowOf(page.entries, cursor.index)) {
    return { ...reader, cursor, scroll: moveBy(reader.scroll, -1, rows, page.height) }
  }
  const previous = entryAbove(cursor.index, rows)
  if (previous === -1) return { ...reader, cursor }
  const first = firstRowOf(page.entries, previous)
  const seen = Math.max(first, rows.heightOf(previous) - page.height)
  const scroll = nudge(reader.scroll, previous, seen, -1, rows, page.height)
  return { ...reader, cursor: { index: previous, offset: first }, scroll }
}

/** Scrolls just far enough that a row is in the window. */
function nudge(scroll: Scroll, index: number, offset: number, direction: 1 | -1, rows: Rows, height: number): Scroll {
  const { slices } = windowAt(scroll, rows, height)
  if (slices.some((one) => one.index === index && offset >= one.from && offset < one.to)) return scroll
  if (direction === -1) return toRow(scroll, index, offset, rows, height)
  return toRow(scroll, index, offset, rows, height, height - 1)
}

function lastVisible(reader: Reader, rows: Rows, height: number): Anchor {
  const { slices } = windowAt(reader.scroll, rows, height)
  const last = slices[slices.length - 1]
  return last === undefined ? { index: 0, offset: 0 } : { index: last.index, offset: last.to - 1 }
}

function entryAbove(from: number, rows: Rows): number {
  for (let index = from - 1; index >= 0; index--) if (rows.heightOf(index) > 0) return index
  return -1
}

function entryBelow(from: number, rows: Rows): number {
  for (let index = from + 1; index < rows.count; index++) if (rows.heightOf(index) > 0) return index
  return -1
}

/** The first row of an entry that has words: a blank row may come before it. */
function firstRowOf(entries: Entries, index: number): number {
  const entry = entries.entryAt(index)
  return entry !== undefined && needsSpace(entries.entryAt(index - 1), entry) ? 1 : 0
}

function firstRow(rows: Rows): Anchor {
  for (let index = 0; index < rows.count; index++) if (rows.heightOf(index) > 0) return { index, offset: 0 }
  return { index: 0, offset: 0 }
}

function lastRow(rows: Rows): Anchor {
  for (let index = rows.count - 1; index >= 0; index--) {
    const own = rows.heightOf(index)
    if (own > 0) return { index, offset: own - 1 }
  }
  return { index: 0, offset: 0 }
}
