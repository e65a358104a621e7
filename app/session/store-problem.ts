/** Why something cannot be written about a stored session, in one line: what, why, and what to do. */
import { dirname } from 'node:path'

/** `what` is what was not done: `Not pinned`. Errors that are no errors of the system speak for themselves. */
export function storeProblem(what: string, error: unknown): string {
  const { code = '', path, syscall } = error as NodeJS.ErrnoException
  const folder = typeof path === 'string' ? dirname(path) : 'the state folder'
  // Node says ENOENT of a folder that cannot be made on a disk that is read-only.
  const reason = reasons[code === 'ENOENT' && syscall === 'mkdir' ? 'EROFS' : code]?.(folder)
  return `${what}: ${reason ?? (error instanceof Error ? error.message : String(error))}`
}

const forbidden = (folder: string) => `there is no permission to write there. Change the permissions of ${folder}.`
const full = (folder: string) => `the disk is full. Free some space where ${folder} is, then try again.`

const reasons: Record<string, (folder: string) => string> = {
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: (folder) => `the disk is read-only. Make ${folder} writable, or set SLUICE_HOME to another folder.`,
  ENOSPC: full,
  EDQUOT: full,
  ENOENT: () => 'it is not there any more. Another program has moved or removed it.',
  EIO: (folder) => `the disk reports an error. Look after the disk of ${folder}.`,
}
