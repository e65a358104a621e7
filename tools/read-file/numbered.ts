/** Lines with their numbers, as many as one result may hold. */

/** Longest line that is shown whole, in characters. */
export const longestLine = 2000

/** Most that one result costs: 0.4 for an ASCII character, 1 for any other; never less than its tokens. */
export const resultCost = 25_000

export type NumberedLines = {
  /**
   * Adds the next line; false when it has no room any more and was not added. `length` is that of the whole line when
   * only its beginning is given.
   */
  add(line: string, length?: number): boolean
  /** The shown lines without numbers. */
  readonly lines: readonly string[]
  /** Numbers of lines that were clipped. */
  readonly clipped: readonly number[]
  /** `   12\ttext` for each line. */
  content(): string
}

/** An empty list whose first line will have the number `first`. */
export function numberedLines(first: number): NumberedLines {
  const lines: string[] = []
  const clipped: number[] = []
  let left = resultCost
  return {
    lines,
    clipped,
    add(line, length = line.length) {
      const long = length > longestLine
      const shown = long ? `${clip(line)}… [${length - longestLine} more characters]` : line
      const cost = costOf(shown) + 4
      // One line always fits, or a reader could never get past it.
      if (cost > left && lines.length > 0) return false
      left -= cost
      if (long) clipped.push(first + lines.length)
      lines.push(shown)
      return true
    },
    content: () => lines.map((line, i) => `${String(first + i).padStart(5)}\t${line}`).join('\n'),
  }
}

function clip(line: string): string {
  const cut = line.slice(0, longestLine)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

function costOf(text: string): number {
  let wide = 0
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) wide++
  return (text.length - wide) * 0.4 + wide
}
