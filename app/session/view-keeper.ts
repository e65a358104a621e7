/** Keeps what a person has before them on the disk: while they type, for a process that is killed, and when a session ends. */
import { join } from 'node:path'
import { leftOf, type ScreenMemory } from '../screen/index.ts'
import type { Store } from '../state/index.ts'
import { writeLeftView } from './left-view.ts'

export interface ViewKeeper {
  /** A key or a paste came: what it changed is kept a moment later. */
  touched(): void
  /** Keeps what is before the person in this session, now: it ends. */
  leave(sessionId: string): void
  close(): void
}

type World = {
  store: Store
  memory: ScreenMemory
  sessionsDir: string
  /** Calls back once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void
}

export function createViewKeeper({ store, memory, sessionsDir, after }: World): ViewKeeper {
  /** By session, what was written while it was open here. */
  const written = new Map<string, string>()
  const waiting = new Set<string>()
  let stop: (() => void) | null = null

  function write(id: string): void {
    const view = store.getState().sessions[id]
    if (view === undefined) return
    const left = leftOf(memory, view)
    const text = JSON.stringify(left)
    if (written.get(id) === text) return
    // What a full disk refused is tried again after the next key.
    if (writeLeftView(join(sessionsDir, id), left)) written.set(id, text)
  }

  return {
    leave(id) {
      // Another process may go on with it, and leave another view.
      written.delete(id)
      write(id)
      written.delete(id)
    },
    touched() {
      const { focus } = store.getState()
      if (focus !== null) waiting.add(focus)
      stop ??= after(restMs, () => {
        stop = null
        const ids = [...waiting]
        waiting.clear()
        for (const id of ids) write(id)
      })
    },
    close() {
      stop?.()
      stop = null
    },
  }
}

/** What is typed in this time is what a killed process can lose. */
export const restMs = 1_000
