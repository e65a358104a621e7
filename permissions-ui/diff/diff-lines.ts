/** The rows of a diff in exactly so many cells, made one by one: numbers, markers, syntax, changed words, one or two columns. */
import type { DiffLine, FileDiff, Hunk } from '@sluice/engine/protocol'
import { fitSpans, type StyledRow, type StyledSpan } from '../blocks/styled-row.ts'
import { cellWidth, padCells, truncateCells } from '../text/cells.ts'
import { revealBlanks } from '../text/reveal.ts'
import { sanitizeForTerminal } from '../text/sanitize.ts'
import type { Theme } from '../theme.ts'
import { type CodeSpan, highlightLines, languageOf } from './highlight.ts'
import { countSpans, emphasise, type LineMark, leadSpan, lookOf, moveLeft, plainLook } from './line-look.ts'
import { movedLines } from './moved.ts'
import { pairIndex, type RowIndex, rowIndex } from './row-index.ts'
import type { DiffRow, DiffRowOptions } from './rows.ts'
import { pairOf, type Ranges, wordDiff } from './word-diff.ts'

export type DiffLinesOptions = DiffRowOptions & {
  width: number
  theme: Theme
  /** Cells that every line is moved to the left. */
  left?: number
  split?: boolean
  /** Long runs of blanks are written out, so that nothing hides behind them. */
  reveal?: boolean
  /** Every blank is drawn as a dot. */
  blanks?: boolean
  tabWidth?: number
}

/** Rows made one by one when they come into view, and kept. `row(i).file` and so on tell what stands there. */
export type DiffLines = {
  readonly count: number
  at(index: number): StyledRow
  /** The same row with the cursor on it. */
  pointed(index: number): StyledRow
  /** The same row as a review marks it; in two columns each side is marked by itself. */
  marked(index: number, mark: (row: DiffRow) => LineMark): StyledRow
  /** The unified row at a display index; the left one of two columns when there are both. */
  row(index: number): DiffRow | undefined
  /** All unified rows at a display index. */
  rowsAt(index: number): DiffRow[]
  /** The display index of a line of a hunk; of the hunk's head for line -1. */
  place(file: number, hunk: number, line: number): number
  /** Display indices of the heads of files, rising. */
  readonly files: readonly number[]
}

export function diffLines(diffs: readonly FileDiff[], options: DiffLinesOptions): DiffLines {
  const rows = rowIndex(diffs, options)
  const pairs = options.split ? pairIndex(rows) : null
  const made = new Map<number, StyledRow>()
  const paint = painter(diffs, rows, options)
  const build = (index: number, mark: Marking): StyledRow => {
    if (!pairs) return { spans: paint.unified(index, mark) }
    return { spans: paint.sideBySide(rows.at(pairs.left(index)), rows.at(pairs.right(index)), mark) }
  }
  const rowAt = (index: number): DiffRow | undefined => {
    if (!pairs) return rows.at(index)
    return rows.at(pairs.left(index)) ?? rows.at(pairs.right(index))
  }
  const rowsAt = (index: number): DiffRow[] => {
    const left = pairs ? pairs.left(index) : index
    const right = pairs ? pairs.right(index) : index
    return (left === right ? [left] : [left, right]).flatMap((i) => rows.at(i) ?? [])
  }
  const marked = new Map<number, { key: string; row: StyledRow }>()
  return {
    count: pairs ? pairs.count : rows.count,
    at(index) {
      const known = made.get(index)
      if (known) return known
      const row = build(index, unmarked)
      made.set(index, row)
      return row
    },
    pointed(index) {
      const pointed = rowAt(index)
      return build(index, (row) => ({ cursor: row === pointed }))
    },
    marked(index, mark) {
      // Most rows are marked as they were before the key: the same object is not drawn again.
      const key = rowsAt(index)
        .map((row) => markKey(mark(row)))
        .join('|')
      const known = marked.get(index)
      if (known?.key === key) return known.row
      const row = withoutTail(build(index, mark))
      marked.set(index, { key, row })
      return row
    },
    row: rowAt,
    rowsAt,
    place(file, hunk, line) {
      const row = rows.row(file, hunk, line)
      return pairs ? pairs.place(row) : row
    },
    files: pairs ? rows.files.map((row) => pairs.place(row)) : rows.files,
  }
}

/** Blanks without a background at the end of a row show nothing, and cost time with each frame. */
function withoutTail(row: StyledRow): StyledRow {
  const last = row.spans.at(-1)
  const plain = last && last.backgroundColor === undefined && !last.inverse && !last.underline
  return plain && row.spans.length > 1 && last.text.trim() === '' ? { spans: row.spans.slice(0, -1) } : row
}

function markKey({ cursor, range, off, box, badge }: LineMark): string {
  return `${cursor ? 'c' : ''}${range ? 'r' : ''}${off ? 'o' : ''}${box ?? ''}${badge ?? ''}`
}

type Marking = (row: DiffRow) => LineMark
const unmarked: Marking = () => ({})

// A grapheme of sanitised text is at most this many UTF-16 units per cell: more of a line cannot come into view.
const unitsPerCell = 20
/** Longer lines are clipped before anything measures them. */
const wholeLine = 2_000
/** Lines of a hunk that are coloured together; what spans such a border loses its colour, not its text. */
const chunkLines = 64

function painter(diffs: readonly FileDiff[], rows: RowIndex, options: DiffLinesOptions) {
  const { width, theme, left = 0 } = options
  const numberCells = String(largestNumber(diffs)).length
  const columnCells = Math.max(8, Math.floor((width - 1) / 2))
  const colours = new Map<string, CodeSpan[][] | null>()

  /** The sanitised text of a line; a pure function of the line, so that word and syntax offsets agree. */
  const shown = (text: string): string => {
    const limit = Math.max(wholeLine, (left + width + 1) * unitsPerCell)
    const clipped = text.length > limit ? text.slice(0, limit) : text
    const clean = sanitizeForTerminal(clipped, 'visible', options.tabWidth ?? 4).replaceAll('\n', '⏎')
    return options.reveal ? revealBlanks(clean) : clean
  }

  const codeOf = (row: DiffRow, text: string): CodeSpan[] => {
    const hunk = diffs[row.file]?.hunks[row.hunk]
    const language = languageOf(diffs[row.file]?.path ?? '')
    if (!hunk || language === undefined || !theme.color || row.text.length > wholeLine) return [{ text }]
    const side = row.kind === 'del' ? 'del' : 'add'
    const chunk = Math.floor(row.line / chunkLines)
    const key = `${row.file}:${row.hunk}:${side}:${chunk}`
    let spans = colours.get(key)
    if (spans === undefined) {
      spans = colourChunk(hunk, side, chunk * chunkLines, language, shown)
      colours.set(key, spans)
    }
    const line = spans?.[row.line - chunk * chunkLines]
    if (!line) return [{ text }]
    let at = 0
    const parts = line.map((span) => {
      const part = { ...span, text: text.slice(at, at + span.text.length) }
      at += span.text.length
      return part
    })
    // Colours were read from this text without a visible line ending.
    return at < text.length ? [...parts, { text: text.slice(at) }] : parts
  }

  const wordsOf = (row: DiffRow, text: string): Ranges => {
    const hunk = diffs[row.file]?.hunks[row.hunk]
    const other = hunk ? pairOf(hunk, row.line) : undefined
    const partner = other === undefined ? undefined : hunk?.lines[other]
    if (!partner) return []
    // The line ending is not a word: a row's text has lost it where the whole file is CRLF.
    const partnerText = shown(row.text.endsWith('\r') ? partner.text : partner.text.replace(/\r$/, ''))
    const words = row.kind === 'del' ? wordDiff(text, partnerText)?.del : wordDiff(partnerText, text)?.add
    return words ?? []
  }

  // Only where somebody decides: what moved is known over all files, and is looked for when the first line is drawn.
  let moves: ReadonlySet<DiffLine> | undefined
  const isMoved = (row: DiffRow): boolean => {
    if (!options.hunks || row.kind === 'context') return false
    moves ??= movedLines(diffs)
    const line = diffs[row.file]?.hunks[row.hunk]?.lines[row.line]
    return line !== undefined && moves.has(line)
  }
  const movesIn = ({ file, hunk }: DiffRow): number => {
    moves ??= movedLines(diffs)
    if (moves.size === 0) return 0
    return (diffs[file]?.hunks[hunk]?.lines ?? []).reduce((sum, line) => (moves?.has(line) ? sum + 1 : sum), 0)
  }

  /** Marker and text of a line in `cells`, moved to the left and filled with the line's background. */
  const body = (row: DiffRow, cells: number, off: boolean): StyledSpan[] => {
    const text = shown(row.text)
    if (off)
      return fitSpans(moveLeft([{ text, color: theme.muted }], left, theme, plainLook), cells, theme.glyphs.ellipsis)
    const look = lookOf(row.kind, theme)
    const words = row.kind === 'context' ? [] : wordsOf(row, text)
    const coloured = emphasise(codeOf(row, text), words, row.kind, theme, look)
    const spans = isMoved(row) ? coloured.map((span) => ({ ...span, italic: true })) : coloured
    const moved = moveLeft(spans, left, theme, look)
    const dotted = options.blanks ? moved.map((span) => ({ ...span, text: span.text.replaceAll(' ', '·') })) : moved
    return fitSpans(dotted, cells, theme.glyphs.ellipsis, look.fill)
  }

  const numbered = (row: DiffRow, number: number | undefined, cells: number, mark: LineMark): StyledSpan[] => {
    const { cursor = false, range = false, off = false } = mark
    const look = lookOf(row.kind, theme)
    const signColor = off
      ? { color: theme.muted }
      : isMoved(row)
        ? { ...look.marker, color: theme.accent2 }
        : look.marker
    const sign: StyledSpan = { ...signColor, text: `${look.sign} ` }
    const gutter = `${String(number ?? '').padStart(numberCells)} `
    const room = cells - numberCells - 4
    if (room < 4) return fitSpans([sign, ...body(row, Math.max(0, cells - 2), off)], cells)
    return [
      leadSpan(mark, theme),
      { text: gutter, color: theme.muted, ...(cursor || range ? { inverse: true } : {}) },
      sign,
      ...body(row, room, off),
    ]
  }

  const heading = (row: DiffRow, mark: LineMark): StyledSpan[] => {
    const lead = leadSpan(mark, theme)
    const clean = shown(row.text)
    const diff = diffs[row.file]
    if (row.kind === 'file' && diff) {
      const counts = countSpans(diff, theme)
      const tail = counts.reduce((sum, span) => sum + cellWidth(span.text), 0)
      const name = truncateCells(clean, Math.max(8, width - tail - 3), theme.glyphs.ellipsis)
      return fitSpans([lead, { text: name, bold: true }, { text: '  ' }, ...counts], width, theme.glyphs.ellipsis)
    }
    if (row.kind === 'hunk') {
      const box: StyledSpan[] =
        mark.box === undefined ? [] : [{ text: `${mark.box} `, bold: true, ...(mark.range ? { inverse: true } : {}) }]
      const moved = movesIn(row)
      const words = [...(mark.badge === undefined ? [] : [mark.badge]), ...(moved === 0 ? [] : [`${moved} moved`])]
      const badge: StyledSpan[] = words.length === 0 ? [] : [{ text: `  ${words.join(' · ')}`, color: theme.accent2 }]
      return fitSpans([lead, ...box, { text: clean, color: theme.accent }, ...badge], width, theme.glyphs.ellipsis)
    }
    const indent = ' '.repeat(Math.min(numberCells + 3, Math.max(0, width - 10)))
    const text = row.kind === 'gap' ? `${theme.glyphs.ellipsis} ${clean}` : clean
    return fitSpans([lead, { text: `${indent}${text}`, color: theme.muted, italic: row.kind === 'note' }], width)
  }

  return {
    unified(index: number, mark: Marking): StyledSpan[] {
      const row = rows.at(index)
      if (!row) return [{ text: padCells('', width) }]
      if (!isLine(row)) return heading(row, mark(row))
      return numbered(row, row.kind === 'del' ? row.oldLine : row.newLine, width, mark(row))
    },
    sideBySide(left: DiffRow | undefined, right: DiffRow | undefined, mark: Marking): StyledSpan[] {
      if (left && left === right && left.kind !== 'context') return heading(left, mark(left))
      const side = (row: DiffRow | undefined, old: boolean) => {
        if (!row) return [{ text: ' '.repeat(columnCells) }]
        // An unchanged line stands on both sides; it is pointed at on the left.
        const pointed = old || row.kind !== 'context' ? mark(row) : {}
        return numbered(row, old ? row.oldLine : row.newLine, columnCells, pointed)
      }
      const spans = [...side(left, true), { text: theme.glyphs.vertical, color: theme.muted }, ...side(right, false)]
      return fitSpans(spans, width)
    },
  }
}

/** Colours of one side of a hunk from line `from` on; lines of the other side are left out and stay undefined. */
function colourChunk(
  hunk: Hunk,
  side: 'add' | 'del',
  from: number,
  language: string,
  shown: (text: string) => string,
): CodeSpan[][] | null {
  const indices: number[] = []
  const texts: string[] = []
  for (let i = from; i < Math.min(hunk.lines.length, from + chunkLines); i++) {
    const line = hunk.lines[i]
    if (!line || (line.kind !== 'context' && line.kind !== side)) continue
    indices.push(i - from)
    texts.push(line.text.length > wholeLine ? '' : shown(line.text.replace(/\r$/, '')).replaceAll('→', ' '))
  }
  const coloured = highlightLines(texts, language)
  if (!coloured) return null
  const out: CodeSpan[][] = []
  for (const [i, index] of indices.entries()) out[index] = coloured[i] ?? []
  return out
}

function isLine(row: DiffRow): boolean {
  return row.kind === 'context' || row.kind === 'add' || row.kind === 'del'
}

function largestNumber(diffs: readonly FileDiff[]): number {
  let largest = 1
  for (const diff of diffs) {
    const hunk = diff.hunks[diff.hunks.length - 1]
    if (hunk) largest = Math.max(largest, hunk.oldStart + hunk.oldLines, hunk.newStart + hunk.newLines)
  }
  return largest
}
