/** Asks whether the person trusts this folder; it stands where the open question stands, and follows the same rules. */
import { actionOf, KeysContext, RowsView, useKeys, useTheme } from '@sluice/permissions-ui'
import { Box } from 'ink'
import { useContext, useEffect, useState } from 'react'
import type { TrustView } from '../state/index.ts'
import { type TrustControl, trustControls, trustRows } from './trust-rows.ts'

export type TrustOverlayProps = {
  question: TrustView
  width: number
  height: number
  /** Whether keys go to the question; the quiet rule is the screen's. */
  focused: boolean
  draftPending: boolean
  onAnswer(trusted: boolean): void
  /** Esc: the question stays open and the keys go back to the draft. */
  onLeave(): void
  /** After the first frame: the quiet begins to count here. */
  onShown(): void
  /** The details want more room, or no longer. */
  onFullScreen(): void
  focusKey: string
}

export function TrustOverlay(props: TrustOverlayProps) {
  const { question, width, height, focused, draftPending, focusKey, onAnswer, onLeave, onShown, onFullScreen } = props
  const theme = useTheme()
  const { table } = useContext(KeysContext)
  const [control, setControl] = useState<TrustControl>('later')
  const [details, setDetails] = useState(false)
  const [scroll, setScroll] = useState(0)
  const input = { question, width, height, theme, table, focused, draftPending, details, control, scroll, focusKey }
  const { rows, page, last } = trustRows(input)

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each question
  useEffect(() => onShown(), [question])

  const act = (wanted: TrustControl) => {
    if (wanted !== 'details') return onAnswer(wanted === 'trust')
    setDetails(!details)
    setScroll(0)
    onFullScreen()
  }
  const step = (by: number) => {
    const at = trustControls.indexOf(control)
    setControl(trustControls[(at + by + trustControls.length) % trustControls.length] ?? 'later')
  }
  const scrollTo = (to: number) => setScroll(Math.max(0, Math.min(last, to)))
  useKeys('dialog', focused, (press) => {
    const own = trustControls.find((name) => name === actionOf(table, 'trust', press))
    if (own !== undefined) {
      act(own)
      return true
    }
    switch (actionOf(table, 'dialog', press)) {
      case 'activate':
        act(control)
        return true
      case 'next':
      case 'right':
        step(1)
        return true
      case 'previous':
      case 'left':
        step(-1)
        return true
      case 'up':
        scrollTo(Math.min(scroll, last) - 1)
        return true
      case 'down':
        scrollTo(scroll + 1)
        return true
      case 'pageUp':
        scrollTo(Math.min(scroll, last) - page)
        return true
      case 'pageDown':
      case 'toggle':
        scrollTo(scroll + page)
        return true
      case 'top':
        scrollTo(0)
        return true
      case 'bottom':
        scrollTo(last)
        return true
      case 'leave':
        onLeave()
        return true
      default:
        // Keys of the screen (`ctrl+…`) go on; anything that types would be lost, so it does nothing here.
        return press.text !== ''
    }
  })

  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <RowsView rows={rows} />
    </Box>
  )
}
