/** Waits for the server with a limit on silence and an ear for the person's interruption. */

export type Stop = 'aborted' | 'silent'
export type Waited<T> = { value: T } | { stop: Stop }

export type Watch = {
  /** The promise's value, or why the wait was given up; rejects as the promise does. */
  next<T>(promise: PromiseLike<T>): Promise<Waited<T>>
  /** The reply is whole: what may still come (usage) is not waited for at length. */
  finishing(): void
  close(): void
}

/** Comments keep a connection alive, but not for ever: this many idle times without a single event is silence too. */
const commentFactor = 4
const afterFinishMs = 5_000

/**
 * `idleMs` without a byte is silence; only time spent waiting counts, never the consumer's own.
 * `lastByteAt` is monotonic ms.
 */
export function createWatch(options: { signal: AbortSignal; idleMs: number; lastByteAt: () => number }): Watch {
  const { signal, lastByteAt } = options
  const stopped = Promise.withResolvers<{ stop: Stop }>()
  let idleMs = options.idleMs
  let waitingSince: number | undefined
  let timer: NodeJS.Timeout | undefined

  const onAbort = () => stopped.resolve({ stop: 'aborted' })
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })

  function remaining(since: number): number {
    const now = performance.now()
    return Math.min(Math.max(lastByteAt(), since) + idleMs, since + idleMs * commentFactor) - now
  }
  function check(): void {
    timer = undefined
    if (waitingSince === undefined) return
    const left = remaining(waitingSince)
    if (left > 0) {
      arm(left)
      return
    }
    // What arrived while this process was busy is read before silence is declared.
    setImmediate(() => {
      if (waitingSince === undefined || timer !== undefined) return
      const later = remaining(waitingSince)
      if (later > 0) arm(later)
      else stopped.resolve({ stop: 'silent' })
    })
  }
  function arm(ms: number): void {
    timer = setTimeout(check, Math.ceil(ms))
  }

  return {
    async next(promise) {
      waitingSince = performance.now()
      if (timer === undefined) arm(idleMs)
      try {
        return await Promise.race([stopped.promise, Promise.resolve(promise).then((value) => ({ value }))])
      } finally {
        waitingSince = undefined
      }
    },
    finishing() {
      idleMs = Math.min(idleMs, afterFinishMs)
      clearTimeout(timer)
      timer = undefined
    },
    close() {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    },
  }
}
