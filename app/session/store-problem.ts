/** Why something cannot be written about a stored session, in one line: what, why, and what to do. */
import { reasonOf, systemFix } from '../compose/system-error.ts'

/** `what` is what was not done: `Not pinned`. Errors that are no errors of the system speak for themselves. */
export function storeProblem(what: string, error: unknown): string {
  const fix = systemFix(error)
  return fix === null ? `${what}: ${reasonOf(error)}` : `${what}: ${reasonOf(error)}. ${fix}`
}
