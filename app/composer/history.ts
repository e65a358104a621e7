/** Older prompts: walking through them by prefix, and searching them. */

/** A prompt as it was written; `pastes` holds what its chips stand for, by number. */
export type HistoryEntry = { text: string; pastes?: Record<string, string> }

/** Where prompts are kept: one folder's, oldest first. */
export interface HistoryStore {
  load(): HistoryEntry[]
  /** Makes the entry durable before it returns; never throws. */
  append(entry: HistoryEntry): void
}

export interface History {
  /** Oldest first, without repetitions in a row. */
  entries(): readonly HistoryEntry[]
  /** Call it before the prompt is sent: an interrupt right after must find it here. */
  commit(entry: HistoryEntry): void
}

/** Reads the store when the history is first wanted. */
export function createHistory(store: HistoryStore): History {
  let entries: HistoryEntry[] | null = null
  const all = () => {
    entries ??= store.load().filter((entry, index, list) => entry.text !== list[index - 1]?.text)
    return entries
  }
  return {
    entries: all,
    commit(entry) {
      const list = all()
      if (entry.text.trim() === '' || sameEntry(list.at(-1), entry)) return
      list.push(entry)
      store.append(entry)
    },
  }
}

/** A history that is gone with the process. */
export function memoryHistory(initial: string[] = []): History {
  return createHistory({ load: () => initial.map((text) => ({ text })), append: () => {} })
}

/** A walk through the history: `index` is what is shown, `prefix` what every entry begins with. */
export type Walk = { prefix: string; index: number }

/** The next older entry that begins with the prefix and differs from what is shown; null at the end. */
export function walkOlder(entries: readonly HistoryEntry[], prefix: string, from: number, shown: string): Walk | null {
  for (let index = Math.min(from, entries.length) - 1; index >= 0; index--) {
    const text = entries[index]?.text ?? ''
    if (text.startsWith(prefix) && text !== shown) return { prefix, index }
  }
  return null
}

/** The next newer entry; null when the draft comes next. */
export function walkNewer(entries: readonly HistoryEntry[], walk: Walk, shown: string): Walk | null {
  for (let index = walk.index + 1; index < entries.length; index++) {
    const text = entries[index]?.text ?? ''
    if (text.startsWith(walk.prefix) && text !== shown) return { prefix: walk.prefix, index }
  }
  return null
}

/** The nearest entry older (or newer) than `from` that holds `query`; capital letters in it matter. -1 when there is none. */
export function findEntry(entries: readonly HistoryEntry[], query: string, from: number, step: -1 | 1): number {
  const exact = query !== query.toLowerCase()
  for (let index = from + step; index >= 0 && index < entries.length; index += step) {
    const text = entries[index]?.text ?? ''
    if ((exact ? text : text.toLowerCase()).includes(query)) return index
  }
  return -1
}

function sameEntry(one: HistoryEntry | undefined, other: HistoryEntry): boolean {
  return one?.text === other.text && JSON.stringify(one.pastes ?? {}) === JSON.stringify(other.pastes ?? {})
}
