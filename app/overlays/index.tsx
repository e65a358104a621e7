/** What opens over the transcript, by name: a place is one line here. */
import type { ReactNode } from 'react'
import { commands } from '../commands/index.ts'
import type { AppActions } from '../screen/index.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { SessionControl } from '../session/session-control.ts'
import type { StoredSessions } from '../session/stored-sessions.ts'
import type { Store } from '../state/index.ts'
import { openInbox, openPermissions, openReview } from './deciding.tsx'
import { HelpOverlay } from './HelpOverlay.tsx'
import { Later } from './Later.tsx'
import { PaletteOverlay } from './PaletteOverlay.tsx'
import { openRewind } from './rewind/open-rewind.tsx'

export type OverlayProps = {
  width: number
  height: number
  /** What was typed after the command that opened it. */
  argument: string | undefined
  store: Store
  actions: AppActions
  live: LiveSessions
  control: SessionControl
  stored: StoredSessions
  /** For `~` in paths. */
  home: string
  close(): void
}

const loadPicker = async () => (await import('./picker/LivePicker.tsx')).LivePicker

const help = ({ width, height, argument, close }: OverlayProps) => (
  <HelpOverlay width={width} height={height} commands={commands} query={argument} onClose={close} />
)

function openPalette({ width, height, store, actions, close }: OverlayProps) {
  const run = (line: string) => {
    close()
    actions.runCommand(line)
  }
  return (
    <PaletteOverlay
      width={width}
      height={height}
      commands={commands}
      onClose={close}
      onRun={run}
      onWrite={(text) => {
        const sessionId = store.getState().focus
        // A draft belongs to a session; before there is one, the command itself says what it needs.
        if (sessionId === null) return run(text.trimEnd())
        close()
        store.dispatch({ type: 'ui_draft', draft: { sessionId, text } })
      }}
    />
  )
}

export const overlays: Readonly<Record<string, (props: OverlayProps) => ReactNode>> = {
  help,
  keys: help,
  palette: openPalette,
  inbox: openInbox,
  review: openReview,
  permissions: openPermissions,
  sessions: (props) => <Later load={loadPicker} props={{ ...props, resuming: false }} />,
  rewind: openRewind,
  resume: (props) => <Later load={loadPicker} props={{ ...props, resuming: true }} />,
}
