/** What the system refused: told in one line with what to do, exit code 1; it is nobody's bug. */
import { whyOf } from '../compose/stored-ids.ts'

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
  const { code, path, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (!(error instanceof Error) || syscall === undefined || code === undefined) return error
  const at = path === undefined ? '' : ` at ${path}`
  return new SystemProblem(`${what}: ${whyOf(error)}${at}.`, fixes[code] ?? 'Look at that place, and try again.')
}

const rights = 'Look at who owns it and who may write there, or work on a copy: SLUICE_HOME names another folder.'
const fixes: Record<string, string> = {
  EACCES: rights,
  EPERM: rights,
  EROFS: 'It has to be mounted for writing first.',
  ENOSPC: 'Make room on that disk, and try again.',
  EDQUOT: 'Make room on that disk, and try again.',
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
