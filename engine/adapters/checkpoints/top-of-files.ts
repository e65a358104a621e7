/** Finds the folder whose ignore rules hold for another: a part of a repository has those of the whole. */
import { lstatSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { GitFailure, type GitPlace, git } from './git.ts'
import { gitFolderIn } from './heads.ts'

/** The folder itself where it is a repository's top or in none, or where the repository wants nothing of it. */
export async function topOfFiles(place: GitPlace, signal: AbortSignal): Promise<string> {
  const top = repositoryAround(place.cwd)
  if (top === null || top === place.cwd) return place.cwd
  try {
    // It succeeds where the folder as a whole is ignored: then nothing of it would be kept.
    const path = `./${relative(top, place.cwd)}`
    const ask = ['--no-literal-pathspecs', 'check-ignore', '-q', '--no-index', path]
    await git({ ...place, workTree: top, cwd: top }, ask, { signal })
    return place.cwd
  } catch (error) {
    if (error instanceof GitFailure && error.aborted) throw error
    return top
  }
}

/**
 * Null for none; a home folder that is one has rules for itself, and not for the projects in it. One that somebody else
 * made above the folder, as in `/tmp`, has no say in it: git refuses to work there, too.
 */
function repositoryAround(folder: string): string | null {
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    if (at !== folder && at === homedir()) return null
    if (gitFolderIn(at) !== undefined) return at === folder || isOurs(at, folder) ? at : null
  }
  return null
}

function isOurs(top: string, folder: string): boolean {
  const { uid } = lstatSync(join(top, '.git'))
  return uid === lstatSync(folder).uid || uid === process.getuid?.()
}
