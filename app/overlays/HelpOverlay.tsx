/** All keys and commands, from the table in force; typing searches. */
import { actionOf, cellWidth, KeysContext, padCells, truncateCells, useKeys, useTheme } from '@sluice/permissions-ui'
import { Box, Text } from 'ink'
import { useContext, useMemo, useState } from 'react'
import { type HelpRow, keyRows } from './key-rows.ts'

type Props = {
  width: number
  height: number
  commands: readonly { name: string; description: string; argumentHint?: string }[]
  /** What the search begins with. */
  query?: string
  onClose(): void
}

export function HelpOverlay({ width, height, commands, query: initial = '', onClose }: Props) {
  const { table } = useContext(KeysContext)
  const theme = useTheme()
  const [query, setQuery] = useState(initial)
  const [top, setTop] = useState(0)
  const rows = useMemo(() => keyRows(table, commands, query), [table, commands, query])
  const room = Math.max(1, height - 3)
  const last = Math.max(0, rows.length - room)
  const first = Math.min(top, last)

  const search = (next: string) => {
    setQuery(next)
    setTop(0)
  }
  useKeys(
    'overlay',
    true,
    (press) => {
      switch (actionOf(table, 'overlay', press)) {
        case 'close':
          // The first one gives the whole list back.
          if (query !== '' && press.name === 'escape') search('')
          else onClose()
          return true
        case 'accept':
          onClose()
          return true
        case 'up':
          setTop(Math.max(0, first - 1))
          return true
        case 'down':
          setTop(Math.min(last, first + 1))
          return true
        case 'pageUp':
          setTop(Math.max(0, first - room))
          return true
        case 'pageDown':
          setTop(Math.min(last, first + room))
          return true
        case 'top':
          setTop(0)
          return true
        case 'bottom':
          setTop(last)
          return true
      }
      if (press.name === '?' && query === '') onClose()
      else if (press.text !== '') search(query + press.text)
      else if (press.name === 'backspace') search([...query].slice(0, -1).join(''))
      else if (press.name === 'ctrl+u') search('')
      else return false
      return true
    },
    (text) => {
      search(query + text.replace(/\s+/g, ' '))
      return true
    },
  )

  const shown = rows.slice(first, first + room)
  const keysWidth = Math.min(
    Math.floor(width * 0.45),
    Math.max(12, ...rows.map((row) => (row.kind === 'key' ? cellWidth(row.keys) : 0))),
  )
  const more = last > 0 ? `${first + 1}–${Math.min(rows.length, first + room)} of ${rows.length}` : ''
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Text wrap="truncate">
        <Text color={theme.accent} bold>
          {' Keys '}
        </Text>
        <Text color={query === '' ? theme.muted : undefined}>
          {padCells(
            truncateCells(query === '' ? 'type to search' : query, width - 24, theme.glyphs.ellipsis),
            Math.max(0, width - 24),
          )}
        </Text>
        <Text color={theme.muted}>{more}</Text>
      </Text>
      <Text color={theme.muted}>{theme.glyphs.horizontal.repeat(Math.max(0, width))}</Text>
      <Box flexDirection="column" height={room}>
        {shown.length === 0 ? (
          <Text color={theme.muted}>{`  nothing is about "${truncateCells(query, width - 20)}"`}</Text>
        ) : null}
        {shown.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row of the window, whatever stands in it
          <Row key={index} row={row} keysWidth={keysWidth} width={width} />
        ))}
      </Box>
      <Text color={theme.muted} wrap="truncate">
        {' ↑↓ scroll   esc close'}
      </Text>
    </Box>
  )
}

function Row({ row, keysWidth, width }: { row: HelpRow; keysWidth: number; width: number }) {
  const theme = useTheme()
  if (row.kind === 'title') {
    return (
      <Text color={theme.accent2} wrap="truncate">
        {` ${row.text}`}
      </Text>
    )
  }
  return (
    <Text wrap="truncate">
      {`  ${padCells(truncateCells(row.keys, keysWidth, theme.glyphs.ellipsis), keysWidth)}  `}
      <Text color={theme.muted}>
        {truncateCells(row.help, Math.max(1, width - keysWidth - 5), theme.glyphs.ellipsis)}
      </Text>
    </Text>
  )
}
