/** A text as lines that know where they stand, and the same lines under a normalisation that can be undone. */

export type Line = {
  /** Offset of the first character in the text. */
  start: number
  /** The line without its ending. */
  body: string
  ending: '' | '\n' | '\r\n'
}

/** Lines end with LF or CRLF; a lone CR is an ordinary character. Text that ends with a newline has an empty last line. */
export function linesOf(text: string): Line[] {
  const lines: Line[] = []
  let start = 0
  for (;;) {
    const at = text.indexOf('\n', start)
    if (at < 0) return [...lines, { start, body: text.slice(start), ending: '' }]
    const crlf = at > start && text[at - 1] === '\r'
    lines.push({ start, body: text.slice(start, crlf ? at - 1 : at), ending: crlf ? '\r\n' : '\n' })
    start = at + 1
  }
}

/**
 * `endings` leaves lines as they are; `spaces` also takes typographic quotes, dashes and blanks for their plain forms
 * (one character for one character) and drops blanks at line ends.
 */
export type Level = 'endings' | 'spaces'

export function normalLine(body: string, level: Level): string {
  return level === 'endings' ? body : plain(body).replace(/[ \t]+$/, '')
}

/** Typographic characters as the ASCII ones that stand for them; the length stays the same. */
export function plain(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
}

export type NormalText = {
  text: string
  lines: Line[]
  /** Offset in the original text of the character at `index`. */
  start(index: number): number
  /** Offset in the original text behind the character at `index`. */
  end(index: number): number
  /** Offset behind the whole body of the line that holds `index`, dropped blanks included. */
  bodyEnd(index: number): number
}

/** A text with LF endings and normal lines, and the way back from its offsets to those of the original. */
export function normalText(text: string, level: Level): NormalText {
  const lines = linesOf(text)
  const starts: number[] = []
  const normal: string[] = []
  let offset = 0
  for (const line of lines) {
    const body = normalLine(line.body, level)
    starts.push(offset)
    normal.push(body)
    offset += body.length + 1
  }
  const locate = (index: number) => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= index) low = middle
      else high = middle - 1
    }
    const line = lines[low] as Line
    const column = index - (starts[low] ?? 0)
    return { line, column, newline: column >= (normal[low] ?? '').length }
  }
  const bodyEnd = (line: Line) => line.start + line.body.length
  return {
    text: normal.join('\n'),
    lines,
    start: (index) => {
      const { line, column, newline } = locate(index)
      return newline ? bodyEnd(line) : line.start + column
    },
    end: (index) => {
      const { line, column, newline } = locate(index)
      return newline ? bodyEnd(line) + line.ending.length : line.start + column + 1
    },
    bodyEnd: (index) => bodyEnd(locate(index).line),
  }
}

/** The number of the line (from 1) that holds the offset. */
export function lineNumber(text: string, offset: number): number {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) count++
  return count
}

/**
 * The ending that a line put in at an offset should have: of the line there, else of the one before. Asked for rising
 * offsets, it reads the text once.
 */
export function endingFinder(text: string): (start: number) => '\n' | '\r\n' {
  let known = { from: 0, newline: -2 }
  const ending = (at: number) => (at > 0 && text[at - 1] === '\r' ? '\r\n' : '\n')
  return (start) => {
    const reusable = known.newline !== -2 && start >= known.from && (known.newline === -1 || start <= known.newline)
    if (!reusable) known = { from: start, newline: text.indexOf('\n', start) }
    if (known.newline >= 0) return ending(known.newline)
    // Behind the last newline the one before tells; it lies before `from` too.
    return start > 0 ? ending(text.lastIndexOf('\n', known.from - 1)) : '\n'
  }
}
