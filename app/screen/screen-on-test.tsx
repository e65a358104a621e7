/** A screen in an emulated terminal, for the tests beside it: real keys, a hand-fed store, actions that are written down. */

import type { AgentEvent } from '@sluice/engine/protocol'
import { darkTheme, type Theme } from '@sluice/permissions-ui'
import type { ReactNode } from 'react'
import { type RenderedScreen, renderAt } from '../../fixtures/screen/render-at.tsx'
import { memoryHistory } from '../composer/index.ts'
import { defaultKeys } from '../keymap.ts'
import { loadLexer } from '../markdown/lexer.ts'
import { createStore, type Store } from '../state/index.ts'
import { KeyProvider } from '../terminal/key-source.tsx'
import type { AppActions } from './actions.ts'
import { Screen, type ScreenProps } from './Screen.tsx'

export type ScreenOnTest = RenderedScreen & {
  store: Store
  /** What the screen asked of the program, in order: `['send', 'hello']`. */
  asked: unknown[][]
  feed(events: readonly AgentEvent[]): Promise<void>
}

/** ms since 1970 that the clocks on screen show: 14 seconds after the first event of the streams. */
export const testNow = Date.UTC(2026, 10, 30, 12, 0, 14)

export async function showScreen(
  columns: number,
  rows: number,
  events: readonly AgentEvent[],
  extra: Partial<ScreenProps> & { theme?: Theme; colors?: boolean } = {},
): Promise<ScreenOnTest> {
  await loadLexer()
  const { colors, ...props } = extra
  const store = props.store ?? createStore()
  for (const event of events) store.dispatch(event)
  const asked: unknown[][] = []
  const element: ReactNode = (
    <KeyProvider table={defaultKeys}>
      <Screen
        store={store}
        actions={writtenDown(asked)}
        theme={darkTheme}
        composer={{ history: memoryHistory(), commands: [] }}
        branch="main ±2"
        home="/home/ada"
        reducedMotion={true}
        clock={fixedClock}
        {...props}
      />
    </KeyProvider>
  )
  const screen = await renderAt(columns, rows, element, {
    alternateScreen: true,
    incrementalRendering: true,
    ...(colors === undefined ? {} : { colors }),
  })
  await screen.settled()
  return {
    ...screen,
    store,
    asked,
    async feed(more) {
      for (const event of more) store.dispatch(event)
      store.flush()
      await screen.settled()
    },
  }
}

const fixedClock = () => testNow

function writtenDown(asked: unknown[][]): AppActions {
  const note =
    <T,>(name: string, answer: T) =>
    (...words: unknown[]): T => {
      asked.push([name, ...words])
      return answer
    }
  return {
    send: note('send', undefined),
    runCommand: (line) => {
      if (!line.startsWith('/') && !line.startsWith('!')) return false
      asked.push(['runCommand', line])
      return true
    },
    interrupt: note('interrupt', undefined),
    answer: note('answer', true),
    setMode: note('setMode', undefined),
    unqueue: note('unqueue', null),
    copy: note('copy', undefined),
    openInEditor: note('openInEditor', undefined),
    suspend: note('suspend', undefined),
    redraw: note('redraw', undefined),
    quit: note('quit', undefined),
  }
}
