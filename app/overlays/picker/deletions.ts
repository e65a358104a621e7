/** Deleted sessions that can still be taken back: the last one first, for a few seconds each. */
import type { SessionIndex } from '@sluice/engine/ports'
import type { PickerOptions } from './picker-view.ts'

export interface Deletions {
  /** Throws as the index does. */
  remove(id: string, title: string): void
  /** Takes the last one back; its id, or null when there is none. */
  undo(): string | null
  /** What the last one is called; null when there is none to take back. */
  last(): string | null
  close(): void
}

/** `changed` hears when one cannot be taken back any more. */
export function createDeletions(world: {
  index: Pick<SessionIndex, 'remove' | 'restore'>
  after: PickerOptions['after']
  changed(): void
}): Deletions {
  const { index, after, changed } = world
  const open: { id: string; title: string; stop(): void }[] = []
  return {
    remove(id, title) {
      index.remove(id)
      const stop = after(undoMs, () => {
        open.splice(open.indexOf(entry), 1)
        changed()
      })
      const entry = { id, title, stop }
      open.push(entry)
    },
    undo() {
      const last = open.pop()
      if (last === undefined) return null
      last.stop()
      index.restore(last.id)
      return last.id
    },
    last: () => open.at(-1)?.title ?? null,
    close() {
      for (const { stop } of open) stop()
    },
  }
}

export const undoMs = 5_000
