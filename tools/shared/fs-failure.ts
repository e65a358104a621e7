/** File system errors as sentences for the model. */
import { ToolFailure } from '@sluice/engine/ports'

/**
 * A ToolFailure for an error of the operating system: "`what`: why. What to do.". Anything that carries no error
 * code of the system is a bug and is thrown on as it is.
 */
export function fsFailure(error: unknown, what: string): ToolFailure {
  if (error instanceof ToolFailure) return error
  const code = errnoOf(error)
  if (code === undefined) throw error
  const reason = reasons[code] ?? `the system reported ${code} (${(error as Error).message}).`
  return new ToolFailure(`${what}: ${reason}`, 'TOOL_EXECUTION_FAILED', { errno: code })
}

/** The system's name of an error (`ENOENT`); undefined for other errors. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, errno } = error as NodeJS.ErrnoException
  return typeof code === 'string' && typeof errno === 'number' ? code : undefined
}

const reasons: Record<string, string> = {
  EACCES: 'permission denied by the file system. Ask the user to change the permissions, or use another file.',
  EPERM: 'the operation is not permitted by the file system. Ask the user to change the permissions.',
  EROFS: 'the file system is mounted read-only. Write somewhere else.',
  ENOSPC: 'no space left on the device. Nothing was changed; free some space first.',
  EDQUOT: 'the disk quota is used up. Nothing was changed; free some space first.',
  EFBIG: 'the file would be larger than the file system allows.',
  EMFILE: 'too many files are open. Try again.',
  ENFILE: 'too many files are open on this system. Try again.',
  EISDIR: 'this is a folder, not a file.',
  ENOTDIR: 'a part of the path is a file, not a folder.',
  ELOOP: 'the symbolic links of this path go round in a circle.',
  ENAMETOOLONG: 'the path or one of its names is too long for the file system.',
  ENOENT: 'it does not exist.',
  EBUSY: 'the file is in use by the system. Try again.',
  ETXTBSY: 'the file is a program that is running now. Stop it first.',
  EIO: 'the device reported an input/output error.',
}
