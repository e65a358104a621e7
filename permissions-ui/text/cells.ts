/** Terminal cells: how wide text is, and how it is cut, padded and wrapped without ever splitting a grapheme. */
import stringWidth from 'string-width'

/** Cells that `text` takes on one line; the same figure that Ink lays out with. Expects sanitised text. */
export function cellWidth(text: string): number {
  if (ascii.test(text)) return text.length
  let width = 0
  for (let i = 0; i < text.length; i++) {
    const cells = simpleWidth(text.charCodeAt(i))
    if (cells === 0) return stringWidth(text)
    width += cells
  }
  return width
}

/**
 * Lines of at most `width` cells. Line feeds break; other breaks come at spaces, where the spaces are dropped, and inside a
 * word only when it is longer than a line. With `hard` nothing is dropped: lines are simply cut at `width`.
 * A grapheme wider than `width` stands alone on its line.
 */
export function wrapCells(text: string, width: number, options: { hard?: boolean } = {}): string[] {
  const room = Math.max(1, width)
  const out: string[] = []
  for (const line of text.split('\n')) {
    if (line.length <= room && ascii.test(line)) out.push(line)
    else if (options.hard) wrapHard(line, room, out)
    else wrapWords(line, room, out)
  }
  return out
}

/** `text` in at most `width` cells; what is cut is replaced by `ellipsis`. */
export function truncateCells(text: string, width: number, ellipsis = '…'): string {
  if (width <= 0) return ''
  if (text.length <= width && ascii.test(text)) return text
  if (text.length <= width * longestGrapheme && cellWidth(text) <= width) return text
  const mark = cellWidth(ellipsis)
  if (mark >= width) return mark === width ? ellipsis : takeCells(text, width)
  return takeCells(text, width - mark) + ellipsis
}

/** `text` filled with spaces up to `width` cells, never cut. */
export function padCells(text: string, width: number): string {
  const missing = width - cellWidth(text)
  return missing > 0 ? text + ' '.repeat(missing) : text
}

/** `text` in exactly `width` cells: cut with `ellipsis` or filled with spaces. */
export function fitCells(text: string, width: number, ellipsis = '…'): string {
  return padCells(truncateCells(text, width, ellipsis), width)
}

/** The cells from `from` up to `to`. Half of a wide grapheme at either edge becomes a space, so columns stay aligned. */
export function sliceCells(text: string, from: number, to: number): string {
  if (to <= from) return ''
  if (ascii.test(text)) return text.slice(from, to)
  let out = ''
  let column = 0
  for (const grapheme of graphemes(text)) {
    const end = column + cellWidth(grapheme)
    if (column >= to && end > column) break
    if (end > from || (end === column && column > from)) {
      if (column >= from && end <= to) out += grapheme
      else out += ' '.repeat(Math.min(end, to) - Math.max(column, from))
    }
    column = end
  }
  return out
}

/** The user-perceived characters of `text`. */
export function graphemes(text: string): string[] {
  if (ascii.test(text)) return text.split('')
  const out: string[] = []
  for (const { segment } of segmenter.segment(text)) out.push(segment)
  return out
}

const ascii = /^[ -~]*$/
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** UTF-16 units that one cell can hold at most in sanitised text: a base, eight marks and joined emoji. */
const longestGrapheme = 40

/**
 * Cells of characters that always stand alone, 0 for those that need the full measure. It keeps frames cheap, and keeps the
 * regular expression over all emoji, which takes tens of milliseconds to compile, out of the first frame.
 */
function simpleWidth(code: number): 0 | 1 | 2 {
  if (code < 0x7f) return code >= 0x20 ? 1 : 0
  if (code < 0xa1) return 0
  if (code < 0x300) return code === 0xad ? 0 : 1
  if (code < 0x2010) return code >= 0x370 && code <= 0x482 ? 1 : 0
  if (code < 0x2500) {
    if (code < 0x205f) return code < 0x2028 || code > 0x202f ? 1 : 0
    // Arrows and operators; of the technical signs only those that stand for a key or a line ending.
    return (code >= 0x2190 && code < 0x2300) || code === 0x23ce || code === 0x240d ? 1 : 0
  }
  if (code < 0x2600) return code === 0x25fd || code === 0x25fe ? 0 : 1
  // Stars, ticks and crosses that interfaces draw with; their neighbours are emoji.
  if (code === 0x2713 || code === 0x2717 || code === 0x276f || code === 0x2605) return 1
  if (code < 0x3001) return 0
  if (code < 0x30ff) return code <= 0x3029 || (code >= 0x3041 && code <= 0x3096) || code >= 0x30a1 ? 2 : 0
  if (code >= 0x4e00 && code <= 0x9fff) return 2
  if (code >= 0xac00 && code <= 0xd7a3) return 2
  return 0
}

function takeCells(text: string, width: number): string {
  // Clipped first: segmenting a line of a megabyte to show eighty cells of it would stall a frame.
  const head = text.length > (width + 1) * longestGrapheme ? text.slice(0, (width + 1) * longestGrapheme) : text
  if (ascii.test(head)) return head.slice(0, width)
  let out = ''
  let used = 0
  for (const { segment } of segmenter.segment(head)) {
    used += cellWidth(segment)
    if (used > width) break
    out += segment
  }
  return out
}

function wrapHard(line: string, width: number, out: string[]): void {
  if (ascii.test(line)) {
    for (let i = 0; i < line.length; i += width) out.push(line.slice(i, i + width))
    return
  }
  let row = ''
  let used = 0
  for (const { segment } of segmenter.segment(line)) {
    const cells = cellWidth(segment)
    if (used + cells > width && row !== '') {
      out.push(row)
      row = ''
      used = 0
    }
    row += segment
    used += cells
  }
  out.push(row)
}

function wrapWords(line: string, width: number, out: string[]): void {
  let row = ''
  let used = 0
  for (const [piece] of line.matchAll(/ +|[^ ]+/g)) {
    const cells = cellWidth(piece)
    if (used + cells <= width) {
      row += piece
      used += cells
      continue
    }
    if (piece[0] === ' ') {
      // Blanks at a break vanish; indentation wider than the line cannot be kept.
      if (used > 0) out.push(row)
      row = ''
      used = 0
      continue
    }
    if (used > 0 && cells <= width) {
      out.push(row.trimEnd() === '' ? row : row.replace(/ +$/, ''))
      row = piece
      used = cells
      continue
    }
    // Longer than a line: it starts where we are and goes on below.
    const first = used > 0 && width - used > 3 ? takeCells(piece, width - used) : ''
    if (first !== '') out.push(row + first)
    else if (used > 0) out.push(row.replace(/ +$/, ''))
    const rest: string[] = []
    wrapHard(piece.slice(first.length), width, rest)
    row = rest.pop() ?? ''
    used = cellWidth(row)
    for (const full of rest) out.push(full)
  }
  out.push(row)
}
