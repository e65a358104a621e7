/** Tells what a command made from what was there all along and only came in sight: by another name, or beyond what was looked at. */
import type { Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileEffect } from '../../ports/index.ts'
import { stateOf } from './file-state.ts'
import { foldersAbove } from './loose.ts'
import type { Snapshot } from './shadow.ts'

/**
 * Undoing a file that was made deletes it, so that one which was there before must not count as made: no snapshot has what it
 * was. A file that was moved still has its bytes, so that it can go back to its old name.
 */
export async function thereBefore(
  workspace: string,
  { loose, time }: Pick<Snapshot, 'loose' | 'time'>,
  changed: readonly FileEffect[],
): Promise<{ files: FileEffect[]; gaps: string[] }> {
  const byInode = new Map([...loose.files].map(([path, mark]) => [mark.inode, { path, mark }]))
  /** What is newer may have been given the number of something that is gone. */
  const isOlder = (stat: Stats) => stat.birthtimeMs < time
  const inodes = new Map<string, number | null>()
  const inodeOf = async (path: string) => {
    const known = inodes.get(path)
    if (known !== undefined) return known
    const stat = await statOf(join(workspace, path))
    const inode = stat !== null && isOlder(stat) ? stat.ino : null
    inodes.set(path, inode)
    return inode
  }
  /** The folder that is not looked into, and of which a folder above this file is the new name. */
  const closedAbove = async (path: string) => {
    for (const above of foldersAbove(path)) {
      const found = byInode.get((await inodeOf(above)) ?? -1)
      if (found?.path.endsWith('/') && found.path !== `${above}/`) return { from: found.path, to: `${above}/` }
    }
    return null
  }

  const files: FileEffect[] = []
  const back: FileEffect[] = []
  const moved = new Map<string, string>()
  const unsure: string[] = []
  for (const one of changed) {
    if (one.before.kind !== 'absent' || (one.after?.kind !== 'file' && one.after?.kind !== 'link')) {
      files.push(one)
      continue
    }
    const path = one.path.slice(workspace.length + 1)
    const folder = await closedAbove(path)
    if (folder !== null) {
      moved.set(folder.from, folder.to)
      continue
    }
    const now = await statOf(one.path)
    const old = now === null || now.nlink > 1 ? undefined : byInode.get(now.ino)
    if (now !== null && old?.mark.size === now.size && old.mark.time === now.mtimeMs) {
      const from = join(workspace, old.path)
      back.push({ path: from, before: one.after, after: await stateOf(from), additions: 0, deletions: 0 })
    } else if (now !== null && !loose.whole && now.birthtimeMs !== 0 && isOlder(now)) {
      // Not all was looked at before: it is older than the command, and what it was is not known.
      unsure.push(path)
      continue
    }
    files.push(one)
  }
  const gaps = [...moved].map(([from, to]) => `${from} is called ${to} now; a rewind leaves it so`)
  if (unsure.length > 0) gaps.push(`${count(unsure.length)} there before, and only came in sight (${namesOf(unsure)})`)
  return { files: [...files, ...back], gaps }
}

async function statOf(path: string) {
  return lstat(path).catch(() => null)
}

function count(files: number): string {
  return files === 1 ? '1 file was' : `${files} files were`
}

function namesOf(paths: readonly string[]): string {
  return paths.slice(0, 3).join(', ') + (paths.length > 3 ? ', …' : '')
}
