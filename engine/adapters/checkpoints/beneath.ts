/** What lies above a file decides whether it is the folder's own: a repository that git keeps its objects in, a link to elsewhere. */
import { lstatSync, statSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { foldersAbove } from './loose.ts'

/** True for a bare repository and for a `.git` of any name: going back in it would lose commits. */
export function isGitFolder(folder: string): boolean {
  const kind = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })
  try {
    return kind('HEAD')?.isFile() === true && ['objects', 'refs'].every((name) => kind(name)?.isDirectory() === true)
  } catch {
    return false
  }
}

/** True also for what lies in one. */
export function insideGitFolder(folder: string): boolean {
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    if (isGitFolder(at)) return true
    if (lstatSync(join(at, '.git'), { throwIfNoEntry: false }) !== undefined) return false
  }
  return false
}

/** The folders in which these files are what git itself keeps there; relative paths. */
export function gitFoldersAmong(names: Iterable<string>, workspace: string): string[] {
  const found: string[] = []
  for (const name of names) {
    const folder = dirname(name)
    if (basename(name) === 'HEAD' && folder !== '.' && isGitFolder(join(workspace, folder))) found.push(folder)
  }
  return found
}

export function addFoldersAbove(folders: Set<string>, names: Iterable<string>): void {
  for (const name of names) {
    for (const above of foldersAbove(name)) {
      if (folders.has(above)) break
      folders.add(above)
    }
  }
}

const mostAsked = 5_000

/** The `.git` of each repository that begins in one of these folders; a folder ends with `/`. All at once: each takes no time. */
export function repositoriesIn(workspace: string, folders: ReadonlySet<string>): string[] {
  return [...folders].slice(0, mostAsked).flatMap((folder) => {
    try {
      const stat = lstatSync(join(workspace, folder, '.git'), { throwIfNoEntry: false })
      return stat === undefined ? [] : [`${folder}/.git${stat.isDirectory() ? '/' : ''}`]
    } catch {
      return []
    }
  })
}

/** Tells whether a link stands above a file: what is found there is another file, and belongs to where the link leads. */
export function linksAbove(workspace: string): (name: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>()
  const isLink = (folder: string) => {
    const asked = known.get(folder)
    if (asked !== undefined) return asked
    const answer = lstat(join(workspace, ...folder.split('/'))).then(
      (stat) => stat.isSymbolicLink(),
      () => false,
    )
    known.set(folder, answer)
    return answer
  }
  return async (name) => {
    for (const folder of foldersAbove(name)) if (await isLink(folder)) return true
    return false
  }
}
