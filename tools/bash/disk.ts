/** The disk as the words of one command line see it: real places of names, kinds, what folders hold; each thing looked up once. */
import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { dirname, posix } from 'node:path'
import { gitFiles, guardedNames } from './guarded-names.ts'
import { fitsShape, literalOf, type Piece } from './word-shape.ts'

/** No program can open a name that is longer. */
export const longestPath = 4096
/** After so many looks nothing is known any more. */
export const mostLooks = 4000

/** `cwd` is canonical. */
export function createDisk(cwd: string) {
  type Kind = 'none' | 'link' | 'folder' | 'other'
  const reals = new Map<string, string | null>([
    [cwd, cwd],
    ['/', '/'],
    ['', '/'],
  ])
  const kinds = new Map<string, Kind | null>()
  let looks = 0

  /** Null when that cannot be told. */
  function kind(path: string): Kind | null {
    const known = kinds.get(path)
    if (known !== undefined) return known
    looks++
    let found: Kind | null = null
    try {
      const stat = looks > mostLooks ? undefined : lstatSync(path, { throwIfNoEntry: false })
      found = stat === undefined ? 'none' : stat.isSymbolicLink() ? 'link' : stat.isDirectory() ? 'folder' : 'other'
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // No program can open a name that is too long.
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') found = 'none'
    }
    kinds.set(path, found)
    return found
  }

  /** The real path of what exists of it, and the rest; names are gone through one by one, as the system does. */
  function real(path: string): string | null {
    const known = reals.get(path)
    if (known !== undefined) return known
    if (path.length > 2 * longestPath) return null
    // A circle of links comes back here.
    reals.set(path, null)
    const found = walk(path)
    reals.set(path, found)
    return found
  }

  function walk(path: string): string | null {
    const slash = path.lastIndexOf('/')
    const name = path.slice(slash + 1)
    const parent = real(path.slice(0, slash))
    if (parent === null || name === '' || name === '.') return parent
    if (name === '..') return dirname(parent)
    const at = parent === '/' ? `/${name}` : `${parent}/${name}`
    if (kinds.get(parent) === 'none') {
      kinds.set(at, 'none')
      return at
    }
    const found = kind(at)
    if (found === null) return null
    if (found !== 'link') return at
    try {
      const target = readlinkSync(at)
      return real(target.startsWith('/') ? target : `${parent}/${target}`)
    } catch {
      return null
    }
  }

  return {
    real,
    looks: () => looks,
    isFolder: (path: string) => kind(path) === 'folder',
    /** A guarded name right below the folder, as a path; with `patterns`, one that they fit, or Git's folder for files in it. */
    guardedIn(folder: string, patterns?: readonly string[]): string | null {
      if (kind(folder) !== 'folder') return null
      const there = new Map(names(folder).map((at) => [posix.basename(at).toLowerCase(), at]))
      const fits = (name: string) =>
        patterns === undefined ||
        patterns.some((pattern) =>
          [name, ...(name === '.git' ? gitFiles : [])].some((one) => fitsShape(one, patternPieces(pattern))),
        )
      const name = guardedNames.find((guarded) => there.has(guarded.toLowerCase()) && fits(guarded))
      return name === undefined ? null : (there.get(name.toLowerCase()) ?? null)
    },
    /** What a pattern finds, as written from `base`; at most 200. */
    matches(segmented: readonly Piece[][], base: string, dotglob: boolean): string[] {
      let found = [segmented[0]?.length === 0 ? '/' : '']
      for (const segment of segmented) {
        if (segment.length === 0) continue
        const text = literalOf(segment)
        if (text !== null) {
          found = found.map((path) => joined(path, text))
          continue
        }
        const hidden = dotglob || (segment[0]?.type === 'text' && segment[0].text.startsWith('.'))
        found = found.slice(0, 64).flatMap((path) =>
          names(path.startsWith('/') ? path : `${base}/${path}`)
            .map((at) => posix.basename(at))
            .filter((name) => (hidden || !name.startsWith('.')) && fitsShape(name, segment))
            .map((name) => joined(path, name)),
        )
      }
      return found.slice(0, 200)
    },
  }

  function joined(path: string, name: string): string {
    return path === '' || path === '/' ? path + name : `${path}/${name}`
  }

  function names(folder: string): string[] {
    looks += 10
    try {
      return readdirSync(folder).map((name) => (folder === '/' ? `/${name}` : `${folder}/${name}`))
    } catch {
      return []
    }
  }
}

/** A pattern as `find` takes it. */
function patternPieces(pattern: string): Piece[] {
  return [...pattern.matchAll(/\*|\?|\[[^\]]+\]|[^*?[]+|\[/g)].map(([part]): Piece => {
    if (part === '*') return { type: 'star' }
    return part === '?' || (part.length > 2 && part.startsWith('[')) ? { type: 'one' } : { type: 'text', text: part }
  })
}
