/** All keys of the list of sessions, in place of the list, with what each does; any key but those that scroll gives the list back. */
import { actionOf, asciiGlyphs, KeysContext, RowsView, type StyledRow, useKeys, useTheme } from '@sluice/permissions-ui'
import { Box } from 'ink'
import { useContext, useState } from 'react'
import { useWheel } from '../../terminal/key-source.tsx'
import { rowsPerNotch } from '../../terminal/mouse.ts'
import { type HelpRow, helpLines, keyRows, shownKeys } from '../key-rows.ts'
import type { Picker } from './picker-view.ts'

export type PickerHelpProps = {
  picker: Picker
  width: number
  height: number /** What esc does in the list. */
  leave: string
}

export function PickerHelp({ picker, width, height, leave }: PickerHelpProps) {
  const theme = useTheme()
  const { table } = useContext(KeysContext)
  const ascii = theme.glyphs === asciiGlyphs
  const [top, setTop] = useState(0)
  const cancel = table.global?.cancel?.keys ?? []
  const { close, ...others } = table.picker ?? {}
  const rows: HelpRow[] = [
    ...keyRows(
      { picker: close === undefined ? others : { ...others, close: { ...close, help: leave } } },
      [],
      '',
      ascii,
    ),
    { kind: 'key', keys: 'other keys', help: 'filter by title, folder, tags and id' },
    { kind: 'key', keys: shownKeys(cancel, ascii), help: leave === 'close' ? 'close' : 'leave sluice' },
  ]
  const lines = helpLines(rows, width)
  const room = Math.max(1, height - 2)
  const last = Math.max(0, lines.length - room)
  const first = Math.min(top, last)
  const scroll = (by: number) => setTop(Math.max(0, Math.min(last, first + by)))

  useKeys(
    'overlay',
    true,
    (press) => {
      const by = { up: -1, down: 1, pageUp: -room, pageDown: room, top: -last, bottom: last }[
        actionOf(table, 'picker', press) ?? ''
      ]
      if (by !== undefined) scroll(by)
      else if (actionOf(table, 'global', press) === 'redraw') return false
      else picker.press(press, 1)
      return true
    },
    () => true,
  )
  useWheel(true, ({ direction }) => {
    scroll(direction === 'up' ? -rowsPerNotch : rowsPerNotch)
    return true
  })

  const line = (text: string): StyledRow => ({ spans: [{ text, color: theme.muted }] })
  const shown = lines.slice(first, first + room).map(
    ({ kind, left, right }): StyledRow => ({
      spans: [
        { text: left, color: kind === 'title' ? theme.accent2 : undefined },
        { text: right, color: theme.muted },
      ],
    }),
  )
  const more = last > 0 ? `${ascii ? 'up/down' : '↑↓'} scroll   ` : ''
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <Box flexDirection="column" height={room} flexShrink={0}>
        <RowsView rows={shown} />
      </Box>
      <RowsView rows={[line(''), line(` ${more}esc back to the list`)]} />
    </Box>
  )
}
