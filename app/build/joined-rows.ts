/** Stands in for Ink's cell grid in the bundle: rows whose texts do not overlap are joined as they are, without splitting them into cells. */
import { oneColumn } from './one-column.ts'

/** Half-open, in cells; a side that is absent has no bound. */
type Clip = { x1?: number | undefined; x2?: number | undefined; y1?: number | undefined; y2?: number | undefined }

/** What Ink's `Output` collects in a frame: a text at a place, or the beginning and end of a box that cuts its content. */
export type Operation =
  | {
      type: 'write'
      x: number
      y: number
      text: string
      transformers: readonly ((line: string, at: number) => string)[]
    }
  | { type: 'clip'; clip: Clip }
  | { type: 'unclip' }

/** One text of a row, from a cell to before another. */
type Piece = { from: number; to: number; text: string }

/**
 * A frame's rows as terminal text, undefined where a row needs cells: texts that overlap, are cut, leave a style open or
 * hold characters that are not one cell wide. `intersect` is Ink's own, for boxes within boxes.
 */
export function joinedRows(
  operations: readonly Operation[],
  width: number,
  height: number,
  intersect: (outer: Clip | undefined, inner: Clip) => Clip,
): (string | undefined)[] {
  const rows: (Piece[] | undefined)[] = Array.from({ length: height }, () => [])
  const clips: Clip[] = []
  for (const operation of operations) {
    if (operation.type === 'clip') clips.push(intersect(clips.at(-1), operation.clip))
    else if (operation.type === 'unclip') clips.pop()
    else if (!place(operation, clips.at(-1), rows, width)) return rows.map(() => undefined)
  }
  return rows.map((pieces) => pieces && joined(pieces))
}

/** False when nothing can be said of any row. */
function place(
  { x, y, text, transformers }: Operation & { type: 'write' },
  clip: Clip | undefined,
  rows: (Piece[] | undefined)[],
  width: number,
): boolean {
  if (!Number.isInteger(x) || !Number.isInteger(y)) return false
  const { x1 = -Infinity, x2 = Infinity, y1 = -Infinity, y2 = Infinity } = clip ?? {}
  const lines = text.includes('\n') ? text.split('\n') : [text]
  // A style may reach from one line into the next.
  const closed = lines.length === 1 || lines.every((line) => cellsOf(line) >= 0)
  for (const [at, line] of lines.entries()) {
    const row = y + at
    const pieces = rows[row]
    if (pieces === undefined || row < y1 || row >= y2) continue
    const given = closed ? cellsOf(line) : -1
    if (given >= 0 && (given === 0 || x >= x2 || x + given <= x1 || x1 >= x2)) {
      // Nothing of it is seen, unless a transformer makes something of nothing.
      if (transformers.length > 0) rows[row] = undefined
      continue
    }
    const drawn = given < 0 ? line : transformers.reduce((before, transform) => transform(before, at), line)
    const cells = given < 0 ? -1 : cellsOf(drawn)
    const whole = x >= x1 && x + given <= x2 && x >= 0 && x + cells <= width
    if (cells < 0 || !whole) rows[row] = undefined
    else if (cells > 0) pieces.push({ from: x, to: x + cells, text: drawn })
  }
  return true
}

/** Whether one of the rows that a text reaches is drawn in cells; `rows` has nothing where it is not. */
export function needsCells({ y, text }: { y: number; text: string }, rows: readonly unknown[]): boolean {
  if (!Number.isInteger(y)) return true
  const last = y + (text.includes('\n') ? text.split('\n').length - 1 : 0)
  for (let row = Math.max(0, y); row <= last && row < rows.length; row++) if (rows[row] !== undefined) return true
  return false
}

function joined(pieces: Piece[]): string | undefined {
  let text = ''
  let column = 0
  for (const piece of pieces.sort((one, other) => one.from - other.from)) {
    if (piece.from < column) return undefined
    text += ' '.repeat(piece.from - column) + piece.text
    column = piece.to
  }
  return text.trimEnd()
}

const plain = new RegExp(`^[${oneColumn}]*$`)
const style = /\x1b\[([\d;]*)m/g
const measured = new Map<string, number>()

/** The cells of a line that ends without a style and whose characters are one cell each; -1 for any other. */
function cellsOf(line: string): number {
  if (plain.test(line)) return line.length
  const known = measured.get(line)
  if (known !== undefined) return known
  const cells = measure(line)
  if (measured.size >= 4000) measured.clear()
  measured.set(line, cells)
  return cells
}

function measure(line: string): number {
  const open = new Set<string>()
  let cells = 0
  let from = 0
  for (const found of line.matchAll(style)) {
    const before = line.slice(from, found.index)
    if (!plain.test(before)) return -1
    cells += before.length
    from = found.index + found[0].length
    const code = found[1] ?? ''
    const ends = endOf(code)
    if (ends !== undefined) open.add(ends)
    // 0 and the codes that nobody here writes are left to the library.
    else if (!open.delete(code) && !endCodes.has(code)) return -1
  }
  const rest = line.slice(from)
  return open.size > 0 || !plain.test(rest) ? -1 : cells + rest.length
}

const endCodes = new Set(['22', '23', '24', '27', '29', '39', '49', '55'])

/** The code that takes back what `code` switches on. */
function endOf(code: string): string | undefined {
  if (/^(3[0-7]|9[0-7]|38;5;\d+|38;2;\d+;\d+;\d+)$/.test(code)) return '39'
  if (/^(4[0-7]|10[0-7]|48;5;\d+|48;2;\d+;\d+;\d+)$/.test(code)) return '49'
  return code === '' ? undefined : simpleEnds[code]
}

const simpleEnds: Record<string, string> = { 1: '22', 2: '22', 3: '23', 4: '24', 7: '27', 9: '29', 53: '55' }
