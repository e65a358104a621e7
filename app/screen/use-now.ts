/** A clock that ticks only while somebody looks at something that moves. */
import { useEffect, useState } from 'react'

/**
 * Everything that moves does so together: one timer, one frame. A frame costs the whole screen's layout, some 10 ms of CPU:
 * once a second is seen as moving, and a session that works for hours costs one percent.
 */
export const tickMs = 1_000

/** ms since 1970, renewed about every `everyMs` (a multiple of `tickMs`) while `ticking`; otherwise the time when it stopped. */
export function useNow(ticking: boolean, everyMs: number, clock: () => number): number {
  const [now, setNow] = useState(clock)
  useEffect(() => {
    if (!ticking) return
    setNow(clock())
    const stop = onTick(() => setNow((old) => (sameStep(old, clock(), everyMs) ? old : clock())))
    return () => {
      stop()
      setNow(clock())
    }
  }, [ticking, everyMs, clock])
  return now
}

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | null = null

function onTick(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const one of [...listeners]) one()
  }, tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }
}

function sameStep(a: number, b: number, step: number): boolean {
  return Math.floor(a / step) === Math.floor(b / step)
}
