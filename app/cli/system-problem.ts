/** What the system refused: told in one line with what to do, exit code 1; it is nobody's bug. */
import { systemFix, whyOf } from '../compose/system-error.ts'

/** Said as it is. */
export class SystemProblem extends Error {
  readonly fix: string
  constructor(message: string, fix: string) {
    super(message)
    this.name = 'SystemProblem'
    this.fix = fix
  }
}

/** `what` begins the sentence: `s_1 could not be moved to the trash`. What the system did not throw is given back as it is. */
export function asSystemProblem(error: unknown, what: string): unknown {
  const fix = systemFix(error)
  if (fix === null) return error
  const { path } = error as NodeJS.ErrnoException
  const at = path === undefined ? '' : ` at ${path}`
  return new SystemProblem(`${what}: ${whyOf(error)}${at}.`, fix)
}

/** Does `work`; a problem of the system is written to standard error, and the exit code is 1 then. */
export async function tellingProblems(what: string, work: () => Promise<void> | void): Promise<void> {
  try {
    await work()
  } catch (thrown) {
    const problem = asSystemProblem(thrown, what)
    if (!(problem instanceof SystemProblem)) throw thrown
    process.stderr.write(`sluice: ${problem.message} ${problem.fix}\n`)
    process.exitCode = 1
  }
}
