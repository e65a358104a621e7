/** Code blocks in markdown: indented, cut hard at the width, coloured when the language is known and loaded. */
import { type StyledRow, type Theme, wrapCells } from '@sluice/permissions-ui'
import type { Tokens } from './lexer.ts'
import { row, type Span, wrapSpans } from './spans.ts'

const indent = '  '

export function codeRows(token: Tokens.Code, width: number, theme: Theme): StyledRow[] {
  const room = Math.max(1, width - indent.length)
  return token.text.split('\n').flatMap((line) => wrapCode([{ text: line }], room, theme))
}

function wrapCode(line: Span[], room: number, theme: Theme): StyledRow[] {
  if (line.length === 1) {
    const only = line[0]
    return wrapCells(only?.text ?? '', room, { hard: true }).map((text) =>
      row({ text: indent }, { color: theme.accent2, ...only, text }),
    )
  }
  return wrapSpans(line, room).map((spans) => row({ text: indent }, ...spans))
}
