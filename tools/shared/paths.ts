/** From a path that a model wrote to the one file that it means: canonical, judged against the workspace, fit to show. */
import { lstat, readdir, readlink, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, parse, relative, resolve, sep } from 'node:path'
import { ToolFailure } from '@sluice/engine/ports'
import type { PermissionNeed } from '@sluice/engine/protocol'
import { errnoOf, fsFailure } from './fs-failure.ts'

export type FilePath = {
  /** Canonical and absolute: no symbolic link is left in it, and names have the case they have on disk. */
  path: string
  /** Relative to the workspace inside it, absolute elsewhere: for records and diffs. */
  name: string
  /** For people: like `name`, but `~/…` inside the home folder. */
  shown: string
  inside: boolean
  exists: boolean
}

/**
 * Resolves `given` (absolute, relative to `cwd`, or `~/…`) without touching anything. What does not exist yet is
 * resolved as far as it exists; a dangling symbolic link stands for its target. Throws ToolFailure when the path is
 * no path, or cannot be resolved to one place: a permission decision is never made on a guess.
 */
export async function resolvePath(given: string, cwd: string): Promise<FilePath> {
  const absolute = resolve(cwd, expandHome(acceptable(given)))
  const canonical = await canonicalPath(absolute, given)
  return { ...(await describePath(canonical.path, cwd)), exists: canonical.exists }
}

/** Like `resolvePath`, for a file that is to be written: a path that ends with a slash names a folder. */
export async function resolveFile(given: string, cwd: string): Promise<FilePath> {
  if (/[/\\]$/.test(given)) {
    throw new ToolFailure(`${given} names a folder. Give the path of the file in it.`, 'TOOL_INPUT_INVALID')
  }
  return resolvePath(given, cwd)
}

/** True for `root` itself and everything below it; `/tmp/proj_evil` is not inside `/tmp/proj`. */
export function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)
}

/** The permission need of reading, writing or deleting one file or folder. */
export function pathNeed(at: FilePath, access: 'read' | 'write' | 'delete'): PermissionNeed {
  return { type: 'path', access, path: at.path, shown: at.shown, inside: at.inside }
}

/**
 * Rejects with a ToolFailure when a canonical path leads somewhere else by now: a folder on the way may have become a
 * symbolic link since it was permitted.
 */
export async function expectSamePlace(at: FilePath): Promise<void> {
  const now = await canonicalPath(at.path, at.shown)
  if (now.path === at.path) return
  throw new ToolFailure(
    `${at.shown} now leads to ${now.path}, which is not what was permitted; nothing was done. Repeat the call.`,
    'TOOL_EXECUTION_FAILED',
    { stale: true },
  )
}

/**
 * The one place that an absolute path leads to: the real path of its deepest existing part and the rest as it is.
 * Throws ToolFailure for circles, over-long names, files used as folders and folders that may not be searched.
 */
export async function canonicalPath(path: string, shown = path): Promise<{ path: string; exists: boolean }> {
  try {
    return await follow(path, { left: 40 })
  } catch (error) {
    throw fsFailure(error, `The path ${shown} cannot be resolved`)
  }
}

async function follow(path: string, hops: { left: number }): Promise<{ path: string; exists: boolean }> {
  try {
    return { path: await onDiskCase(await realpath(path)), exists: true }
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
  const parent = dirname(path)
  if (parent === path) return { path, exists: false }
  const target = await linkTarget(path)
  if (target === undefined) return { path: join((await follow(parent, hops)).path, basename(path)), exists: false }
  if (hops.left-- === 0) throw new ToolFailure(`Too many symbolic links stand between ${path} and a file.`)
  // A link is read from where it really lies, which matters for `..` in its target.
  return follow(resolve((await follow(parent, hops)).path, target), hops)
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Gives every name the case that it has on disk, where the file system does not tell `A` from `a`. */
async function onDiskCase(path: string): Promise<string> {
  const { root } = parse(path)
  let real = root
  for (const name of path.slice(root.length).split(sep).filter(Boolean)) {
    real = join(real, (await sameFile(join(real, name), join(real, swapCase(name)))) ? await nameIn(real, name) : name)
  }
  return real
}

async function sameFile(a: string, b: string): Promise<boolean> {
  if (a === b) return false
  try {
    const [one, other] = await Promise.all([lstat(a), lstat(b)])
    return one.ino === other.ino && one.dev === other.dev
  } catch {
    return false
  }
}

async function nameIn(folder: string, name: string): Promise<string> {
  const names = await readdir(folder).catch((): string[] => [])
  if (names.includes(name)) return name
  const folded = (text: string) => text.normalize('NFC').toLowerCase()
  return names.find((n) => folded(n) === folded(name)) ?? name
}

function swapCase(name: string): string {
  const upper = name.toUpperCase()
  return name === upper ? name.toLowerCase() : upper
}

async function describePath(path: string, cwd: string): Promise<Omit<FilePath, 'exists'>> {
  if (isInside(path, cwd)) {
    const name = relative(cwd, path) || '.'
    return { path, name, shown: name, inside: true }
  }
  const home = await realpath(homedir()).catch(() => homedir())
  const shown = path === home ? '~' : isInside(path, home) ? join('~', relative(home, path)) : path
  return { path, name: path, shown, inside: false }
}

function expandHome(given: string): string {
  return given === '~' || given.startsWith('~/') ? join(homedir(), given.slice(1)) : given
}

/** Refuses what can be no path on any system that we run on. */
function acceptable(given: string): string {
  const invalid = (why: string) => new ToolFailure(why, 'TOOL_INPUT_INVALID')
  if (given === '') throw invalid('`path` is empty: give the path of a file or folder, such as src/main.ts or `.`.')
  if (given.includes('\0')) throw invalid('`path` contains a NUL byte; no file can have that name.')
  if (!given.isWellFormed()) throw invalid('`path` is not well-formed Unicode text; no file can have that name.')
  if (/^file:\/\//i.test(given)) throw invalid(`\`path\` must be a plain path, not a file:// address: ${given}`)
  if (Buffer.byteLength(given) > 4096) throw invalid('`path` is longer than 4096 bytes; no file can have that name.')
  const long = given.split(/[/\\]/).find((name) => Buffer.byteLength(name) > 255)
  if (long !== undefined) throw invalid(`\`path\` has a name longer than 255 bytes: ${long.slice(0, 40)}…`)
  return given
}
