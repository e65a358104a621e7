/** Code blocks in markdown: indented, cut hard at the width, coloured when the language is known and loaded. */
import { highlightLines, languageNamed, type StyledRow, sliceSpans, type Theme } from '@sluice/permissions-ui'
import { codeText } from './document.ts'
import type { Tokens } from './lexer.ts'
import { row, type Span, spansWidth } from './spans.ts'

const indent = { text: '  ' }

export function codeRows(token: Tokens.Code, width: number, theme: Theme): StyledRow[] {
  const room = Math.max(1, width - indent.text.length)
  const lines = codeText(token.text).split('\n')
  const coloured = theme.color ? highlightLines(lines, languageNamed(token.lang?.split(/\s/)[0] ?? '')) : null
  return lines.flatMap((line, i) => {
    const spans: Span[] =
      coloured?.[i]?.map(({ text, scope }) => ({ text, color: scope === undefined ? undefined : theme.code[scope] })) ??
      (line === '' ? [] : [{ text: line, color: theme.accent2 }])
    return cutHard(spans, room).map((part) => row(indent, ...part))
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
