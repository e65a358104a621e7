/** The sessions that run in this process: opened, fed into the store, closed together. */

import type { Runtime } from '../compose/session.ts'
import type { Setup } from '../compose/setup.ts'
import type { Store } from '../state/index.ts'

export type OpenSession = { runtime: Runtime; setup: Setup }

export interface LiveSessions {
  /** Registers a session whose events go to the store already. */
  add(open: OpenSession): void
  /** The one in focus on the screen. */
  focused(): OpenSession | undefined
  get(id: string): OpenSession | undefined
  all(): readonly OpenSession[]
  /** Closes all of them; safe to call again. */
  close(): Promise<void>
}

export function createLiveSessions(store: Store): LiveSessions {
  const open = new Map<string, OpenSession>()
  return {
    add: (session) => void open.set(session.runtime.session.id, session),
    focused: () => open.get(store.getState().focus ?? ''),
    get: (id) => open.get(id),
    all: () => [...open.values()],
    async close() {
      await Promise.all([...open.values()].map(({ runtime }) => runtime.close()))
    },
  }
}
