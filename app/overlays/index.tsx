/** What opens over the transcript, by name: a place is one line here. */
import type { ReactNode } from 'react'
import { commands } from '../commands/index.ts'
import type { AppActions } from '../screen/index.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Store } from '../state/index.ts'
import { HelpOverlay } from './HelpOverlay.tsx'
import { PaletteOverlay } from './PaletteOverlay.tsx'
import { SessionsOverlay } from './SessionsOverlay.tsx'

export type OverlayProps = {
  width: number
  height: number
  /** What was typed after the command that opened it. */
  argument: string | undefined
  store: Store
  actions: AppActions
  live: LiveSessions
  close(): void
}

const help = ({ width, height, argument, close }: OverlayProps) => (
  <HelpOverlay width={width} height={height} commands={commands} query={argument} onClose={close} />
)

export const overlays: Readonly<Record<string, (props: OverlayProps) => ReactNode>> = {
  help,
  keys: help,
  palette: ({ width, height, actions, close }) => (
    <PaletteOverlay
      width={width}
      height={height}
      commands={commands}
      onClose={close}
      onChoose={(line) => {
        close()
        actions.runCommand(line.trimEnd())
      }}
    />
  ),
  sessions: ({ width, height, store, close }) => (
    <SessionsOverlay
      width={width}
      height={height}
      store={store}
      onClose={close}
      onChoose={(sessionId) => {
        close()
        store.dispatch({ type: 'ui_focus', sessionId })
      }}
    />
  ),
}
