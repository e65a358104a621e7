/** The transcript as one list: settled items, then what is alive, each entry with a stable identity. */
import { at, type Item, type LiveCall, type SessionView } from '../state/index.ts'

export type LiveText = { kind: 'live-text'; id: 'live-text'; text: string; reasoning: string }
export type LiveEntry = { kind: 'live-call'; id: string; call: LiveCall }
export type Entry = Item | LiveText | LiveEntry

export type Entries = { count: number; entryAt(index: number): Entry | undefined }

const liveEntries = new WeakMap<NonNullable<SessionView['live']>, readonly Entry[]>()

/** Calls stand before the streaming words: both together come from different replies. */
export function entriesOf(view: SessionView): Entries {
  const { settled } = view
  const alive = view.live === null ? [] : aliveOf(view.live)
  return {
    count: settled.length + alive.length,
    entryAt: (index) => (index < settled.length ? at(settled, index) : alive[index - settled.length]),
  }
}

function aliveOf(live: NonNullable<SessionView['live']>): readonly Entry[] {
  const known = liveEntries.get(live)
  if (known) return known
  const list: Entry[] = live.calls.map((call) => ({ kind: 'live-call', id: call.id, call }))
  if (live.text !== '' || live.reasoning !== '') {
    list.push({ kind: 'live-text', id: 'live-text', text: live.text, reasoning: live.reasoning })
  }
  liveEntries.set(live, list)
  return list
}
