/** The body of a change under review: boxes before hunks, what is left out in grey, comments below their lines. */
import type { FileDiff } from '@sluice/engine/protocol'
import { type StyledRow, styledRow } from '../blocks/styled-row.ts'
import { withCaret } from '../choice/field-row.ts'
import { type DiffLines, diffLines } from '../diff/diff-lines.ts'
import type { LineMark } from '../diff/line-look.ts'
import type { DiffRow } from '../diff/rows.ts'
import { inRange, isEdited, isKept, keptMark, type ReviewCursor, type ReviewState, rangeOf } from '../review/state.ts'
import type { TextArea } from '../review/text-area.ts'
import { cellWidth, graphemes, sliceCells, wrapCells } from '../text/cells.ts'
import { sanitizeForTerminal } from '../text/sanitize.ts'
import { asciiGlyphs } from '../themes/glyphs.ts'
import { type Body, type BodyOptions, visibleText } from './body.ts'

/** Where the places of a review stand in its body. */
export type ReviewPlaces = {
  row(cursor: ReviewCursor): number
  /** The last row of the comments below the cursor, or its own row. */
  tail(cursor: ReviewCursor): number
  /** The last row of the hunk that the cursor is in. */
  end(cursor: ReviewCursor): number
  /** What stands at a row; null for rows that are no place. */
  under(row: number): ReviewCursor | null
}

/** The lines of a change, made once for as long as only marks change. */
export type ReviewLines = { lines: DiffLines; heads: readonly (readonly number[])[]; files: readonly number[] }

export function reviewLines(diffs: readonly FileDiff[], options: BodyOptions & { blanks: boolean }): ReviewLines {
  const lines = diffLines(diffs, { ...options, files: diffs.length > 1, hunks: true, reveal: true })
  const heads = diffs.map((diff, file) => diff.hunks.map((_, hunk) => lines.place(file, hunk, -1)))
  return { lines, heads, files: lines.files }
}

export function reviewBody(
  review: ReviewState,
  made: ReviewLines,
  options: BodyOptions,
  /** What else is to be said at the head of a hunk. */
  remark?: (hunk: Pick<ReviewCursor, 'file' | 'hunk'>) => string | undefined,
): Body & { places: ReviewPlaces } {
  const { lines, heads } = made
  const base = ({ file, hunk, line }: ReviewCursor) => lines.place(file, hunk, line)
  // Few, and in the order of their rows.
  const notes = review.comments.map((comment) => ({ after: base(comment), rows: commentRows(comment.text, options) }))
  notes.sort((a, b) => a.after - b.after)
  const count = notes.reduce((sum, note) => sum + note.rows.length, lines.count)
  const shownAt = (row: number) => notes.reduce((at, note) => (note.after < row ? at + note.rows.length : at), row)
  const resolve = (index: number): number | StyledRow => {
    let added = 0
    for (const note of notes) {
      const start = note.after + 1 + added
      if (index < start) break
      const row = note.rows[index - start]
      if (row !== undefined) return row
      added += note.rows.length
    }
    return index - added
  }
  const mark = marker(review, remark)
  return {
    count,
    at(index) {
      const found = resolve(index)
      return typeof found === 'number' ? lines.marked(found, mark) : found
    },
    hunks: heads.flat().map(shownAt),
    files: made.files.map(shownAt),
    places: {
      row: (cursor) => shownAt(base(cursor)),
      tail(cursor) {
        const row = base(cursor)
        return notes.reduce((end, note) => (note.after === row ? end + note.rows.length : end), shownAt(row))
      },
      end({ file, hunk }) {
        const next = heads[file]?.[hunk + 1] ?? heads[file + 1]?.[0]
        return (next === undefined ? count : shownAt(next)) - 1
      },
      under(index) {
        const found = resolve(index)
        if (typeof found !== 'number') return null
        const row = lines.rowsAt(found).find((each) => isLine(each) || each.kind === 'hunk')
        return row === undefined ? null : { file: row.file, hunk: row.hunk, line: row.kind === 'hunk' ? -1 : row.line }
      },
    },
  }
}

/** The text that a person is writing, numbered from `first`; the row of the caret knows where the caret is. */
export function areaBody(area: TextArea, first: number, { width, theme }: BodyOptions): Body {
  const cells = String(first + area.lines.length).length
  const room = Math.max(4, width - cells - 3)
  const shown = (text: string) => sanitizeForTerminal(text, 'visible', 4)
  return {
    count: area.lines.length,
    at(index) {
      const here = index === area.row
      const text = shown(area.lines[index] ?? '')
      const caret = here ? cellWidth(shown((area.lines[index] ?? '').slice(0, area.column))) : 0
      const from = caret < room ? 0 : caret - room + 1
      const number = { text: ` ${String(first + index).padStart(cells)} `, color: here ? theme.accent : theme.muted }
      const lead = { text: from > 0 ? theme.glyphs.ellipsis.slice(0, 1) : ' ', color: theme.muted }
      const before = sliceCells(text, from, caret)
      const rest = sliceCells(text, here ? caret : from, from + room)
      if (!here) return styledRow(number, lead, { text: rest })
      const [at = ' ', ...after] = graphemes(rest === '' ? ' ' : rest)
      const row = styledRow(number, lead, { text: before }, { text: at, inverse: true }, { text: after.join('') })
      return withCaret(row, cells + 3 + caret - from)
    },
    hunks: [],
    files: [],
  }
}

function commentRows(text: string, { width, theme }: BodyOptions): StyledRow[] {
  const lead = `${' '.repeat(Math.min(9, Math.max(1, width >> 3)))}${theme.glyphs === asciiGlyphs ? '`-' : '└'} you: `
  const lines = wrapCells(visibleText(text), Math.max(8, width - cellWidth(lead)))
  return lines.map((line, i) =>
    styledRow(
      { text: i === 0 ? lead : ' '.repeat(cellWidth(lead)), color: theme.accent2 },
      { text: line, color: theme.accent2, italic: true },
    ),
  )
}

function marker(
  review: ReviewState,
  remark: (hunk: Pick<ReviewCursor, 'file' | 'hunk'>) => string | undefined = () => undefined,
): (row: DiffRow) => LineMark {
  const { cursor, diffs } = review
  const span = rangeOf(review)
  return (row) => {
    const hunk = diffs[row.file]?.hunks[row.hunk]
    const kept = review.kept[row.file]?.[row.hunk]
    if (hunk === undefined || kept === undefined) return {}
    const here = cursor.file === row.file && cursor.hunk === row.hunk
    if (row.kind === 'hunk') {
      const box = { all: '[x]', some: '[~]', none: '[ ]' }[keptMark(hunk, kept)]
      const badge = isEdited(review, row.file, row.hunk) ? 'edited by you' : remark(row)
      const range = inRange(span, { ...row, line: -1 })
      return { cursor: here && cursor.line < 0, box, range, ...(badge === undefined ? {} : { badge }) }
    }
    if (!isLine(row)) return {}
    const off = row.kind !== 'context' && !isKept(kept, row.line)
    return { cursor: here && cursor.line === row.line, off, range: inRange(span, row) }
  }
}

function isLine(row: DiffRow): boolean {
  return row.kind === 'context' || row.kind === 'add' || row.kind === 'del'
}
