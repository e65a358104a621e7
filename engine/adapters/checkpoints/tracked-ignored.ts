/** Finds the files that a person's own repository has although a .gitignore names them. */
import { copyFileSync, rmSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitPlace, git } from './git.ts'
import { gitFolderIn } from './heads.ts'

/** Made by tools and made again by them; they win over what a .gitignore takes back in. */
export const heavyFolders = [
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  '.git',
  '.hg',
  '.svn',
  '.gradle',
  '.tox',
  '.next',
  '.cache',
]

/** Their index is read, and nothing else of their repository. */
export async function trackedThoughIgnored(place: GitPlace, signal: AbortSignal): Promise<string[]> {
  const copy = `${place.indexFile}.theirs`
  try {
    const theirs = join(gitFolderIn(place.workTree) ?? join(place.workTree, '.git'), 'index')
    const stat = await lstat(theirs)
    if (!stat.isFile() || stat.size > 64 * 1024 * 1024) return []
    copyFileSync(theirs, copy)
    const listed = await git({ ...place, indexFile: copy }, ['ls-files', '-z', '-c', '-i', '--exclude-standard'], {
      signal,
      mostBytes: 8 * 1024 * 1024,
    })
    const names = listed.toString('utf8').split('\0')
    // Anybody may have made it: git itself refuses names that lead out of the folder.
    const never = ['', '.', '..', ...heavyFolders]
    return names.filter((name) => !name.split('/').some((part) => never.includes(part)))
  } catch {
    return []
  } finally {
    rmSync(copy, { force: true })
  }
}
