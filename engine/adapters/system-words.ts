/** What the system refused, in words for a person, as the end of a sentence. */

/** With the system's own name for it; what is no error of the system speaks for itself. */
export function whyOf(error: unknown): string {
  const said = wordsFor(error)
  return said === undefined ? messageOf(error) : `${said} (${(error as NodeJS.ErrnoException).code})`
}

/** The same without that name. */
export function reasonOf(error: unknown): string {
  return wordsFor(error) ?? messageOf(error)
}

function wordsFor(error: unknown): string | undefined {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  // Node says ENOENT of a folder that cannot be made on a disk that is read-only.
  return code === undefined ? undefined : words[code === 'ENOENT' && syscall === 'mkdir' ? 'EROFS' : code]
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

const words: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reports an error',
  ELOOP: 'its links lead in a circle',
  ENOTDIR: 'it is no folder',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its path is too long',
  EEXIST: 'something else is in its place',
  ENOENT: 'it is not there',
  EXDEV: 'it lies on another disk',
  ENOTEMPTY: 'the folder is not empty',
  EBUSY: 'it is in use',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
}
