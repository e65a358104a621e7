/** The sessions of this process in one list, to see who needs a person and to switch. */
import {
  actionOf,
  asciiGlyphs,
  cellWidth,
  fitSpans,
  KeysContext,
  RowView,
  type StyledRow,
  type StyledSpan,
  type Theme,
  useKeys,
  useTheme,
} from '@sluice/permissions-ui'
import { Box, Text } from 'ink'
import { useContext, useState, useSyncExternalStore } from 'react'
import type { Store } from '../state/index.ts'
import { type SessionRow, type SessionState, sessionRows } from './session-rows.ts'

type Props = { width: number; height: number; store: Store; onChoose(sessionId: string): void; onClose(): void }

export function SessionsOverlay({ width, height, store, onChoose, onClose }: Props) {
  const { table } = useContext(KeysContext)
  const theme = useTheme()
  const state = useSyncExternalStore(store.subscribe, store.getState)
  const rows = sessionRows(state)
  const [marked, setMarked] = useState(state.focus)
  const found = rows.findIndex((row) => row.id === marked)
  const selected = Math.max(0, found)
  const room = Math.max(1, height - 4)
  // As much of the list as keeps the marked row in sight.
  const from = Math.max(0, Math.min(selected - room + 1, rows.length - room))
  const mark = (index: number) => setMarked(rows[Math.max(0, Math.min(rows.length - 1, index))]?.id ?? null)
  useKeys('overlay', true, (press) => {
    const choose = (row: SessionRow | undefined) => {
      if (row !== undefined) onChoose(row.id)
      return row !== undefined
    }
    switch (actionOf(table, 'overlay', press)) {
      case 'close':
        onClose()
        return true
      case 'accept':
        return choose(rows[selected])
      case 'up':
        mark(selected - 1)
        return true
      case 'down':
        mark(selected + 1)
        return true
      case 'pageUp':
        mark(selected - room)
        return true
      case 'pageDown':
        mark(selected + room)
        return true
      case 'top':
        mark(0)
        return true
      case 'bottom':
        mark(rows.length - 1)
        return true
    }
    return /^[1-9]$/.test(press.text) && choose(rows[Number(press.text) - 1])
  })
  const ascii = theme.glyphs === asciiGlyphs
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Text color={theme.accent} bold wrap="truncate">
        {' Sessions'}
      </Text>
      <Text color={theme.muted}>{theme.glyphs.horizontal.repeat(Math.max(0, width))}</Text>
      <Box height={room} flexDirection="column">
        {rows.slice(from, from + room).map((row, i) => (
          <RowView key={row.id} row={sessionLine(row, from + i, from + i === selected, width, theme)} />
        ))}
      </Box>
      <Text color={theme.muted} dimColor wrap="truncate">
        {' sessions of earlier runs: start with sluice --continue or --resume ID'}
      </Text>
      <Text color={theme.muted} wrap="truncate">
        {ascii ? ' enter switch   up/down move   esc close' : ' ⏎ switch   ↑↓ move   esc close'}
      </Text>
    </Box>
  )
}

function sessionLine(row: SessionRow, index: number, selected: boolean, width: number, theme: Theme): StyledRow {
  const right = [row.model, row.cost].filter((text) => text !== '').join('  ')
  const left: StyledSpan[] = [
    { text: selected ? ` ${theme.glyphs.closed} ` : '   ', color: theme.accent },
    { text: `${index < 9 ? index + 1 : ' '}  `, color: theme.muted },
    { text: row.state.padEnd(11), color: colorOf(row.state, theme), bold: row.state === 'needs you' },
    row.title === '' ? { text: 'nothing said yet', color: theme.muted } : { text: row.title, bold: selected },
  ]
  const cells = cellWidth(right)
  const spans =
    cells === 0 || cells > width - 40
      ? fitSpans(left, width)
      : [...fitSpans(left, width - cells - 2), { text: ' ' }, { text: right, color: theme.muted }, { text: ' ' }]
  return { spans }
}

function colorOf(state: SessionState, theme: Theme): string | undefined {
  switch (state) {
    case 'needs you':
      return theme.warn
    case 'works':
      return theme.accent
    case 'done':
      return theme.ok
    default:
      return theme.muted
  }
}
