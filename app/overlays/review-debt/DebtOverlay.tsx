/** Walks through what was applied without a person's look: keep it, take parts back, undo that. */
import type { ChangeStanding, ReviewDebt, ReviewOutcome } from '@sluice/engine/protocol'
import {
  createQuietGate,
  drawn,
  KeysContext,
  RowsView,
  RowView,
  reviewBody,
  reviewLines,
  settle,
  splitFrom,
  useHighlighter,
  useKeys,
  useTheme,
} from '@sluice/permissions-ui'
import { Box } from 'ink'
import { useContext, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { quietMs } from '../../screen/question-focus.ts'
import { useNow } from '../../screen/use-now.ts'
import type { Store } from '../../state/index.ts'
import { useWheel } from '../../terminal/key-source.tsx'
import { rowsPerNotch } from '../../terminal/mouse.ts'
import {
  conflictOf,
  type DebtScene,
  type DebtState,
  type DebtStep,
  debtKey,
  debtPaste,
  emptyDebt,
  reviewOf,
  settledDebt,
  withReview,
} from './debt-state.ts'
import { debtFrame, emptyRows, reviewWord } from './debt-view.ts'

export type DebtOverlayProps = {
  width: number
  height: number
  store: Store
  debt: ReviewDebt
  onClose(): void
  /** ms since 1970. */
  clock?: () => number
}

export function DebtOverlay({ width, height, store, debt, onClose, clock = Date.now }: DebtOverlayProps) {
  const { table } = useContext(KeysContext)
  const theme = useTheme()
  const version = useHighlighter()
  const now = useNow(true, 60_000, clock)
  const changes = useSyncExternalStore(store.subscribe, debt.list)
  const held = useRef<{ state: DebtState; changes: typeof changes }>({ state: emptyDebt, changes })
  const [, redraw] = useState(0)
  const gate = useRef<ReturnType<typeof createQuietGate>>(undefined)
  gate.current ??= createQuietGate({ quietMs })
  const quiet = gate.current

  held.current = { state: settledDebt(held.current.state, changes, held.current.changes), changes }
  const { state } = held.current
  const change = changes.find(({ id }) => id === state.at)
  const id = change?.id
  // Another change is another question: the key that answered the last one must not answer this one too.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each change
  useEffect(() => quiet.arrived(performance.now()), [id, quiet])

  const [standings, setStandings] = useState<ReadonlyMap<string, ChangeStanding>>(new Map())
  const [asked, askAgain] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: files are looked at again after each answer
  useEffect(() => {
    if (id === undefined) return
    let wanted = true
    void debt.standing(id).then((standing) => {
      if (wanted && standing !== null) setStandings((known) => new Map(known).set(id, standing))
    })
    return () => {
      wanted = false
    }
  }, [id, debt, asked, changes])
  const standing = id === undefined ? null : (standings.get(id) ?? null)

  const kept = change === undefined ? null : reviewOf(state, change)
  const autoSplit = width >= splitFrom
  const split = kept?.split ?? autoSplit
  const left = kept?.left ?? 0
  const blanks = kept?.blanks ?? false
  const diffs = kept?.review?.diffs ?? null
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours that have come since make other rows
  const lines = useMemo(
    () => (diffs === null ? null : reviewLines(diffs, { width, theme, left, split, blanks })),
    [diffs, width, theme, left, split, blanks, version],
  )
  const review = kept?.review ?? null
  const body = useMemo(() => {
    if (review === null || lines === null) return null
    const remark = ({ hunk }: { hunk: number }) => conflictOf(review, hunk, standing) && 'cannot be taken back'
    return reviewBody(review, lines, { width, theme, left, split }, remark)
  }, [review, lines, width, theme, left, split, standing])
  const frameInput = { change, standing, changes, last: debt.undoable().at(-1), width, height, theme, table, now }
  const frame = debtFrame({ ...frameInput, state, review: kept })
  const scene: Omit<DebtScene, 'mayDecide'> = {
    changes,
    standing,
    table,
    rows: body?.count ?? 0,
    height: frame.bodyHeight,
    hunks: body?.hunks ?? [],
    files: [],
    autoSplit,
    hasEditor: false,
    ...(body === null ? {} : { places: body.places }),
  }
  const shown = kept === null ? null : settle(kept, scene)
  useLayoutEffect(() => {
    if (change === undefined || shown === null) return
    const seen = drawn(reviewOf(held.current.state, change), scene)
    held.current.state = withReview(held.current.state, change, seen)
  })

  const latest = useRef({ scene })
  latest.current = { scene }
  const say = (outcome: ReviewOutcome) => {
    const said = outcome.ok
      ? { level: 'info' as const, text: reviewWord(outcome.review) }
      : { level: 'warn' as const, text: outcome.problem }
    held.current.state = { ...held.current.state, said }
    askAgain((n) => n + 1)
    redraw((n) => n + 1)
  }
  /** An answer is on its way: the next one waits for it. */
  const busy = useRef(false)
  const apply = (step: DebtStep): boolean => {
    held.current.state = step.state
    redraw((n) => n + 1)
    if (step.close) onClose()
    const wish = step.settle
    const last = debt.undoable().at(-1)
    const work = wish
      ? () => debt.settle(wish.change.id, wish.kept, wish.message)
      : step.undo && last
        ? () => debt.undo(last.id)
        : null
    if (work === null || busy.current) return step.used
    busy.current = true
    void work().then((outcome) => {
      busy.current = false
      say(outcome)
    })
    return true
  }
  useKeys(
    'overlay',
    true,
    (press) => {
      const mayDecide = quiet.press(press.time) === 'dialog'
      return apply(debtKey(held.current.state, press, { ...latest.current.scene, mayDecide }))
    },
    (text) => {
      quiet.press(performance.now())
      return apply(debtPaste(held.current.state, text, { ...latest.current.scene, mayDecide: false }))
    },
  )

  useWheel(true, ({ direction }) => {
    if (change === undefined) return true
    const now = reviewOf(held.current.state, change)
    const scroll = Math.max(0, now.scroll + (direction === 'up' ? -rowsPerNotch : rowsPerNotch))
    held.current.state = withReview(held.current.state, change, { ...now, scroll, follow: null })
    redraw((n) => n + 1)
    return true
  })

  const scroll = shown?.scroll ?? 0
  const count = Math.max(0, Math.min(frame.bodyHeight, (body?.count ?? 0) - scroll))
  const visible = Array.from({ length: count }, (_, i) => scroll + i)
  const empty = body === null ? emptyRows({ ...frameInput, state, review: kept }).slice(0, frame.bodyHeight) : []
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <RowsView rows={frame.header} />
      <Box flexDirection="column" height={frame.bodyHeight} flexShrink={0}>
        <RowsView rows={empty} />
        {body === null ? null : visible.map((index) => <RowView key={index} row={body.at(index)} verbatim />)}
      </Box>
      <RowsView rows={frame.footer} />
    </Box>
  )
}
