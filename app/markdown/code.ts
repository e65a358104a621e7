/** Code blocks in markdown: indented, cut hard at the width, coloured when the language is known and loaded. */
import { highlightLines, languageNamed, type StyledRow, sliceSpans, type Theme } from '@sluice/permissions-ui'
import { codeText } from './document.ts'
import type { Tokens } from './lexer.ts'
import { row, type Span, spansWidth } from './spans.ts'

const indent = { text: '  ' }
/** Lines of a growing block that are coloured anew with each version; those before them stay as they are. */
const movingLines = 40

export function codeRows(token: Tokens.Code, width: number, theme: Theme): StyledRow[] {
  return linesRows(codeText(token.text).split('\n'), token, width, theme).flat()
}

/** What stays of a code block that is still being written. */
export type GrowingCode = { text: string; lines: number; rows: readonly StyledRow[] }

/**
 * Rows of a block that is still being written: a thousand lines cost no more per version than forty. Colours that reach over
 * many lines may be wrong above until the block is finished and `codeRows` reads it as a whole.
 */
export function growingCodeRows(
  token: Tokens.Code,
  width: number,
  theme: Theme,
  before: GrowingCode | undefined,
): { rows: StyledRow[]; growing: GrowingCode } {
  const text = codeText(token.text)
  const known = before !== undefined && text.startsWith(before.text) ? before : { text: '', lines: 0, rows: [] }
  const lines = text.slice(known.text.length).split('\n')
  const made = linesRows(lines, token, width, theme)
  const rows = [...known.rows, ...made.flat()]
  if (lines.length <= 2 * movingLines) return { rows, growing: known }
  const settled = lines.length - movingLines
  return {
    rows,
    growing: {
      text:
        known.text +
        lines
          .slice(0, settled)
          .map((line) => `${line}\n`)
          .join(''),
      lines: known.lines + settled,
      rows: [...known.rows, ...made.slice(0, settled).flat()],
    },
  }
}

/** The rows of each line. */
function linesRows(lines: readonly string[], token: Tokens.Code, width: number, theme: Theme): StyledRow[][] {
  const room = Math.max(1, width - indent.text.length)
  const coloured = theme.color ? highlightLines(lines, languageNamed(token.lang?.split(/\s/)[0] ?? '')) : null
  return lines.map((line, i) => {
    const spans: Span[] =
      coloured?.[i]?.map(({ text, scope }) => ({ text, color: scope === undefined ? undefined : theme.code[scope] })) ??
      (line === '' ? [] : [{ text: line, color: theme.accent2 }])
    // A row that only goes on is marked, so that it cannot be taken for a line of the code.
    return cutHard(spans, room).map((part, k) =>
      row(k === 0 ? indent : { text: `${theme.glyphs.todo} `, color: theme.muted }, ...part),
    )
  })
}

/** Code is never re-flowed: a line that is too long goes on at the left edge of the block. */
function cutHard(spans: Span[], room: number): Span[][] {
  const width = spansWidth(spans)
  if (width <= room) return [spans]
  const rows: Span[][] = []
  for (let from = 0; from < width; from += room) rows.push(sliceSpans(spans, from, from + room))
  return rows
}
