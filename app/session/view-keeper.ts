/** Keeps what a person has before them on the disk: while they type, for a process that is killed, and when a session ends. */
import { join } from 'node:path'
import { isEmpty } from '../composer/index.ts'
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
  /**
   * Whether this process works on it now. Before that only its end is on the screen, without what was left in it; after
   * that it has been kept as it was.
   */
  open(sessionId: string): boolean
  /** Calls back once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void
}

export function createViewKeeper({ store, memory, sessionsDir, open, after }: World): ViewKeeper {
  /** By session, what was written while it was open here. */
  const written = new Map<string, string>()
  /** Sessions whose file has no words in it: nothing must be taken out of it at once. */
  const wordless = new Set<string>()
  const waiting = new Set<string>()
  let stop: (() => void) | null = null
  let stopLooking: (() => void) | null = null

  function write(id: string): void {
    const view = store.getState().sessions[id]
    if (view === undefined) return
    const left = leftOf(memory, view)
    const text = JSON.stringify(left)
    if (written.get(id) === text) return
    // What a full disk refused is tried again after the next key.
    if (!writeLeftView(join(sessionsDir, id), left)) return
    written.set(id, text)
    if (left.draft === undefined) wordless.add(id)
    else wordless.delete(id)
  }

  /** What was sent must not come back as a draft: it does not wait for the end of the typing. */
  function takeOutSent(): void {
    stopLooking = null
    for (const id of [...waiting].filter(open)) {
      const draft = memory.drafts.get(id)
      if (!wordless.has(id) && (draft === undefined || isEmpty(draft))) write(id)
    }
  }

  return {
    leave(id) {
      // Another process may go on with it, and leave another view.
      written.delete(id)
      write(id)
      written.delete(id)
      wordless.delete(id)
    },
    touched() {
      const { focus } = store.getState()
      if (focus !== null) waiting.add(focus)
      // The key is heard of before it has done anything.
      stopLooking ??= after(0, takeOutSent)
      stop ??= after(restMs, () => {
        stop = null
        const ids = [...waiting].filter(open)
        waiting.clear()
        for (const id of ids) write(id)
      })
    },
    close() {
      stop?.()
      stopLooking?.()
      stop = null
      stopLooking = null
    },
  }
}

/** What is typed in this time is what a killed process can lose. */
export const restMs = 1_000
