/** Tells a person once that records cannot be written, and once that they are again. */
import type { LineAppender } from './append-line.ts'
import { type DiskReport, diskState, type OnProblem } from './disk-report.ts'

/**
 * Appends `record` to `file`. `onProblem` is called after the present piece of work, since what it says may become a record
 * of the same file. `what` begins the sentence: `The transcript is`.
 */
export function createTeller(file: LineAppender, what: string, onProblem: OnProblem): (record: unknown) => void {
  let failing = false
  let lostBefore = 0
  let restoredBefore = 0
  const tell = (text: string, disk?: DiskReport) => queueMicrotask(() => onProblem(text, disk))
  return (record) => {
    const problem = file.append(record)
    if (problem !== undefined && !failing) {
      const text = `${what} not being saved: ${problem}. The session goes on; what waits is written as soon as it can be.`
      const state = diskState(problem)
      tell(text, state === null ? undefined : { what, state, lost: 0 })
    }
    if (file.restored > restoredBefore) {
      restoredBefore = file.restored
      tell(`${what} written anew: the file was deleted while the session was open. Nothing is missing.`)
    }
    if (problem === undefined && failing) {
      const lost = file.lost - lostBefore
      lostBefore = file.lost
      tell(`${what} being saved again; ${missing(lost)}.`, { what, state: 'again', lost })
    }
    failing = problem !== undefined
  }
}

export function missing(lost: number): string {
  return lost === 0 ? 'nothing is missing' : `${lost} records are missing`
}
