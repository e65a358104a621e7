/** All open questions of all sessions in one list: look at one, or answer several at once. */
import type { Decision } from '@sluice/engine/protocol'
import { createQuietGate, KeysContext, RowView, useHighlighter, useKeys, useTheme } from '@sluice/permissions-ui'
import { Box } from 'ink'
import { useContext, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { quietMs } from '../../screen/question-focus.ts'
import { useNow } from '../../screen/use-now.ts'
import type { Store } from '../../state/index.ts'
import { useWheel } from '../../terminal/key-source.tsx'
import { rowsPerNotch } from '../../terminal/mouse.ts'
import { type InboxRow, inboxRows } from './inbox-rows.ts'
import {
  emptyInbox,
  type InboxScene,
  type InboxState,
  type InboxStep,
  inboxKey,
  inboxPaste,
  settled,
} from './inbox-state.ts'
import { inboxView } from './inbox-view.ts'

export type InboxOverlayProps = {
  width: number
  height: number
  store: Store
  covers: InboxScene['covers']
  /** False when the question is no longer open. */
  onAnswer(sessionId: string, requestId: string, decision: Decision): boolean
  onOpen(row: InboxRow): void
  onClose(): void
  /** ms since 1970. */
  clock?: () => number
}

export function InboxOverlay({
  width,
  height,
  store,
  covers,
  onAnswer,
  onOpen,
  onClose,
  clock = Date.now,
}: InboxOverlayProps) {
  const { table } = useContext(KeysContext)
  const theme = useTheme()
  const version = useHighlighter()
  const app = useSyncExternalStore(store.subscribe, store.getState)
  const now = useNow(true, 1_000, clock)
  const rows = inboxRows(app)
  const held = useRef<{ state: InboxState; rows: readonly InboxRow[] }>({ state: emptyInbox, rows })
  const [, redraw] = useState(0)
  const gate = useRef<ReturnType<typeof createQuietGate>>(undefined)
  gate.current ??= createQuietGate({ quietMs })
  const quiet = gate.current

  const before = held.current.state.cursor
  held.current = { state: settled(held.current.state, rows, held.current.rows), rows }
  const { state } = held.current
  // A key that was meant for the row that went away must not answer the one that stands there now.
  const moved = before !== null && state.cursor !== before
  useEffect(() => quiet.arrived(performance.now()), [quiet])
  useLayoutEffect(() => {
    if (moved) quiet.arrived(performance.now())
  })

  const view = inboxView({ state, rows, width, height, theme, table, now, version, covers })
  useLayoutEffect(() => {
    const fresh = view.shown.filter((key) => !held.current.state.seen.has(key))
    if (fresh.length === 0) return
    held.current.state = { ...held.current.state, seen: new Set([...held.current.state.seen, ...fresh]) }
    if (held.current.state.mode === 'rule') redraw((n) => n + 1)
  })

  const latest = useRef({ rows, view })
  latest.current = { rows, view }
  const apply = (step: InboxStep): boolean => {
    held.current.state = step.state
    if (step.answers) {
      const late = step.answers.filter(({ row, decision }) => !onAnswer(row.sessionId, row.request.id, decision))
      if (late.length > 0) held.current.state = { ...step.state, hint: `${late.length} had an answer already.` }
    }
    redraw((n) => n + 1)
    if (step.open) onOpen(step.open)
    if (step.close) onClose()
    return step.used
  }
  useKeys(
    'overlay',
    true,
    (press) => {
      const { rows: shown, view: drawn } = latest.current
      const mayDecide = quiet.press(press.time) === 'dialog'
      const { details, page, listed } = drawn
      return apply(
        inboxKey(held.current.state, press, { rows: shown, table, details, page, listed, mayDecide, covers }),
      )
    },
    (text) => {
      quiet.press(performance.now())
      return apply(inboxPaste(held.current.state, text))
    },
  )
  useWheel(true, ({ direction }) => {
    const { details, page } = latest.current.view
    const scroll = held.current.state.scroll + (direction === 'up' ? -rowsPerNotch : rowsPerNotch)
    held.current.state = { ...held.current.state, scroll: Math.max(0, Math.min(scroll, details - page)) }
    redraw((n) => n + 1)
    return true
  })
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      {view.rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the window, whatever stands in it
        <RowView key={index} row={row} verbatim={view.exact.has(row)} />
      ))}
    </Box>
  )
}
