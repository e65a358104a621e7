/** Time, timers, ids and chance: the only way the core reaches them, so that tests can own them. */
export interface Clock {
  /** Wall time as ISO 8601; for records only. */
  timestamp(): string
  /** Monotonic ms; for durations. */
  monotonic(): number
  /** A new unique id such as `turn_k3…`; not derived from time alone. */
  id(prefix: string): string
  /** A number in [0, 1), for jitter. */
  random(): number
  /** Calls back once after `ms`; the returned function cancels it. The timer never keeps the process alive. */
  after(ms: number, run: () => void): () => void
}

/** Resolves after `ms`, or at once when `signal` aborts; never rejects. Returns false when aborted. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve(false)
    const abort = () => {
      cancel()
      resolve(false)
    }
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', abort)
      resolve(true)
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
}
