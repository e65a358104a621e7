/** Snapshots of a whole folder in a git repository outside of it: which files are how, before and after a command. */
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { access, constants, lstat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { makeFolder } from '../make-folder.ts'
import { addFoldersAbove, gitFoldersAmong, linksAbove, repositoriesIn } from './beneath.ts'
import { overgrown, removeForgotten } from './forgotten.ts'
import { configText, GitFailure, type GitPlace, git } from './git.ts'
import { blobsIn, changesIn, modesChanged, namesIn, pathsIn, type TreeChange } from './git-output.ts'
import { type Loose, lookAround } from './loose.ts'
import { openModes } from './modes.ts'
import { recentFiles } from './recent.ts'
import { topOfFiles } from './top-of-files.ts'
import { heavyFolders, trackedThoughIgnored } from './tracked-ignored.ts'

export type { TreeSide } from './git-output.ts'

/** Larger files are left out, and that is said. */
export const largestFile = 5 * 1024 * 1024
const mostFiles = 60_000
const mostNewBytes = 400 * 1024 * 1024

/** What a snapshot is: a tree, and what is not in it. */
export type Snapshot = {
  tree: string
  /** When it was begun, by the clock of files. */
  time: number
  /** Files over the limit, and repositories inside the folder; relative paths. */
  large: ReadonlySet<string>
  nested: ReadonlySet<string>
  /** Everything that is not in the tree, without its bytes. */
  loose: Loose
  /** Permission bits other than git's own two, by path. */
  modes: ReadonlyMap<string, number>
}

export interface Shadow {
  /** `since`: one that will be compared with; `low`: nobody waits for it yet. Rejects with a GitFailure. */
  snapshot(signal: AbortSignal, since?: Snapshot, low?: boolean): Promise<Snapshot>
  /** Not those of files whose bytes were not kept at first. */
  changes(from: Snapshot, to: Snapshot, signal: AbortSignal): Promise<TreeChange[]>
  /** All that is in the tree; relative paths. */
  files(of: Snapshot, signal: AbortSignal): Promise<Set<string>>
  /** The folders that have a file in the tree; relative paths. */
  folders(of: Snapshot, signal: AbortSignal): Promise<Set<string>>
  /** The bytes of blobs in the order given; null for one that is missing. */
  contents(blobs: readonly string[], signal: AbortSignal): Promise<(Buffer | null)[]>
  close(): void
}

export type ShadowOptions = {
  program: string
  /** Canonical. */
  workspace: string
  /** Holds one repository per workspace. */
  folder: string
  /** sluice's own folders; what lies in the workspace is left out. */
  own: readonly string[]
  sessionId: string
}

export function openShadow(options: ShadowOptions): Shadow {
  const { workspace, program, sessionId } = options
  const key = createHash('sha256').update(workspace).digest('hex').slice(0, 16)
  const gitDir = join(options.folder, key)
  const indexFile = join(gitDir, `index-${sessionId}`)
  const modesFile = join(gitDir, `modes-${sessionId}.json`)
  const modes = openModes(modesFile)
  let place: GitPlace = { program, gitDir, workTree: workspace, cwd: workspace, indexFile }
  let topKnown = false
  const own = ownInside(options)
  /** Patterns begin at the top of the files. */
  const excludes = () => {
    const own = ownInside(options).map((path) => relative(place.workTree, join(workspace, path)).split(sep).join('/'))
    const patterns = [...heavyFolders.map((name) => `${name}/`), ...own.map((path) => `/${literal(path)}/`)]
    return patterns.flatMap((pattern) => ['-x', pattern])
  }
  const recent = recentFiles(workspace)
  /** Of the index as it is; undefined where it changed since. */
  let lastTree: string | undefined
  /** Folders with a file in the index. */
  let kept: Set<string> | undefined

  function create(): void {
    for (const folder of ['', 'objects/info', 'objects/pack', 'refs/heads', 'info']) {
      makeFolder(join(gitDir, folder))
    }
    const write = (name: string, text: string) => {
      const path = join(gitDir, name)
      // Another session may be reading it.
      if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text, { mode: 0o600 })
    }
    // Nothing may convert a file on its way: what is stored is what is there.
    write('info/attributes', `* ${unset.map((name) => `-${name}`).join(' ')}\n`)
    write('config', configText())
    write('HEAD', 'ref: refs/heads/none\n')
    rmSync(`${indexFile}.lock`, { force: true })
    // What another session of this folder has read need not be read again.
    if (!existsSync(indexFile) && existsSync(join(gitDir, 'index'))) {
      if (existsSync(join(gitDir, 'modes.json'))) copyFileSync(join(gitDir, 'modes.json'), modesFile)
      modes.forget()
      copyFileSync(join(gitDir, 'index'), indexFile)
    }
  }

  async function take(signal: AbortSignal, low: boolean): Promise<Snapshot> {
    const time = Date.now()
    create()
    if (!topKnown) place = { ...place, workTree: await topOfFiles(place, signal) }
    topKnown = true
    const cold = !existsSync(indexFile)
    const run = { signal, low, mostBytes: 64 * 1024 * 1024 }
    // At once: until all is looked at, what the person does counts as the command's.
    const changedJustNow = await recent.changed()
    const listed = await git(
      place,
      ['ls-files', '-z', '--others', '--modified', '--deleted', '--exclude-standard', ...excludes()],
      run,
    )
    const names = pathsIn(listed)
    if (cold) for (const name of await trackedThoughIgnored(place, signal)) names.add(name)
    const large = new Set<string>()
    const nested = new Set<string>()
    const put: string[] = []
    // One that the index takes for unchanged is read anew only once it is out of it.
    const drop = changedJustNow.filter((name) => !names.has(name))
    for (const name of drop) names.add(name)
    if (names.size > mostFiles) throw new GitFailure(`it has more than ${mostFiles} files that are not ignored`, true)
    let bytes = 0
    const beyondLink = linksAbove(workspace)
    for (const folder of gitFoldersAmong(names, workspace)) {
      nested.add(folder)
      for (const name of names) if (name.startsWith(`${folder}/`)) names.delete(name)
    }
    const look = async (name: string) => {
      if (name.endsWith('/')) {
        nested.add(name.slice(0, -1))
        return
      }
      const path = join(workspace, name)
      const stat = await lstat(path).catch(() => null)
      if (stat === null || (await beyondLink(name))) drop.push(name)
      else if (stat.isSymbolicLink()) put.push(name)
      else if (!stat.isFile()) drop.push(name)
      else if (stat.size > largestFile || !(await readable(path))) {
        large.add(name)
        drop.push(name)
      } else {
        put.push(name)
        recent.note(name, stat)
        bytes += stat.size
        modes.note(name, stat.mode & 0o7777)
      }
    }
    const queue = [...names]
    // A few at a time: thousands at once would only wait for each other.
    for (let at = 0; at < queue.length; at += 256) {
      await Promise.all(queue.slice(at, at + 256).map(look))
      if (signal.aborted) throw new GitFailure('reading the folder took too long', true)
    }
    if (bytes > mostNewBytes) throw new GitFailure('it is too large to be kept', true)
    // First: a file that the index has already is not looked at again.
    modes.save()
    if (drop.length > 0)
      await git(place, ['update-index', '-z', '--force-remove', '--stdin'], { stdin: linesOf(drop), signal, low })
    if (put.length > 0) {
      // Many files at once go into one pack: a file for each object would take twice the time and ten times the disk.
      const packed = put.length > 200 ? ['-c', 'core.bigFileThreshold=1'] : []
      const add = [...packed, 'update-index', '-z', '--add', '--remove', '--replace', '--stdin']
      await git(place, add, { stdin: linesOf(put), signal, low })
    }
    const changed = cold || drop.length + put.length > 0
    const tree =
      (changed ? undefined : lastTree) ?? (await git(place, ['write-tree'], { signal, low })).toString('latin1').trim()
    if (cold || kept === undefined) {
      kept = new Set()
      if (!cold) addFoldersAbove(kept, pathsIn(await git(place, ['ls-files', '-z'], run)))
    }
    addFoldersAbove(kept, put)
    // They need not wait for each other; a git that still ran would be in the way of another attempt.
    const looks = [takeModes(signal, low), around(large, nested, kept, signal)] as const
    await Promise.allSettled(looks)
    const [touched, loose] = await Promise.all(looks)
    // What changed just now goes into the index behind the tree, and is in the next one.
    lastTree = touched === 0 ? tree : undefined
    if (cold) share()
    return { tree, time, large, nested, modes: new Map(modes.known()), loose }
  }

  /** Of files of which nothing else changed, and which git takes for unchanged therefore; how many these were. */
  async function takeModes(signal: AbortSignal, low: boolean): Promise<number> {
    const run = { signal, low, mostBytes: 64 * 1024 * 1024 }
    const compare = ['diff-files', '-z', '--relative', '--name-only', '--no-ext-diff', '--no-renames']
    const names = [...pathsIn(await git(place, compare, run))]
    const same: string[] = []
    for (const name of names) {
      const stat = await lstat(join(workspace, name)).catch(() => null)
      if (!stat?.isFile()) continue
      modes.note(name, stat.mode & 0o7777)
      same.push(name)
    }
    modes.save()
    if (same.length > 0) await git(place, ['update-index', '-z', '--stdin'], { ...run, stdin: linesOf(same) })
    return same.length
  }

  async function around(
    large: Set<string>,
    nested: Set<string>,
    folders: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<Loose> {
    const listed = await git(place, ['ls-files', '-z', '--others', '--directory'], {
      signal,
      mostBytes: 64 * 1024 * 1024,
    })
    // Git lists none in a folder that it has files of.
    const repositories = repositoriesIn(workspace, folders)
    for (const name of repositories) nested.add(name.replace(/\/$/, ''))
    const names = [...namesIn(listed), ...repositories.map((name) => Buffer.from(name))]
    return lookAround(names, { workspace, large, nested, own, heavy: heavyFolders, signal })
  }

  /** For the next session of this folder. */
  function share(): void {
    if (!existsSync(indexFile)) return
    const temporary = `${indexFile}.share`
    for (const [own, shared] of [
      [modesFile, 'modes.json'],
      [indexFile, 'index'],
    ] as const) {
      if (!existsSync(own)) continue
      copyFileSync(own, temporary)
      renameSync(temporary, join(gitDir, shared))
    }
  }

  return {
    async snapshot(signal, since, low = false) {
      try {
        return await take(signal, low)
      } catch (error) {
        if (signal.aborted || (error instanceof GitFailure && error.aborted)) throw error
        // A file may have changed just now.
        const again = await take(signal, low).catch((error: unknown) => {
          if (since !== undefined || signal.aborted || (error instanceof GitFailure && error.aborted)) throw error
          return null
        })
        if (again !== null) return again
        // The repository is only a cache: what is wrong with it goes away with it, also what another session has begun.
        rmSync(gitDir, { recursive: true, force: true })
        modes.forget()
        lastTree = undefined
        return take(signal, low)
      }
    },
    async changes(from, to, signal) {
      const run = { signal, mostBytes: 64 * 1024 * 1024 }
      const compare = ['diff-tree', '-r', '-z', '--relative', '--raw', '--no-abbrev', '--no-renames', '--no-ext-diff']
      const raw = from.tree === to.tree ? '' : await git(place, [...compare, from.tree, to.tree], run)
      const found = raw === '' ? [] : changesIn(raw, from.modes, to.modes)
      if (!sameModes(from.modes, to.modes)) {
        const known = new Set(found.map(({ path }) => path))
        const all = modesChanged(await git(place, ['ls-tree', '-r', '-z', to.tree], run), from.modes, to.modes)
        found.push(...all.filter(({ path }) => !known.has(path)))
      }
      return found.filter(({ path }) => !from.large.has(path))
    },
    async files(of, signal) {
      const run = { signal, mostBytes: 64 * 1024 * 1024 }
      return pathsIn(await git(place, ['ls-tree', '-r', '-z', '--name-only', of.tree], run))
    },
    async folders(of, signal) {
      const listed = await git(place, ['ls-tree', '-r', '-d', '-z', '--name-only', of.tree], {
        signal,
        mostBytes: 64 * 1024 * 1024,
      })
      return new Set(listed.toString('utf8').split('\0'))
    },
    async contents(blobs, signal) {
      if (blobs.length === 0) return []
      const out = await git(place, ['cat-file', '--batch'], { stdin: `${blobs.join('\n')}\n`, signal })
      return blobsIn(out, blobs.length)
    },
    close() {
      try {
        share()
        for (const own of [indexFile, modesFile]) rmSync(own, { force: true })
        if (overgrown(gitDir)) rmSync(gitDir, { recursive: true, force: true })
        removeForgotten(options.folder)
      } catch {
        // Whatever stays is looked at again by the next session of this folder.
      }
    },
  }
}

/** Attributes that change bytes, or that name programs. */
const unset = ['text', 'eol', 'crlf', 'ident', 'filter', 'working-tree-encoding', 'diff', 'merge', 'export-subst']

/** sluice's own folders within the workspace; relative. */
function ownInside({ own, workspace }: ShadowOptions): string[] {
  const inside = own.filter((folder) => folder === workspace || folder.startsWith(workspace + sep))
  return inside.map((folder) => relative(workspace, folder).split(sep).join('/'))
}

function linesOf(paths: readonly string[]): string {
  return paths.map((path) => `${path}\0`).join('')
}

function sameModes(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return a.size === b.size && [...a].every(([path, mode]) => b.get(path) === mode)
}

function literal(name: string): string {
  return name.replace(/[\\*?[\]!# ]/g, '\\$&')
}

async function readable(path: string): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  )
}
