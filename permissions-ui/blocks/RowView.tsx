/** Draws one styled row as exactly one line of the terminal. */
import { Text } from 'ink'
import { memo } from 'react'
import { asciiRow } from '../text/ascii.ts'
import { asciiGlyphs, useTheme } from '../theme.ts'
import { mergedSpans, type StyledRow, type StyledSpan } from './styled-row.ts'

/**
 * Rows are immutable: the same object is not drawn again. `verbatim` is for what a person decides on: none of its signs is
 * replaced, even where the screen draws in ASCII.
 */
export const RowView = memo(function RowView({ row: given, verbatim }: { row: StyledRow; verbatim?: boolean }) {
  const theme = useTheme()
  const row = theme.glyphs === asciiGlyphs && !verbatim ? asciiRow(given) : given
  const look = ({ text: _, dim, ...rest }: StyledSpan) => (dim && theme.dim ? { ...rest, dimColor: true } : rest)
  const spans = mergedSpans(row.spans)
  const [first] = spans
  if (first === undefined) return <Text> </Text>
  if (spans.length === 1) {
    return (
      <Text wrap="truncate" {...look(first)}>
        {first.text}
      </Text>
    )
  }
  return (
    <Text wrap="truncate">
      {spans.map((span, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: spans have no identity but their place
        <Text key={i} {...look(span)}>
          {span.text}
        </Text>
      ))}
    </Text>
  )
})

/** Rows one below the other. */
export function RowsView({ rows }: { rows: readonly StyledRow[] }) {
  return rows.map((row, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
    <RowView key={i} row={row} />
  ))
}
