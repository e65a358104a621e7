/** Draws one styled row as exactly one line of the terminal. */
import { Text } from 'ink'
import { memo } from 'react'
import { asciiRow } from '../text/ascii.ts'
import { asciiGlyphs, useTheme } from '../theme.ts'
import { paintedText } from './painted.ts'
import { mergedSpans, type StyledRow } from './styled-row.ts'

/**
 * Rows are immutable: the same object is not drawn again. `verbatim` is for what a person decides on: none of its signs is
 * replaced, even where the screen draws in ASCII.
 */
export const RowView = memo(function RowView({ row: given, verbatim }: { row: StyledRow; verbatim?: boolean }) {
  const theme = useTheme()
  const row = theme.glyphs === asciiGlyphs && !verbatim ? asciiRow(given) : given
  const spans = theme.dim ? row.spans : row.spans.map((span) => (span.dim ? { ...span, dim: false } : span))
  // A text without a sign would have no height.
  return <Text wrap="truncate">{paintedText(mergedSpans(spans)) || ' '}</Text>
})

/** Rows one below the other. */
export function RowsView({ rows }: { rows: readonly StyledRow[] }) {
  return rows.map((row, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
    <RowView key={i} row={row} />
  ))
}
