/** Tells what a command made from what was there all along and only came in sight: by another name, or beyond what was looked at. */
import type { Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileEffect } from '../../ports/index.ts'
import { stateOf } from './file-state.ts'
import { foldersAbove, inodeText } from './loose.ts'
import type { Snapshot } from './shadow.ts'
import { otherSpellings, spelledAlike } from './spelling.ts'

/**
 * Undoing a file that was made deletes it, so that one which was there before must not count as made: no snapshot has what it
 * was. A file that was moved still has its bytes, so that it can go back to its old name. `renamed` are folders that are not
 * looked into, by their old names; `names` gives all that is in the snapshot.
 */
export async function thereBefore(
  workspace: string,
  { loose, time }: Pick<Snapshot, 'loose' | 'time'>,
  changed: readonly FileEffect[],
  names: () => Promise<ReadonlySet<string>>,
): Promise<{ files: FileEffect[]; gaps: string[]; renamed: ReadonlySet<string> }> {
  const listed = [...loose.files].map(([path, mark]) => ({ path, mark }))
  const byInode = Map.groupBy(listed, ({ mark }) => mark.inode)
  const inodes = new Map<string, string | null>()
  const inodeOf = async (path: string) => {
    const known = inodes.get(path)
    if (known !== undefined) return known
    const stat = await statOf(join(workspace, path))
    const inode = stat === null ? null : inodeText(stat)
    inodes.set(path, inode)
    return inode
  }
  /** What had this inode, and has it no more under its old name: else the new name is a link to it, or the old one spelled anew. */
  const formerly = async (inode: string | null, name: string) => {
    for (const found of inode === null ? [] : (byInode.get(inode) ?? [])) {
      const stat = await statOf(found.mark.bytes ?? join(workspace, found.path.replace(/\/$/, '')))
      const linked = stat !== null && inodeText(stat) === inode
      if (!linked || spelledAlike(found.path) === spelledAlike(name)) return { ...found, linked }
    }
    return undefined
  }
  /** The folder that is not looked into, and of which a folder above this file is the new name. */
  const closedAbove = async (path: string) => {
    for (const above of foldersAbove(path)) {
      const found = await formerly(await inodeOf(above), `${above}/`)
      if (!found?.path.endsWith('/')) continue
      const stat = await statOf(join(workspace, above))
      // What is newer may have been given the number of something that is gone.
      if (stat !== null && (stat.birthtimeMs <= 0 || stat.birthtimeMs < time))
        return { from: found.path, to: `${above}/` }
    }
    return null
  }

  const isSpelledTwice = otherSpellings()
  let spellings: Promise<Map<string, string>> | undefined
  const namesBefore = () => {
    spellings ??= names().then((all) => new Map([...all].map((name) => [spelledAlike(name), name])))
    return spellings
  }

  const files: FileEffect[] = []
  const back: FileEffect[] = []
  const moved = new Map<string, string>()
  const unsure: string[] = []
  for (const one of changed) {
    const made = one.before.kind === 'absent'
    if (one.after?.kind !== 'file' && one.after?.kind !== 'link') {
      files.push(one)
      continue
    }
    const path = one.path.slice(workspace.length + 1)
    const folder = made ? await closedAbove(path) : null
    if (folder !== null) {
      moved.set(folder.from, folder.to)
      continue
    }
    const spelled = made && (await isSpelledTwice(one.path)) ? (await namesBefore()).get(spelledAlike(path)) : undefined
    if (spelled !== undefined && spelled !== path) {
      moved.set(spelled, path)
      continue
    }
    const now = await statOf(one.path)
    const old = now === null ? undefined : await formerly(inodeText(now), path)
    if (now !== null && old?.mark.size === now.size && old.mark.time === now.mtimeMs) {
      if (old.mark.bytes === undefined && !old.linked) {
        const from = join(workspace, old.path)
        back.push({ path: from, before: one.after, after: await stateOf(from), additions: 0, deletions: 0 })
      } else if (made) {
        // Its old name is no text, so that it cannot go back to it, or still means it, so that it must not be deleted.
        moved.set(old.path, path)
        continue
      }
    } else if (made && now !== null && !loose.whole && wasThere(now, time)) {
      // Not all was looked at before: it is older than the command, and what it was is not known.
      unsure.push(path)
      continue
    }
    files.push(one)
  }
  const gaps = [...moved].map(([from, to]) => `${from} is called ${to} now; a rewind leaves it so`)
  if (unsure.length > 0) gaps.push(`${count(unsure.length)} there before, and only came in sight (${namesOf(unsure)})`)
  return { files: [...files, ...back], gaps, renamed: new Set(moved.keys()) }
}

/** Where no time of birth is kept, a file that nobody touched since is known to be older, and others are not. */
function wasThere({ birthtimeMs, ctimeMs }: Stats, time: number): boolean {
  return (birthtimeMs > 0 ? birthtimeMs : ctimeMs) < time
}

async function statOf(path: string | Buffer) {
  return lstat(path).catch(() => null)
}

function count(files: number): string {
  return files === 1 ? '1 file was' : `${files} files were`
}

function namesOf(paths: readonly string[]): string {
  return paths.slice(0, 3).join(', ') + (paths.length > 3 ? ', …' : '')
}
