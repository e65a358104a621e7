/** The draft as rows of cells: where lines wrap, what each row shows, and in which cell the caret stands. */
import { cellWidth, sanitizeForTerminal, truncateCells } from '@sluice/permissions-ui'
import { type Chips, chipAt } from './paste.ts'

export type Piece = { text: string; kind: 'text' | 'chip' | 'hidden' }
/** `start` and `end` are indices into the draft; `end` is where the next row or the line break begins. */
export type Row = { start: number; end: number; pieces: readonly Piece[] }
export type Layout = { rows: readonly Row[]; caret: { row: number; column: number } }

type Content = { text: string; caret: number; chips: Chips }
/** Rows of one line, with indices that count from its start. */
type LineRows = readonly Row[]

/**
 * Wraps at blanks, around wide characters, and inside words that are longer than a row. Blanks that do not fit hang at the end
 * of their row, so a row has at most `width` cells and the caret a column from 0 to `width`.
 */
export function layOut(content: Content, width: number): Layout {
  const room = Math.max(1, width)
  const rows: Row[] = []
  let start = 0
  while (true) {
    const at = content.text.indexOf('\n', start)
    const end = at === -1 ? content.text.length : at
    const line = content.text.slice(start, end)
    for (const row of wrapLine(line, room, content.chips)) {
      rows.push(start === 0 ? row : { start: row.start + start, end: row.end + start, pieces: row.pieces })
    }
    if (at === -1) break
    start = at + 1
  }
  const row = rowOf(rows, content.caret)
  return { rows, caret: { row, column: columnOf(content, rows[row], content.caret, room) } }
}

/** The index in `row` that is nearest to `column` without passing it. */
export function indexAt(content: Content, layout: Layout, row: number, column: number, width: number): number {
  const target = layout.rows[row]
  if (target === undefined) return content.text.length
  const next = layout.rows[row + 1]
  let best = target.start
  let at = 0
  for (const cell of cellsOf(content.text.slice(target.start, target.end), Math.max(1, width), content.chips)) {
    at += cell.width(at)
    if (at > column) break
    best = target.start + cell.end
  }
  // The end of a wrapped row is the start of the next one; the caret stays on this row.
  if (next !== undefined && next.start === target.end && best === target.end) {
    const cells = [...cellsOf(content.text.slice(target.start, target.end), Math.max(1, width), content.chips)]
    const last = cells.at(-1)
    if (last !== undefined) best = target.start + last.start
  }
  return best
}

function rowOf(rows: readonly Row[], caret: number): number {
  let low = 0
  let high = rows.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((rows[middle]?.start ?? 0) <= caret) low = middle
    else high = middle - 1
  }
  return low
}

function columnOf(content: Content, row: Row | undefined, caret: number, width: number): number {
  if (row === undefined) return 0
  let column = 0
  for (const cell of cellsOf(content.text.slice(row.start, row.end), width, content.chips)) {
    if (row.start + cell.end > caret) break
    column += cell.width(column)
  }
  return Math.min(column, width)
}

function wrapLine(line: string, width: number, chips: Chips): LineRows {
  if (line.length <= width && ascii.test(line)) {
    return [{ start: 0, end: line.length, pieces: line === '' ? [] : [{ text: line, kind: 'text' }] }]
  }
  // A label may change with the chip behind it; lines without chips are the same wherever they stand.
  const cacheable = !line.includes(chipLead)
  const key = `${width} ${line}`
  const known = cacheable ? cache.get(key) : undefined
  if (known !== undefined) return known
  const rows = wrapCellsOf(line, width, chips)
  if (cacheable) {
    if (cache.size > cacheSize) cache.clear()
    cache.set(key, rows)
  }
  return rows
}

function wrapCellsOf(line: string, width: number, chips: Chips): LineRows {
  const rows: Row[] = []
  let row = new RowBuilder(0)
  let column = 0
  /** The last place of this row where it may be cut. */
  let cutAt: { index: number; pieces: Piece[] } | null = null
  let sinceCut: Cell[] = []
  for (const cell of cellsOf(line, width, chips)) {
    let size = cell.width(column)
    if (cell.blank) {
      const fits = Math.min(size, width - column)
      row.add(' '.repeat(fits), 'text')
      column += fits
      cutAt = { index: cell.end, pieces: row.pieces() }
      sinceCut = []
      continue
    }
    if (size > 1 && row.start < cell.start) {
      cutAt = { index: cell.start, pieces: row.pieces() }
      sinceCut = []
    }
    if (column + size > width && row.start < cell.start) {
      const index: number = cutAt?.index ?? cell.start
      rows.push({ start: row.start, end: index, pieces: cutAt?.pieces ?? row.pieces() })
      const moved: Cell[] = cutAt === null ? [] : sinceCut
      row = new RowBuilder(index)
      column = 0
      cutAt = null
      sinceCut = []
      for (const word of moved) {
        row.add(word.shown, word.kind)
        column += word.width(column)
      }
      size = cell.width(column)
      if (column + size > width && row.start < cell.start) {
        rows.push({ start: row.start, end: cell.start, pieces: row.pieces() })
        row = new RowBuilder(cell.start)
        column = 0
      }
    }
    row.add(cell.shown, cell.kind)
    column += size
    sinceCut.push(cell)
    if (size > 1) {
      cutAt = { index: cell.end, pieces: row.pieces() }
      sinceCut = []
    }
  }
  rows.push({ start: row.start, end: line.length, pieces: row.pieces() })
  return rows
}

type Cell = {
  start: number
  end: number
  shown: string
  kind: Piece['kind']
  blank: boolean
  /** Cells that it takes when it begins at `column`. */
  width(column: number): number
}

/** The graphemes of a line as they are shown. */
function* cellsOf(line: string, width: number, chips: Chips): Generator<Cell> {
  if (ascii.test(line)) {
    for (let at = 0; at < line.length; at++) {
      const char = line.charAt(at)
      yield { start: at, end: at + 1, shown: char, kind: 'text', blank: char === ' ', width: one }
    }
    return
  }
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  for (const { segment, index } of segmenter.segment(line)) {
    const end = index + segment.length
    if (segment === '\t') {
      yield {
        start: index,
        end,
        shown: ' ',
        kind: 'text',
        blank: true,
        width: (column) => tabStop - (column % tabStop),
      }
      continue
    }
    const chip = chipAt(chips, segment, 0)
    const visible =
      chip === null
        ? sanitizeForTerminal(segment, 'visible')
        : chip.label + sanitizeForTerminal(segment.slice(2), 'visible')
    const shown = cellWidth(visible) > width ? truncateCells(visible, width) : visible
    const cells = cellWidth(shown)
    const kind = chip !== null ? 'chip' : visible === segment ? 'text' : 'hidden'
    yield { start: index, end, shown, kind, blank: segment === ' ' || segment === '\u3000', width: () => cells }
  }
}

/** Collects what a row shows, joining neighbours of one kind. */
class RowBuilder {
  readonly start: number
  private readonly done: Piece[] = []

  constructor(start: number) {
    this.start = start
  }

  add(text: string, kind: Piece['kind']): void {
    if (text === '') return
    const last = this.done.at(-1)
    if (last?.kind === kind) this.done[this.done.length - 1] = { text: last.text + text, kind }
    else this.done.push({ text, kind })
  }

  pieces(): Piece[] {
    return [...this.done]
  }
}

const one = () => 1
const ascii = /^[ -~]*$/
const tabStop = 4
/** First half of every chip's character. */
const chipLead = '\udbfc'
const cache = new Map<string, LineRows>()
const cacheSize = 4000
let segmenter: Intl.Segmenter | undefined
