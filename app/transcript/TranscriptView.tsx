/** The transcript on screen: exactly the rows that fit, however long the session is. */
import { KeysContext, type KeyTable, RowView, type StyledRow, type Theme, useTheme } from '@sluice/permissions-ui'
import { Box } from 'ink'
import { memo, useContext } from 'react'
import type { Entries } from './entries.ts'
import { grouped } from './format.ts'
import type { Layout } from './layout.ts'
import { withMark, withMatches } from './marks.ts'
import type { Reader } from './reader.ts'
import { welcomeRows } from './welcome.ts'
import { following, windowAt } from './window.ts'

export type TranscriptProps = {
  entries: Entries
  layout: Layout
  reader: Reader
  width: number
  height: number
}

/** `entries` and `reader` keep their identity while nothing changed; then nothing is drawn. */
export const TranscriptView = memo(function TranscriptView({
  entries,
  layout,
  reader,
  width,
  height,
}: TranscriptProps) {
  const theme = useTheme()
  const { table } = useContext(KeysContext)
  const rows = visibleRows({ entries, layout, reader, width, height }, theme, table)
  // The composer may have grown in this very frame: what no longer fits is hidden at the top then, not at the end.
  const full = rows.length >= height
  return (
    <Box
      flexDirection="column"
      width={width}
      flexGrow={1}
      flexShrink={1}
      overflow="hidden"
      justifyContent={full ? 'flex-end' : 'flex-start'}
    >
      <Box flexDirection="column" flexShrink={0}>
        {rows.map(({ key, row }) => (
          <RowView key={key} row={row} />
        ))}
      </Box>
    </Box>
  )
})

/** What fits into the window: at most `height` rows, chip and search line included. */
export function visibleRows(
  props: TranscriptProps,
  theme: Theme,
  table: KeyTable = {},
): { key: string; row: StyledRow }[] {
  const { entries, layout, reader, width, height } = props
  const rows = layout.use(entries, { width, theme, opened: reader.opened })
  const { slices, fresh } = windowAt(reader.scroll ?? following, rows, height)
  const out: { key: string; row: StyledRow }[] = []
  const query = reader.search?.query ?? ''
  for (const { index, from, to } of slices) {
    const own = rows.rowsAt(index)
    const id = entries.entryAt(index)?.id ?? index
    for (let offset = from; offset < to; offset++) {
      let row = own[offset]
      if (row === undefined) continue
      if (query !== '') row = withMatches(row, query)
      if (reader.cursor?.index === index) row = withMark(row, markAt(reader.cursor.offset === offset, theme), theme)
      out.push({ key: `${id}:${offset}`, row })
    }
  }
  const last = out[out.length - 1]
  if (out.length === 0) {
    return welcomeRows(width, height, table, theme).map((row, i) => ({ key: `welcome:${i}`, row }))
  }
  if (fresh > 0 && last !== undefined) out[out.length - 1] = { key: 'fresh', row: chip(fresh, width, theme) }
  return out
}

function markAt(current: boolean, theme: Theme): string {
  if (current) return theme.glyphs.closed
  return theme.glyphs.vertical
}

function chip(fresh: number, width: number, theme: Theme): StyledRow {
  const text = ` ${theme.glyphs.down} ${grouped(fresh)} new `
  const left = Math.max(0, Math.floor((width - text.length) / 2))
  return { spans: [{ text: ' '.repeat(left) }, { text, inverse: true, color: theme.accent }] }
}
