/** Session files outside the project: spilled outputs, private (0600) and never overwritten. */
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { ArtifactStore } from '../../ports/index.ts'
import { makeFolder } from '../make-folder.ts'

/**
 * `redact` gives the text as it may be kept. It is asked for whole lines, read as Latin-1 so that no byte is lost: secrets
 * are ASCII.
 */
export function createArtifacts(folder: string, redact?: (text: string) => string): ArtifactStore {
  return {
    create(name) {
      const safe = name.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 60) || 'artifact'
      const path = join(folder, `${randomBytes(5).toString('hex')}-${safe}`)
      let fd: number | undefined
      let failed: string | undefined
      try {
        makeFolder(folder)
        fd = openSync(path, 'wx', 0o600)
      } catch (error) {
        failed = error instanceof Error ? error.message : String(error)
      }
      let held = ''
      const put = (bytes: Uint8Array) => {
        if (fd === undefined || failed !== undefined) return
        try {
          for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(writeSync(fd, rest))
        } catch (error) {
          failed = error instanceof Error ? error.message : String(error)
        }
      }
      return {
        path,
        get failed() {
          return failed
        },
        write(data) {
          if (!redact) return put(toBytes(data))
          held += toBytes(data).toString('latin1')
          const ready = readyLength(held)
          if (ready === 0) return
          put(Buffer.from(redact(held.slice(0, ready)), 'latin1'))
          held = held.slice(ready)
        },
        close() {
          if (redact && held !== '') put(Buffer.from(redact(held), 'latin1'))
          held = ''
          if (fd !== undefined) closeSync(fd)
          fd = undefined
        },
      }
    },
  }
}

/** A line may be as long as this before it is written without its end; a key block may have as many characters. */
const longestHeld = 64 * 1024

/** How much of the text can be written: up to its last line end, but no key block in part. */
function readyLength(text: string): number {
  if (text.length > longestHeld * 2) return text.length - 1024
  const end = text.lastIndexOf('\n') + 1
  const block = text.lastIndexOf('-----BEGIN ', end)
  const over = text.indexOf('-----END ', block)
  if (block < 0 || (over >= 0 && over < end)) return end
  return Math.min(end, text.lastIndexOf('\n', block) + 1)
}

function toBytes(data: string | Uint8Array): Buffer {
  return typeof data === 'string' ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength)
}
