/** The folder to work in: canonical, existing, and which branch its repository is on. */
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { UsageError } from './cli/usage-error.ts'

/** The canonical folder; UsageError when it is not there or no folder. */
export function findWorkspace(folder: string): string {
  const path = resolve(folder)
  try {
    if (statSync(path).isDirectory()) return realpathSync(path)
  } catch {
    throw new UsageError(`The folder ${path} does not exist.`, 'Give an existing folder with --cwd.')
  }
  throw new UsageError(`${path} is not a folder.`, 'Give a folder with --cwd.')
}

/** For what is only looked up: a folder that is gone counts too, when `known` says that sessions worked there. */
export function findFormerWorkspace(folder: string, known: (path: string) => boolean): string {
  try {
    return findWorkspace(folder)
  } catch (error) {
    const path = canonicalAsFarAsThere(resolve(folder))
    if (known(path)) return path
    throw error
  }
}

function canonicalAsFarAsThere(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(canonicalAsFarAsThere(dirname(path)), basename(path))
  }
}

/**
 * The branch, or the short commit of a detached head; null outside a repository. Read from the files: running git in a
 * folder that nobody trusts yet would let the folder's own config run programs.
 */
export function readBranch(cwd: string): string | null {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const head = readHead(join(folder, '.git'))
    if (head !== null) {
      const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1]
      return branch ?? head.slice(0, 8)
    }
    if (dirname(folder) === folder) return null
  }
}

function readHead(git: string): string | null {
  try {
    if (statSync(git).isDirectory()) return readFileSync(join(git, 'HEAD'), 'utf8').trim()
    // A worktree: the file names the real folder.
    const target = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1]
    return target === undefined ? null : readFileSync(join(resolve(dirname(git), target), 'HEAD'), 'utf8').trim()
  } catch {
    return null
  }
}
