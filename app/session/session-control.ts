/** What a person does with the sessions of this process: open one, close one. */
import type { Store } from '../state/index.ts'
import { openBeside, type SessionsWorld } from './open-session.ts'

export type SessionControl = {
  /** Opens another session, and sends it `prompt` unless that is empty. */
  open(prompt: string): Promise<void>
  /** Closes the one in focus; one that works only when it is asked for twice. */
  close(): Promise<void>
}

export function createSessionControl(world: SessionsWorld): SessionControl {
  const { store, live } = world
  /** The session about which it was said that it still works. */
  let warned: string | null = null
  return {
    async open(prompt) {
      const runtime = await openBeside(world)
      if (prompt !== '') runtime?.session.send(prompt)
    },
    async close() {
      const front = live.focused()
      if (front === undefined) return
      const { session } = front.runtime
      const again = warned === session.id
      warned = null
      if (live.all().length === 1) {
        toast(store, 'info', 'This is the only session: /exit leaves sluice')
      } else if (session.busy && !again) {
        warned = session.id
        toast(store, 'warn', 'This session still works: /close once more stops it')
      } else {
        await live.closeOne(session.id)
        toast(store, 'info', `Closed. Go on with it later: sluice --resume ${session.id}`)
      }
    },
  }
}

function toast(store: Store, level: 'info' | 'warn', text: string): void {
  store.dispatch({ type: 'ui_toast', toast: { level, text } })
}
