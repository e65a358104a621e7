/** Puts folders back that hold nothing: those that a call made go, those that it removed come again. */
import { lstatSync } from 'node:fs'
import { lstat, mkdir, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FolderEffects } from '../../ports/index.ts'
import { noPaths, problemAbove } from './obstacles.ts'

/** What is not possible stays as it is. */
export async function restoreFolders({ made, gone }: FolderEffects): Promise<void> {
  const deepestFirst = [...made].sort((a, b) => (a < b ? 1 : -1))
  for (const path of deepestFirst) {
    // One that holds something, or that is a link now, refuses.
    if ((await problemAbove(dirname(path), noPaths)) === null) await rmdir(path).catch(() => undefined)
  }
  for (const path of [...gone].sort()) {
    if ((await problemAbove(dirname(path), noPaths)) === null) {
      await mkdir(path, { recursive: true }).catch(() => undefined)
    }
  }
}

export async function foldersThere(paths: readonly string[]): Promise<Record<string, boolean>> {
  const there: Record<string, boolean> = {}
  for (const path of paths) {
    const stat = await lstat(path).catch(() => null)
    there[path] = stat?.isDirectory() === true && (await problemAbove(dirname(path), noPaths)) === null
  }
  return there
}

/** Those that have to be made for these files, the nearest first. */
export function missingFolders(paths: readonly string[]): string[] {
  const missing = new Set<string>()
  for (const path of paths) {
    for (let at = dirname(path); dirname(at) !== at && !missing.has(at) && !exists(at); at = dirname(at))
      missing.add(at)
  }
  return [...missing]
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
