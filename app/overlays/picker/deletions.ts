/** Sessions that were deleted while the list is open: they are taken back one after the other, the last one first. */
import type { SessionIndex } from '@sluice/engine/ports'
import type { PickerOptions } from './picker-view.ts'

export type Deleted = { id: string; title: string }

export interface Deletions {
  /** Throws as the index does. */
  remove(id: string, title: string): void
  /** Takes the last one back; null when there is none. Throws as the index does; where trying again may help, it stays. */
  undo(): Deleted | null
  /** The last one, for a moment: that it was deleted is said so long. */
  recent(): Deleted | null
  /** How many can be taken back. */
  left(): number
  close(): void
}

/** `changed` hears when the last one is no longer recent. */
export function createDeletions(world: {
  index: Pick<SessionIndex, 'remove' | 'restore'>
  after: PickerOptions['after']
  changed(): void
}): Deletions {
  const { index, after, changed } = world
  const open: Deleted[] = []
  let recent: Deleted | null = null
  let stop = () => {}
  const forget = () => {
    stop()
    recent = null
  }
  return {
    remove(id, title) {
      index.remove(id)
      forget()
      recent = { id, title }
      open.push(recent)
      stop = after(saidMs, () => {
        recent = null
        changed()
      })
    },
    undo() {
      const last = open.at(-1)
      if (last === undefined) return null
      forget()
      try {
        index.restore(last.id)
      } catch (error) {
        if (!mayHelpLater(error)) open.pop()
        throw error
      }
      open.pop()
      return last
    },
    recent: () => recent,
    left: () => open.length,
    close: () => stop(),
  }
}

/** A disk may be made writable; what is gone stays gone, and must not stand before the others. */
function mayHelpLater(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code !== undefined && code !== 'ENOENT'
}

/** How long a deletion is said. */
export const saidMs = 5_000
