/** Tells a person once that records cannot be written, and once that they are again. */
import type { LineAppender } from './append-line.ts'

/**
 * Appends `record` to `file`. `onProblem` is called after the present piece of work, since what it says may become a record
 * of the same file. `what` begins the sentence: `The transcript is`.
 */
export function createTeller(
  file: LineAppender,
  what: string,
  onProblem: (text: string) => void,
): (record: unknown) => void {
  let failing = false
  let lostBefore = 0
  const tell = (text: string) => queueMicrotask(() => onProblem(text))
  return (record) => {
    const problem = file.append(record)
    if (problem !== undefined && !failing) {
      tell(`${what} not being saved: ${problem}. The session goes on; what waits is written as soon as it can be.`)
    }
    if (problem === undefined && failing) {
      const lost = file.lost - lostBefore
      lostBefore = file.lost
      const rest = lost === 0 ? 'nothing is missing' : `${lost} records are missing`
      tell(`${what} being saved again; ${rest}.`)
    }
    failing = problem !== undefined
  }
}
