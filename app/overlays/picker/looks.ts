/** Closer looks at sessions: taken when the mark has rested on one, and kept as long as nothing has changed. */
import type { SessionIndex } from '@sluice/engine/ports'
import type { HereSession, PickerRow } from './picker-row.ts'
import type { Looked, PickerOptions } from './picker-view.ts'

export interface Looks {
  /** The mark is on this row now. */
  rest(row: PickerRow | undefined): void
  of(id: string): Looked | null
  forget(id: string): void
  /** Sessions of this process have changed: what was seen of them is seen anew. */
  renew(here: readonly HereSession[]): void
  clear(): void
  close(): void
}

/** `changed` hears when there is something new to show. */
export function createLooks(world: {
  index: Pick<SessionIndex, 'preview'>
  where(id: string): string
  unsent?(id: string): string
  after: PickerOptions['after']
  changed(): void
}): Looks {
  const { index, where, unsent = () => '', after, changed } = world
  const looks = new Map<string, Looked>()
  let stop = () => {}

  function look({ session, here }: Pick<PickerRow, 'session' | 'here'>): Looked {
    try {
      const { id, live } = session
      if (here !== null) return { preview: here.preview(), where: '', unsent: '' }
      return { preview: index.preview(id), where: live ? where(id) : '', unsent: unsent(id) }
    } catch (error) {
      return { problem: messageOf(error) }
    }
  }
  return {
    rest(row) {
      stop()
      if (row === undefined || looks.has(row.session.id)) return
      stop = after(previewRestMs, () => {
        looks.set(row.session.id, look(row))
        changed()
      })
    },
    of: (id) => looks.get(id) ?? null,
    forget: (id) => void looks.delete(id),
    renew(here) {
      for (const one of here) {
        if (looks.has(one.session.id)) looks.set(one.session.id, look({ session: one.session, here: one }))
      }
    },
    clear: () => looks.clear(),
    close: () => stop(),
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** How long the mark must rest before the end of a transcript is read. */
export const previewRestMs = 120
