/** Notices when background commands end: nobody tells, so their processes are looked for while there are any. */
import { readFileSync } from 'node:fs'
import type { Store } from '../state/index.ts'

/** Often enough for a list that a person glances at. */
const everyMs = 2_000

/** Returns a function that stops it. No timer runs while nothing is in the background. */
export function watchBackground(store: Store, runs: (pid: number) => boolean = isThere): () => void {
  let timer: ReturnType<typeof setInterval> | undefined
  const pids = () =>
    Object.values(store.getState().sessions).flatMap((view) => view.background.flatMap((command) => command.pids))
  const stop = () => {
    clearInterval(timer)
    timer = undefined
  }
  const look = () => {
    const ended = pids().filter((pid) => !runs(pid))
    if (ended.length > 0) store.dispatch({ type: 'ui_ended', pids: ended })
  }
  const update = () => {
    if (pids().length === 0) stop()
    else if (timer === undefined) {
      timer = setInterval(look, everyMs)
      timer.unref()
    }
  }
  const unsubscribe = store.subscribe(update)
  update()
  return () => {
    unsubscribe()
    stop()
  }
}

/** A process of somebody else is there too; one that has ended and that nobody waits for is not. */
export function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Where the first process of a container reaps nobody, orphans stay like this for good. */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
  } catch {
    return false
  }
}
