/** The version of a file: its bytes, their hash and what the file system says of it. */
import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { ToolFailure } from '@sluice/engine/ports'
import { errnoOf, fsFailure } from './fs-failure.ts'

/** Files beyond this are never held in memory as a whole (bytes). */
export const maxWholeFile = 10 * 1024 * 1024

export type FileVersion = { bytes: Uint8Array; hash: string; stat: Stats }

/** sha256 in hex of bytes, or of a string as UTF-8. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

/**
 * Reads a whole regular file of at most `maxWholeFile` bytes; null when it does not exist. Throws ToolFailure for
 * folders, devices, pipes, larger files and files that may not be read. `shown` is how messages name it.
 */
export async function readVersion(path: string, shown: string): Promise<FileVersion | null> {
  const handle = await openRegular(path, shown)
  if (handle === null) return null
  try {
    const stat = await handle.stat()
    if (stat.size > maxWholeFile) throw tooLarge(shown, stat.size)
    const bytes = await readAll(handle, shown)
    return { bytes, hash: sha256(bytes), stat }
  } catch (error) {
    throw fsFailure(error, `Cannot read ${shown}`)
  } finally {
    await handle.close()
  }
}

/** Opens a regular file for reading without ever waiting on a pipe; null when it does not exist. */
export async function openRegular(path: string, shown: string): Promise<FileHandle | null> {
  let handle: FileHandle
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    if (errnoOf(error) === 'ENXIO') throw notRegular(shown, 'a socket or device')
    throw fsFailure(error, `Cannot read ${shown}`)
  }
  const stat = await handle.stat()
  if (stat.isFile()) return handle
  await handle.close()
  throw notRegular(shown, kindOf(stat))
}

/** A size for people: `512 bytes`, `12 kB`, `3.4 MB`. */
export function shownSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
  const units = ['kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = ''
  for (const next of units) {
    if (value < 1000) break
    value /= 1000
    unit = next
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

/** What a path is when it is no regular file. */
export function kindOf(stat: Stats): string {
  if (stat.isDirectory()) return 'a folder'
  if (stat.isFIFO()) return 'a named pipe'
  if (stat.isSocket()) return 'a socket'
  return 'a device'
}

export function tooLarge(shown: string, size: number): ToolFailure {
  return new ToolFailure(
    `${shown} is ${shownSize(size)}, more than the ${shownSize(maxWholeFile)} that are read at once. ` +
      'Read a part of it with read_file offset and limit, search it with grep, or process it with a command.',
    'TOOL_EXECUTION_FAILED',
    { size },
  )
}

/** Not `readFile`: files of /proc report size 0, and a file may grow while it is read. */
async function readAll(handle: FileHandle, shown: string): Promise<Uint8Array> {
  const parts: Buffer[] = []
  let total = 0
  for (;;) {
    const buffer = Buffer.allocUnsafe(256 * 1024)
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null)
    if (bytesRead === 0) return Buffer.concat(parts, total)
    parts.push(buffer.subarray(0, bytesRead))
    total += bytesRead
    if (total > maxWholeFile) throw tooLarge(shown, total)
  }
}

function notRegular(shown: string, kind: string): ToolFailure {
  const advice = kind === 'a folder' ? 'Use list_dir to see what is in it.' : 'Only regular files can be used here.'
  return new ToolFailure(`${shown} is ${kind}, not a file. ${advice}`)
}
