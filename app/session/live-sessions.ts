/** The sessions that run in this process: opened, fed into the store, closed one by one or together. */

import type { Options } from '../cli/args.ts'
import type { Runtime } from '../compose/session.ts'
import type { Setup } from '../compose/setup.ts'
import type { Store } from '../state/index.ts'

/** What it was opened with is what a further one in the same folder is opened with. */
export type OpenSession = { runtime: Runtime; setup: Setup; options: Options }

export interface LiveSessions {
  /** Registers a session whose events go to the store already. */
  add(open: OpenSession): void
  /** The one in focus on the screen. */
  focused(): OpenSession | undefined
  get(id: string): OpenSession | undefined
  all(): readonly OpenSession[]
  /** Brings its neighbour to the front, ends what it runs, and takes it off the screen. */
  closeOne(id: string): Promise<void>
  /** False for one that was taken off the screen: what it says is not for the store any more. */
  shown(id: string): boolean
  /** Closes all of them; safe to call again. */
  close(how?: { leaveQuestions: boolean }): Promise<void>
}

/** Hears of a session before it ends; once when it is closed alone, each time when all are. */
export type Leaving = (session: OpenSession, alone: boolean) => void

export function createLiveSessions(store: Store, leaving: Leaving = () => {}): LiveSessions {
  const open = new Map<string, OpenSession>()
  const closing = new Set<Promise<void>>()
  const gone = new Set<string>()

  async function end(session: OpenSession): Promise<void> {
    const { runtime } = session
    leaving(session, true)
    await runtime.close()
    gone.add(runtime.session.id)
    store.dispatch({ type: 'ui_close_session', sessionId: runtime.session.id })
  }

  return {
    add(session) {
      const { id } = session.runtime.session
      // It may have been closed before, and gone on with.
      gone.delete(id)
      open.set(id, session)
    },
    focused: () => open.get(store.getState().focus ?? ''),
    get: (id) => open.get(id),
    all: () => [...open.values()],
    async closeOne(id) {
      const session = open.get(id)
      if (session === undefined) return
      const ids = [...open.keys()]
      const at = ids.indexOf(id)
      const neighbour = ids[at - 1] ?? ids[at + 1]
      open.delete(id)
      if (neighbour !== undefined && store.getState().focus === id) {
        store.dispatch({ type: 'ui_focus', sessionId: neighbour })
      }
      const ending = end(session)
      closing.add(ending)
      await ending.finally(() => closing.delete(ending))
    },
    shown: (id) => !gone.has(id),
    async close(how) {
      for (const session of open.values()) leaving(session, false)
      await Promise.all([...closing, ...[...open.values()].map(({ runtime }) => runtime.close(how))])
    },
  }
}
