/** An append-only list that is cheap to extend: old versions stay valid, entries keep their identity. */

const chunkSize = 256

/** Entries sit in chunks of 256; every chunk but the last is full. */
export type Log<T> = { readonly chunks: readonly (readonly T[])[]; readonly length: number }

const empty: Log<never> = { chunks: [], length: 0 }

export function emptyLog<T>(): Log<T> {
  return empty
}

/** A log with one more entry; the given log is unchanged. */
export function append<T>(log: Log<T>, entry: T): Log<T> {
  const last = log.chunks[log.chunks.length - 1]
  const open = last !== undefined && last.length < chunkSize
  const chunks = log.chunks.slice(0, open ? -1 : undefined)
  chunks.push(open ? [...last, entry] : [entry])
  return { chunks, length: log.length + 1 }
}

/** The entry at `index`, or undefined outside the log. */
export function at<T>(log: Log<T>, index: number): T | undefined {
  return log.chunks[Math.floor(index / chunkSize)]?.[index % chunkSize]
}

export function* entries<T>(log: Log<T>): Generator<T> {
  for (const chunk of log.chunks) yield* chunk
}

/** The index of the nearest entry before `from` (exclusive) that passes, or -1. */
export function findBefore<T>(log: Log<T>, from: number, test: (entry: T) => boolean): number {
  for (let index = Math.min(from, log.length) - 1; index >= 0; index--) {
    const entry = at(log, index)
    if (entry !== undefined && test(entry)) return index
  }
  return -1
}

/** The index of the nearest entry after `from` (exclusive) that passes, or -1. */
export function findAfter<T>(log: Log<T>, from: number, test: (entry: T) => boolean): number {
  for (let index = Math.max(from + 1, 0); index < log.length; index++) {
    const entry = at(log, index)
    if (entry !== undefined && test(entry)) return index
  }
  return -1
}
