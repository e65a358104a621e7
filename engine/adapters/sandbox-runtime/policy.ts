/** What a sandboxed command may read and write, as paths: the rules of the session, and the files they mean right now. */
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isInside } from '../../permission/paths.ts'
import { type Guarded, protectedReason, secretPlaces, secretReason } from '../../permission/protected-paths.ts'
import { absentGuards } from './absent-guards.ts'
import { findGuardedFiles, leftToCommands } from './guarded-files.ts'

/** Absolute paths; each stands for itself and everything below it. */
export type Policy = {
  /** Nothing else can be written. */
  writable: string[]
  /** Cannot be written although they lie in what can. */
  unwritable: string[]
  unreadable: string[]
  /** Can be read although they lie in what cannot. */
  readable: string[]
  /** Of the unwritable, names at the top of the workspace that are not there and show as empty folders. */
  shown: string[]
}

export type PolicyOptions = {
  place: Guarded
  /** The private temporary folder. */
  temporary: string
  /** Within sluice's own folders, what the model is told to read: outputs that were too long. */
  readable: readonly string[]
  /** Folders of the programs that make the sandbox: whoever changed them would run outside the next time. */
  own: readonly string[]
  /** Path of ripgrep. */
  ripgrep: string
  platform: NodeJS.Platform
  signal: AbortSignal
}

/** Looks at the workspace anew each time: what a command left behind counts for the next one. */
export async function currentPolicy(options: PolicyOptions): Promise<Policy> {
  const { place, temporary } = options
  const found = await findGuardedFiles(options)
  const guarded = [...found, ...topEntries(place.cwd)]
  const absent = absentGuards(place, options.platform)
  const unwritable = [
    ...absent.unwritable,
    ...gitGuards(place.cwd),
    ...guarded.filter((path) => isGuarded(path, place)),
    ...libraryWrites(place.home),
    // Elsewhere nothing is writable anyway, and what lies above the workspace would close the workspace itself.
    ...[place.configFolder, place.stateFolder, ...options.own].filter(
      (folder): folder is string => folder !== undefined && folder !== place.cwd && isInside(place.cwd, folder),
    ),
  ]
  const unreadable = [
    ...secretPlaces(place).map((path) => (options.platform === 'darwin' ? trueName(path) : path)),
    ...guarded.filter((path) => isEnvironment(path, place)),
  ]
  return {
    writable: [place.cwd, temporary],
    unwritable: unique(unwritable),
    unreadable: unique(unreadable),
    readable: [...options.readable],
    shown: absent.shown,
  }
}

/** A repository can be worked with, but what git runs and obeys cannot be changed. Of a worktree, `.git` is a file. */
function gitGuards(cwd: string): string[] {
  const git = join(cwd, '.git')
  try {
    return lstatSync(git).isDirectory() ? [join(git, 'hooks'), join(git, 'config')] : [git]
  } catch {
    return []
  }
}

/** The library keeps these writable for another program. */
function libraryWrites(home: string): string[] {
  return ['/tmp/claude', '/private/tmp/claude', join(home, '.npm/_logs'), join(home, '.claude/debug')]
}

/** What at the top of the workspace other programs obey, by path, with the reason. */
export function guardedAtTop(place: Guarded): Map<string, string> {
  const found = new Map<string, string>()
  for (const path of topEntries(place.cwd)) {
    const reason = isGuarded(path, place) ? protectedReason(path, place) : null
    if (reason !== null) found.set(path, reason)
  }
  return found
}

/** Links too, and folders without a file, which a search for files does not find. */
function topEntries(cwd: string): string[] {
  try {
    return readdirSync(cwd).map((name) => join(cwd, name))
  } catch {
    return []
  }
}

function isGuarded(path: string, place: Guarded): boolean {
  return !leftToCommands.has(basename(path)) && protectedReason(path, place) !== null
}

/** A folder of that name is somebody's virtual environment. */
function isEnvironment(path: string, place: Guarded): boolean {
  if (!/\.env/i.test(basename(path)) || secretReason(path, place) === null) return false
  return !isFolder(path)
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

function trueName(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)]
}
