/** All permission rules: where they come from and what they did, to test, add and take away. */
import { actionOf, KeysContext, RowView, useKeys, useTheme } from '@sluice/permissions-ui'
import { Box } from 'ink'
import { useContext, useEffect, useMemo, useReducer, useRef, useState } from 'react'
import { useHeldKeys } from '../../terminal/key-source.tsx'
import type { RuleHistory, RulesPort } from './rules-port.ts'
import { filtered, openRules, type RulesState, type RulesStep, rulesKey, rulesPaste } from './rules-state.ts'
import { rulesView } from './rules-view.ts'

export type RulesOverlayProps = {
  width: number
  height: number
  /** Opened by and by: what it is made from is loaded with it. */
  open(): Promise<RulesPort>
  /** What the filter begins with. */
  filter: string | undefined
  onClose(): void
  /** ms since 1970. */
  clock?: () => number
}

export function RulesOverlay({ open, ...props }: RulesOverlayProps) {
  const [port, setPort] = useState<RulesPort | null>(null)
  const opening = useRef(open)
  useEffect(() => {
    let wanted = true
    void opening.current().then((made) => wanted && setPort(made))
    return () => {
      wanted = false
    }
  }, [])
  const { table } = useContext(KeysContext)
  useHeldKeys(port === null, (press) => {
    if (actionOf(table, 'rules', press) !== 'close') return false
    props.onClose()
    return true
  })
  return port === null ? null : <OpenRules {...props} port={port} />
}

function OpenRules({
  width,
  height,
  port,
  filter,
  onClose,
  clock = Date.now,
}: Omit<RulesOverlayProps, 'open'> & { port: RulesPort }) {
  const { table } = useContext(KeysContext)
  const theme = useTheme()
  const held = useRef<RulesState>(undefined)
  held.current ??= openRules(filter ?? '')
  const [, redraw] = useReducer((n: number) => n + 1, 0)
  const [history, setHistory] = useState<RuleHistory | null>(null)
  const [changes, changed] = useReducer((n: number) => n + 1, 0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again after each change
  const all = useMemo(() => port.list(), [port, changes])
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again after each change
  useEffect(() => {
    let wanted = true
    void port.history().then((read) => wanted && setHistory(read))
    return () => {
      wanted = false
    }
  }, [port, changes])

  const state = held.current
  const rows = filtered(all, state.filter.text)
  const text = state.rule.text.trim()
  const adding = state.mode === 'add' || state.mode === 'scope'
  const check = adding && text !== '' ? port.check(text) : null
  const place = port.place()
  const view = rulesView({
    ...{ state, rows, all: all.length, place, problems: port.problems(), history, check },
    ...{ width, height, theme, table, now: clock() },
  })
  const latest = useRef({ rows, view, check })
  latest.current = { rows, view, check }

  const say = (text: string, level: 'info' | 'warn') => {
    held.current = { ...(held.current as RulesState), said: { text, level } }
    redraw()
  }
  const change = (work: Promise<void>, text: string) =>
    work.then(
      () => {
        changed()
        say(text, 'info')
      },
      (error: unknown) => say(sentence(error), 'warn'),
    )
  const apply = (step: RulesStep): boolean => {
    held.current = step.state
    redraw()
    if (step.close) onClose()
    if (step.test !== undefined) {
      port.test(step.test).then(
        (tested) => {
          held.current = { ...(held.current as RulesState), tested, scroll: 0 }
          redraw()
        },
        (error: unknown) => say(sentence(error), 'warn'),
      )
    }
    if (step.add)
      void change(
        port.add(step.add.text, step.add.effect, step.add.scope),
        `Added: ${step.add.effect} ${step.add.text}`,
      )
    if (step.revoke) void change(port.revoke(step.revoke), `Taken away: ${step.revoke.effect} ${step.revoke.text}`)
    return step.used
  }
  useKeys(
    'overlay',
    true,
    (press) => {
      const { rows: shown, view: drawn, check: checked } = latest.current
      const scene = { rows: shown, table, listed: drawn.listed, page: drawn.page, usable: checked?.ok ?? false }
      return apply(rulesKey(held.current as RulesState, press, scene))
    },
    (pasted) => {
      held.current = rulesPaste(held.current as RulesState, pasted)
      redraw()
      return true
    },
  )
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      {view.rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the window, whatever stands in it
        <RowView key={index} row={row} verbatim={view.exact.has(row)} />
      ))}
    </Box>
  )
}

function sentence(error: unknown): string {
  const { message, hint } = error as { message?: string; hint?: string }
  return [message ?? String(error), hint].filter((part) => part !== undefined && part !== '').join(' ')
}
