/** The list of sessions on the screen: rows of what can be seen, and keys into the picker. */
import { actionOf, KeysContext, RowsView, RowView, type StyledRow, useKeys, useTheme } from '@sluice/permissions-ui'
import { Box } from 'ink'
import { useContext, useEffect, useRef, useSyncExternalStore } from 'react'
import { useWheel } from '../../terminal/key-source.tsx'
import { rowsPerNotch } from '../../terminal/mouse.ts'
import { shownKeys } from '../key-rows.ts'
import { hintRows } from './hint-row.ts'
import { filterRow, rowsEach, sessionRowsOf, titleRow } from './list-rows.ts'
import { PickerHelp } from './PickerHelp.tsx'
import type { Picker as PickerModel } from './picker-view.ts'
import { mostFoot, placeOf } from './place.ts'
import { previewRows } from './preview-rows.ts'

export type PickerProps = {
  picker: PickerModel
  width: number
  height: number
  /** For `~` in paths. */
  home: string | null
  /** What esc does on an empty filter: `close`, `new session`. */
  leave: string
  /** ms since 1970. */
  clock?: () => number
}

export function Picker({ picker, width, height, home, leave, clock = Date.now }: PickerProps) {
  const theme = useTheme()
  const { table } = useContext(KeysContext)
  const view = useSyncExternalStore(picker.subscribe, picker.view)
  const foot = hintRows(view, { table, leave, width, most: mostFoot(height), theme })
  const place = placeOf(width, height, foot.length)
  const each = rowsEach(view)
  const shown = Math.max(1, Math.floor(place.list / each))
  // The window follows the mark, and moves no further than it must.
  const top = useRef(0)
  const most = Math.max(0, view.listing.total - shown)
  top.current = Math.max(0, Math.min(most, Math.max(view.selected - shown + 1, Math.min(top.current, view.selected))))

  useKeys(
    'overlay',
    !view.state.help,
    (press) => {
      const everywhere = actionOf(table, 'global', press)
      if (picker.press(press, shown)) return true
      // What is left must not reach what lies below.
      return everywhere !== 'suspend' && everywhere !== 'redraw'
    },
    (text) => {
      picker.paste(text)
      return true
    },
  )
  useWheel(!view.state.help, ({ direction }) => {
    picker.move(direction === 'up' ? -rowsPerNotch : rowsPerNotch)
    return true
  })
  useEffect(() => () => picker.close(), [picker])

  if (view.state.help) return <PickerHelp picker={picker} width={width} height={height} leave={leave} />
  const key = (action: string) => shownKeys((table.picker?.[action]?.keys ?? []).slice(0, 1))
  const list = sessionRowsOf(view, top.current, top.current + shown, { width: place.listWidth, now: clock(), theme })
  const preview =
    place.preview === 0 ? [] : previewRows(view, { width: place.previewWidth, height: place.preview, home, theme })
  const line = (text: string): StyledRow => ({ spans: [{ text, color: theme.muted }] })
  const { horizontal, teeDown, vertical } = theme.glyphs
  const rule = line(horizontal.repeat(width))
  const joined = line(horizontal.repeat(place.listWidth) + teeDown + horizontal.repeat(place.previewWidth))
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <RowView row={titleRow(view, key('scope'), width, theme)} />
      <RowView row={filterRow(view, key('content'), width, theme)} />
      {place.rules ? <RowView row={place.beside ? joined : rule} /> : null}
      <Box height={place.beside ? place.list : undefined} flexShrink={0}>
        <Box flexDirection="column" height={place.list} width={place.listWidth} flexShrink={0}>
          <RowsView rows={list.slice(0, place.list)} />
        </Box>
        {place.beside ? (
          <Box flexDirection="column" height={place.list} width={1} flexShrink={0}>
            <RowsView rows={Array.from({ length: place.list }, () => line(vertical))} />
          </Box>
        ) : null}
        {place.beside ? (
          <Box flexDirection="column" height={place.list} width={place.previewWidth} flexShrink={0}>
            <RowsView rows={preview} />
          </Box>
        ) : null}
      </Box>
      {place.preview > 0 && !place.beside ? (
        <>
          <RowView row={rule} />
          <Box flexDirection="column" height={place.preview + 1} flexShrink={0}>
            <RowsView rows={preview} />
          </Box>
        </>
      ) : null}
      <Box flexDirection="column" height={foot.length} flexShrink={0}>
        <RowsView rows={foot} />
      </Box>
    </Box>
  )
}
