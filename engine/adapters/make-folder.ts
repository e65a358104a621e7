/** Makes a folder and what is missing above it; unlike Node's own way it ends where a file system takes no folders at all. */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Throws the file system's error. Node's `recursive` never returns below /proc, where making a folder fails with ENOENT. */
export function makeFolder(path: string, mode = 0o700): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
    const above = dirname(path)
    if (code !== 'ENOENT' || above === path || existsSync(above)) throw error
    makeFolder(above, mode)
    makeFolder(path, mode)
  }
}
