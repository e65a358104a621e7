/** Paths outside the folder that a command names: snapshots do not reach there, so these few are looked at one by one. */
import { lstat } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, resolve, sep } from 'node:path'
import type { FileState } from '../../ports/index.ts'
import type { PermissionNeed } from '../../protocol/index.ts'
import type { Blobs } from './blobs.ts'
import { stateOf } from './file-state.ts'

/** `before` where the command writes it; else only size and time are known. */
type Named = { path: string; before: FileState | null; mark: string }
/** `places`: folders outside in which programs ran that may have done anything there. */
export type NamedOutside = { files: readonly Named[]; places: readonly string[] }

const mostNamed = 20

export async function lookAtNamed(
  needs: readonly PermissionNeed[],
  workspace: string,
  blobs: Blobs,
): Promise<NamedOutside> {
  const { paths, places } = readNeeds(needs, workspace)
  const files: Named[] = []
  for (const [path, written] of [...paths].slice(0, mostNamed)) {
    const before = written ? await stateOf(path, blobs) : null
    files.push({ path, mark: await markOf(path), before: before?.kind === 'other' ? null : before })
  }
  return { files, places: [...places] }
}

/** What became of them: files that can be brought back, and sentences on what cannot. */
export async function namedChanges({ files: named, places }: NamedOutside, blobs: Blobs) {
  const files: { path: string; before: FileState; after: FileState }[] = []
  const changed: string[] = []
  for (const { path, before, mark } of named) {
    if ((await markOf(path)) === mark) continue
    if (before !== null) files.push({ path, before, after: await stateOf(path, blobs) })
    else changed.push(path)
  }
  const gaps = [
    ...(changed.length === 0 ? [] : [`what it changed outside the folder (${changed.slice(0, 3).join(', ')})`]),
    ...(places.length === 0 ? [] : [`what it did outside the folder, in ${places.slice(0, 3).join(', ')}`]),
  ]
  return { files, gaps }
}

/** Each path with whether the command writes it. Words are read as they stand, from where a `cd` before them led. */
function readNeeds(needs: readonly PermissionNeed[], workspace: string) {
  const paths = new Map<string, boolean>()
  const places = new Set<string>()
  let at = workspace
  const led = (word: string) => resolve(at, word.replace(/^~(?=\/|$)/, homedir()))
  const add = (word: string, written: boolean) => {
    if (word === '' || /[*?[\]{}$`\n]/.test(word)) return
    const path = led(word)
    if (isInside(path, workspace) || passing(path, workspace)) return
    paths.set(path, written || paths.get(path) === true)
  }
  for (const need of needs) {
    if (need.type !== 'command') continue
    const [program = '', ...words] = need.argv ?? []
    const own = program.slice(program.lastIndexOf('/') + 1)
    for (const word of need.writes) add(word, true)
    if (own === 'cd' && words.length === 1) at = led(words[0] ?? '')
    else {
      const written = writtenBy(own, words)
      for (const word of words) if (!word.startsWith('-')) add(word, written.includes(word))
      if (!isInside(at, workspace) && !readsOnly(own, words) && !writers.has(own)) places.add(at)
    }
  }
  return { paths, places }
}

function isInside(path: string, workspace: string): boolean {
  return path === workspace || path.startsWith(workspace + sep)
}

/** They write, move or delete all that they name. */
const movers = ['mv', 'rm', 'rmdir', 'tee', 'touch', 'truncate', 'unlink']
/** They write the last thing that they name. */
const copiers = ['cp', 'install', 'ln']
const writers = new Set([...movers, ...copiers, 'mkdir'])

/** What other words name is not copied: it may be a secret that is read. */
function writtenBy(program: string, words: readonly string[]): readonly string[] {
  const names = words.filter((word) => !word.startsWith('-'))
  if (movers.includes(program)) return names
  if (copiers.includes(program)) return names.slice(-1)
  return program === 'sed' && words.some((word) => /^(-[a-zA-Z]*i|--in-place)/.test(word)) ? names : []
}

const readers = new Set(
  '[ awk basename cat cd cut diff dirname du echo false file find grep head less ls printf pwd rg sed sort stat tail test tree true uniq wc which'.split(
    ' ',
  ),
)
const readingGit = new Set(['blame', 'branch', 'describe', 'diff', 'log', 'ls-files', 'rev-parse', 'show', 'status'])

/** As far as it matters where it runs. */
function readsOnly(program: string, words: readonly string[]): boolean {
  return readers.has(program) || (program === 'git' && readingGit.has(words[0] ?? ''))
}

/** Above the folder, of the system, or gone soon anyway. */
function passing(path: string, workspace: string): boolean {
  const short = ['/dev', '/proc', '/sys', '/tmp', tmpdir()].some((one) => path === one || path.startsWith(one + sep))
  return workspace.startsWith(path + sep) || (short && !beside(path, workspace))
}

/** A folder that is itself temporary has neighbours that are worth as much. */
function beside(path: string, workspace: string): boolean {
  const above = dirname(workspace)
  return ![tmpdir(), '/tmp'].includes(above) && path.startsWith(above + sep)
}

async function markOf(path: string): Promise<string> {
  try {
    const stat = await lstat(path)
    return `${stat.isDirectory() ? 'folder' : 'file'} ${stat.size} ${stat.mtimeMs} ${stat.ino}`
  } catch {
    return 'absent'
  }
}
