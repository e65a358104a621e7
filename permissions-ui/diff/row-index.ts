/** The rows of file changes by number, without making them: how many there are, and what stands at which. */
import type { DiffLine, FileDiff, Hunk } from '@sluice/engine/protocol'
import { type DiffRow, type DiffRowOptions, emptyNote, endsWithReturns, gapText, hunkTitle } from './rows.ts'

export type RowIndex = {
  readonly count: number
  /** The row at `index`, always the same object. */
  at(index: number): DiffRow | undefined
  kind(index: number): DiffRow['kind'] | undefined
  /** Where a line of a hunk stands; the head of the hunk, or its first line where it has no head, for line -1. */
  row(file: number, hunk: number, line: number): number
  /** Rows that head files, rising. */
  readonly files: readonly number[]
}

/** Rows that belong to no hunk, or the lines of one. */
type Stretch = { start: number; row: DiffRow } | LinesStretch
type LinesStretch = {
  start: number
  file: number
  hunk: number
  lines: readonly DiffLine[]
  crlf: boolean
  open: number[]
}

export function rowIndex(diffs: readonly FileDiff[], options: DiffRowOptions = {}): RowIndex {
  const stretches: Stretch[] = []
  const files: number[] = []
  /** By file and hunk: the stretch of its head, or of its lines where it has no head. */
  const heads: number[][] = []
  /** By file and hunk: the stretch of its lines. */
  const bodies: (LinesStretch | undefined)[][] = []
  let count = 0
  const single = (row: DiffRow) => {
    stretches.push({ start: count, row })
    count++
  }
  for (const [file, diff] of diffs.entries()) {
    const top = (kind: 'file' | 'note', text: string) => single({ kind, file, hunk: -1, line: -1, text })
    if (options.files) {
      if (file > 0) top('note', '')
      files.push(count)
      top('file', diff.path)
    }
    if (diff.note !== undefined) top('note', diff.note)
    const crlf = endsWithReturns(diff)
    if (crlf) top('note', 'line endings: CRLF')
    const lineless = diff.hunks.every((hunk) => hunk.lines.length === 0)
    if (lineless && diff.note === undefined) top('note', emptyNote(diff))
    const fileHeads: number[] = []
    const fileBodies: (LinesStretch | undefined)[] = []
    for (const [hunk, body] of diff.hunks.entries()) {
      fileHeads.push(count)
      if (options.hunks) single({ kind: 'hunk', file, hunk, line: -1, text: hunkTitle(body) })
      else if (hunk > 0) single({ kind: 'gap', file, hunk, line: -1, text: gapText(diff.hunks[hunk - 1], body) })
      const lines = linesOf(body, count, file, hunk, crlf)
      fileBodies.push(lines)
      if (lines === undefined) continue
      if (!options.hunks) fileHeads[hunk] = count
      stretches.push(lines)
      count += lines.lines.length + lines.open.length
    }
    heads.push(fileHeads)
    bodies.push(fileBodies)
  }

  const made = new Map<number, DiffRow>()
  // Rows are mostly asked for one after the other.
  let latest = 0
  const find = (index: number): Stretch | undefined => {
    if (index < 0 || index >= count) return undefined
    const known = stretches[latest]
    const after = stretches[latest + 1]
    if (known && known.start <= index && (after === undefined || index < after.start)) return known
    let low = 0
    let high = stretches.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((stretches[middle] as Stretch).start <= index) low = middle
      else high = middle - 1
    }
    latest = low
    return stretches[low]
  }
  return {
    count,
    files,
    at(index) {
      const known = made.get(index)
      if (known) return known
      const stretch = find(index)
      if (stretch === undefined) return undefined
      const row = 'row' in stretch ? stretch.row : lineRow(stretch, index - stretch.start)
      if (row) made.set(index, row)
      return row
    },
    kind(index) {
      const stretch = find(index)
      if (stretch === undefined) return undefined
      if ('row' in stretch) return stretch.row.kind
      const { line, note } = placeOf(stretch, index - stretch.start)
      return note ? 'note' : stretch.lines[line]?.kind
    },
    row(file, hunk, line) {
      const body = bodies[file]?.[hunk]
      if (line < 0 || body === undefined) return heads[file]?.[hunk] ?? 0
      return body.start + line + body.open.filter((open) => open < line).length
    },
  }
}

function linesOf(body: Hunk, start: number, file: number, hunk: number, crlf: boolean): LinesStretch | undefined {
  const { lines } = body
  if (lines.length === 0) return undefined
  const open: number[] = []
  for (let i = 0; i < lines.length; i++) if (lines[i]?.noNewline) open.push(i)
  return { start, file, hunk, lines, crlf, open }
}

/** Which line stands at an offset; `note` where it is the remark below it. */
function placeOf({ open }: LinesStretch, offset: number): { line: number; note: boolean } {
  let before = 0
  for (const line of open) {
    const remark = line + before + 1
    if (offset < remark) break
    if (offset === remark) return { line, note: true }
    before++
  }
  return { line: offset - before, note: false }
}

function lineRow(stretch: LinesStretch, offset: number): DiffRow | undefined {
  const { file, hunk, lines, crlf } = stretch
  const { line, note } = placeOf(stretch, offset)
  if (note) return { kind: 'note', file, hunk, line, text: 'no newline at the end' }
  const entry = lines[line]
  if (entry === undefined) return undefined
  const text = crlf && entry.text.endsWith('\r') ? entry.text.slice(0, -1) : entry.text
  const row: DiffRow = { kind: entry.kind, file, hunk, line, text }
  if (entry.oldLine !== undefined) row.oldLine = entry.oldLine
  if (entry.newLine !== undefined) row.newLine = entry.newLine
  return row
}

/** Two columns: for each row of the screen the rows that stand there, and for each row where it stands. */
export type PairIndex = {
  readonly count: number
  /** -1 where there is none. A row over both columns is its own left and right. */
  left(index: number): number
  right(index: number): number
  /** The row of the screen that a row stands in. */
  place(row: number): number
}

/** The rows side by side: removed lines stand beside the added lines that follow them. */
export function pairIndex(rows: RowIndex): PairIndex {
  const left = new Int32Array(rows.count)
  const right = new Int32Array(rows.count)
  const place = new Int32Array(rows.count)
  let count = 0
  const put = (l: number, r: number) => {
    left[count] = l
    right[count] = r
    if (l >= 0) place[l] = count
    if (r >= 0) place[r] = count
    count++
  }
  for (let i = 0; i < rows.count; ) {
    const kind = rows.kind(i)
    if (kind !== 'add' && kind !== 'del') {
      put(i, i)
      i++
      continue
    }
    // A run ends where removed lines follow added ones: they are the next change.
    const dels = i
    while (rows.kind(i) === 'del') i++
    const adds = i
    while (rows.kind(i) === 'add') i++
    for (let k = 0; k < Math.max(adds - dels, i - adds); k++) {
      put(dels + k < adds ? dels + k : -1, adds + k < i ? adds + k : -1)
    }
  }
  return {
    count,
    left: (index) => (index < count ? (left[index] ?? -1) : -1),
    right: (index) => (index < count ? (right[index] ?? -1) : -1),
    place: (row) => place[row] ?? 0,
  }
}
