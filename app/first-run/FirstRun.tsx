/** Lets a person choose how to begin when no model can be reached; its answers come from outside. */
import { actionOf, KeysContext, RowsView, useKeys, useTheme } from '@sluice/permissions-ui'
import { Box } from 'ink'
import { useContext, useEffect, useReducer, useRef } from 'react'
import { hintMs } from '../composer/interrupt-plan.ts'
import { firstRunRows } from './first-run-rows.ts'
import { type FirstRunChoice, firstRunReducer, firstRunStart } from './first-run-state.ts'
import type { Looked } from './looked.ts'
import type { FoundServer, Listed } from './model-list.ts'

export type FirstRunProps = {
  width: number
  height: number
  looked: readonly Looked[]
  /** The model that an OpenAI key starts with. */
  keyModel: string
  /** Servers on this machine; called after the first frame, and again when the person wants it. */
  probe(): Promise<FoundServer[]>
  listModels(baseUrl: string, options: { signal: AbortSignal; apiKey?: string }): Promise<Listed>
  /** Called once. */
  onChoose(choice: FirstRunChoice): void
}

export function FirstRun({ width, height, looked, keyModel, probe, listModels, onChoose }: FirstRunProps) {
  const theme = useTheme()
  const { table } = useContext(KeysContext)
  const [state, dispatch] = useReducer(firstRunReducer, firstRunStart)
  const latest = useRef({ probe, listModels, onChoose })
  latest.current = { probe, listModels, onChoose }

  useKeys(
    'overlay',
    true,
    (press) => {
      const action = actionOf(table, 'global', press)
      if (action === 'suspend' || action === 'redraw') return false
      dispatch({ type: 'key', press, table })
      return true
    },
    (text) => {
      dispatch({ type: 'paste', text })
      return true
    },
  )

  const looking = state.servers === null
  useEffect(() => {
    if (!looking) return
    let over = false
    void latest.current.probe().then((servers) => {
      if (!over) dispatch({ type: 'found', servers })
    })
    return () => {
      over = true
    }
  }, [looking])

  const { asking } = state
  useEffect(() => {
    if (asking === null) return
    const control = new AbortController()
    const { baseUrl, ...key } = asking
    void latest.current.listModels(baseUrl, { signal: control.signal, ...key }).then((listed) => {
      if (!control.signal.aborted) dispatch({ type: 'listed', listed })
    })
    return () => control.abort()
  }, [asking])

  const { leaveAt } = state
  useEffect(() => {
    if (leaveAt === null) return
    const timer = setTimeout(() => dispatch({ type: 'hint-over' }), hintMs)
    return () => clearTimeout(timer)
  }, [leaveAt])

  const { choice } = state
  useEffect(() => {
    if (choice !== null) latest.current.onChoose(choice)
  }, [choice])

  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <RowsView rows={firstRunRows({ state, looked, keyModel, table, theme, width, height })} />
    </Box>
  )
}
