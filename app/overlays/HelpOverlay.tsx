/** All keys and commands, from the table in force; typing searches. */
import { actionOf, asciiGlyphs, fitCells, KeysContext, truncateCells, useKeys, useTheme } from '@sluice/permissions-ui'
import { Box, Text } from 'ink'
import { useContext, useMemo, useState } from 'react'
import { useWheel } from '../terminal/key-source.tsx'
import { rowsPerNotch } from '../terminal/mouse.ts'
import { type HelpLine, helpLines, keyRows } from './key-rows.ts'

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
  const ascii = theme.glyphs === asciiGlyphs
  const [query, setQuery] = useState(initial)
  const [top, setTop] = useState(0)
  const rows = useMemo(
    () => helpLines(keyRows(table, commands, query, ascii), width),
    [table, commands, query, width, ascii],
  )
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

  useWheel(true, ({ direction }) => {
    setTop((now) =>
      Math.max(0, Math.min(last, Math.min(now, last) + (direction === 'up' ? -rowsPerNotch : rowsPerNotch))),
    )
    return true
  })

  const shown = rows.slice(first, first + room)
  const more = last > 0 ? `${first + 1}-${Math.min(rows.length, first + room)} of ${rows.length} ` : ''
  const queryCells = Math.max(0, width - title.length - more.length - 1)
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Text wrap="truncate">
        <Text color={theme.accent} bold>
          {title}
        </Text>
        <Text color={query === '' ? theme.muted : undefined}>
          {fitCells(query === '' ? 'type to search' : query, queryCells, theme.glyphs.ellipsis)}
        </Text>
        <Text color={theme.muted}>{` ${more}`}</Text>
      </Text>
      <Text color={theme.muted}>{theme.glyphs.horizontal.repeat(Math.max(0, width))}</Text>
      <Box flexDirection="column" height={room}>
        {shown.length === 0 ? (
          <Text color={theme.muted}>{`  nothing is about "${truncateCells(query, width - 20)}"`}</Text>
        ) : null}
        {shown.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row of the window, whatever stands in it
          <Line key={index} line={row} />
        ))}
      </Box>
      <Text color={theme.muted} wrap="truncate">
        {ascii ? ' up/down scroll   esc close' : ' ↑↓ scroll   esc close'}
      </Text>
    </Box>
  )
}

const title = ' Keys '

function Line({ line }: { line: HelpLine }) {
  const theme = useTheme()
  return (
    <Text color={line.kind === 'title' ? theme.accent2 : undefined} wrap="truncate">
      {line.left}
      {line.right === '' ? null : <Text color={theme.muted}>{line.right}</Text>}
    </Text>
  )
}
