/** What the system refused, in words, and what to do about it: the same on the screen and at the command line. */
import { dirname } from 'node:path'

export { reasonOf, whyOf } from '@sluice/engine/adapters/transcript-jsonl'

/** One sentence; null for what is no error of the system. */
export function systemFix(error: unknown): string | null {
  const { code, path, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) return null
  const folder = typeof path === 'string' ? dirname(path) : 'the state folder'
  // A folder that cannot be made, as on a disk that is read-only.
  const fix = fixes[code === 'ENOENT' && syscall === 'mkdir' ? 'EROFS' : code]
  return fix?.(folder) ?? `Look at ${path ?? folder}, then try again.`
}

const rights = (folder: string) => `Change the permissions of ${folder}, or set SLUICE_HOME to another folder.`
const room = (folder: string) => `Free some space where ${folder} is, then try again.`

const fixes: Record<string, (folder: string) => string> = {
  EACCES: rights,
  EPERM: rights,
  EROFS: (folder) => `Make ${folder} writable, or set SLUICE_HOME to another folder.`,
  ENOSPC: room,
  EDQUOT: room,
  ENOENT: () => 'Another program has moved or removed it.',
  EIO: (folder) => `Look after the disk of ${folder}.`,
}
