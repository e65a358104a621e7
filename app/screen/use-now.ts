/** A clock that ticks only while somebody looks at something that moves. */
import { useEffect, useState } from 'react'

/** ms since 1970, renewed every `everyMs` while `ticking`; without it, the time at which the ticking ended. */
export function useNow(ticking: boolean, everyMs: number, clock: () => number = Date.now): number {
  const [now, setNow] = useState(clock)
  useEffect(() => {
    if (!ticking) return
    setNow(clock())
    const timer = setInterval(() => setNow(clock()), everyMs)
    return () => clearInterval(timer)
  }, [ticking, everyMs, clock])
  return now
}
