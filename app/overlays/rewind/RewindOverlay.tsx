/** Going back to an earlier turn, or undoing one call: which one, what of it, and what that does to files before anything is done. */
import type { Rewind, RewindOutcome, Rewound } from '@sluice/engine/protocol'
import { actionOf, diffLines, KeysContext, RowsView, useHighlighter, useKeys, useTheme } from '@sluice/permissions-ui'
import { Box } from 'ink'
import { useContext, useEffect, useMemo, useRef, useState } from 'react'
import { pageOf, rewindRows } from './rewind-rows.ts'
import {
  emptyRewind,
  type RewindState,
  type RewindWish,
  restored,
  rewindKey,
  withPreview,
  withTurns,
} from './rewind-state.ts'

export type RewindOverlayProps = {
  width: number
  height: number
  rewind: Rewind
  /** The rewind is done; the overlay is of no use any more. */
  onDone(rewound: Rewound): void
  /** Resolves with why there is no fork; null when it is on the screen. */
  onFork(turnId: string): Promise<string | null>
  onClose(): void
  /** Words that are no key in the list: two Escs may have opened it for somebody who goes on writing. */
  onTyped?(text: string): void
  /** ms since 1970. */
  clock?: () => number
}

export function RewindOverlay(props: RewindOverlayProps) {
  const { width, height, rewind, onDone, onFork, onClose, clock = Date.now } = props
  const { table } = useContext(KeysContext)
  const theme = useTheme()
  const version = useHighlighter()
  // Keys follow one another faster than frames.
  const held = useRef<RewindState>(emptyRewind)
  const [, redraw] = useState(0)
  const open = useRef(true)
  const set = (state: RewindState) => {
    held.current = state
    if (open.current) redraw((count) => count + 1)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once, when it is opened
  useEffect(() => {
    open.current = true
    void rewind.turns().then((turns) => set(withTurns(held.current, turns, rewind.undoable())))
    return () => {
      open.current = false
    }
  }, [])

  const state = held.current
  const file = state.preview?.files[state.file]
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours that have come since make other rows
  const lines = useMemo(
    () => (file === undefined ? null : diffLines([file.diff], { width, theme, hunks: true })),
    [file, width, theme, version],
  )

  const look = async (turnId: string | null, callId: string | undefined, problem: string | null) => {
    const found = await rewind.preview(turnId, callId)
    if (typeof found === 'string') set({ ...held.current, preview: null, doing: null, problem: found })
    else set({ ...withPreview(held.current, found), problem })
  }
  const apply = async () => {
    const { preview, what } = held.current
    if (preview === null) return
    const choice = { preview, conversation: what !== 'files', restore: restored(held.current) }
    const outcome: RewindOutcome = await rewind.apply(choice)
    if (outcome.ok) onDone(outcome.rewound)
    // What is there now is shown, so that a new yes is for that.
    else await look(preview.turnId, preview.turnId === null ? undefined : preview.call?.callId, outcome.problem)
  }
  const follow = async (wish: RewindWish) => {
    if (wish.want === 'close') onClose()
    else if (wish.want === 'apply') await apply()
    else if (wish.want === 'look') await look(wish.turnId, wish.callId, null)
    else {
      const problem = await onFork(wish.turnId)
      if (problem === null) onClose()
      else set({ ...held.current, doing: null, problem })
    }
  }

  const place = () => ({ width, height, theme, table, now: clock() })
  useKeys('overlay', true, (press) => {
    const page = pageOf(held.current, place())
    const action = actionOf(table, 'rewind', press) ?? actionOf(table, 'overlay', press)
    const next = rewindKey(held.current, action, { page, last: Math.max(0, (lines?.count ?? 0) - page) })
    if (next === null) {
      if (press.text === '') return false
      if (!begun(held.current)) props.onTyped?.(press.text)
      // The keys stand where the problem did.
      else if (held.current.problem !== null) set({ ...held.current, problem: null })
      return true
    }
    set(next.state)
    if (next.wish !== undefined) void follow(next.wish)
    return true
  })

  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <RowsView rows={rewindRows(state, lines, place())} />
    </Box>
  )
}

/** Somebody looks at something here or waits for it: a key that is none must not take that away. */
function begun({ preview, doing, open }: RewindState): boolean {
  return preview !== null || doing !== null || open.size > 0
}
