/** The state of one file as it is now: read without following a link at its end and without waiting on pipes. */
import { constants, type Stats } from 'node:fs'
import { lstat, open, readlink, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FileState } from '../../ports/index.ts'
import { type Blobs, sha256 } from './blobs.ts'

/** Files beyond this are not kept unasked: the tools that edit take none that is larger. */
export const mostOfOne = 10 * 1024 * 1024

/** Files beyond this are not even looked into. */
const mostOfAny = 256 * 1024 * 1024

/** With `blobs` the bytes are kept: within the limits, or always. A file that cannot be read is `other`. */
export async function stateOf(path: string, blobs?: Blobs, always = false): Promise<FileState> {
  try {
    const stat = await lstat(path)
    if (stat.isSymbolicLink()) return { kind: 'link', target: await readlink(path) }
    if (!stat.isFile()) return { kind: 'other', what: kindOf(stat) }
    if (stat.size > mostOfAny) return { kind: 'other', what: `a file of ${Math.round(stat.size / 1e6)} MB` }
    const bytes = await readRegular(path)
    if (bytes === null) return { kind: 'other', what: 'a file that cannot be read' }
    const hash = sha256(bytes)
    const wanted = blobs !== undefined && (always || bytes.length <= mostOfOne)
    const kept = wanted ? await blobs.keep(hash, bytes, always) : false
    return { kind: 'file', hash, size: bytes.length, mode: stat.mode & 0o7777, kept }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' }
    return { kind: 'other', what: 'a file that cannot be read' }
  }
}

/** True when a folder of a canonical path has become a link: what is found there is another file. */
export async function ledAway(path: string): Promise<boolean> {
  const folder = dirname(path)
  return (await realpath(folder).catch(() => folder)) !== folder
}

/** The bytes of a regular file; null for everything else. */
export async function readRegular(path: string): Promise<Uint8Array | null> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      return (await handle.stat()).isFile() ? await handle.readFile() : null
    } finally {
      await handle.close()
    }
  } catch {
    return null
  }
}

function kindOf(stat: Stats): string {
  if (stat.isDirectory()) return 'a folder'
  return stat.isFIFO() ? 'a pipe' : stat.isSocket() ? 'a socket' : 'a device'
}
