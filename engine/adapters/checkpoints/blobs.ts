/** Bytes of files as they were, each content once, private to the owner. */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, linkSync, readdirSync, renameSync, statSync } from 'node:fs'
import { open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { writtenInPart } from '../disk-report.ts'
import { makeFolder } from '../make-folder.ts'

/** All that one session may keep; what the person restores is kept beyond it, so that a rewind can be undone. */
export const mostKept = 256 * 1024 * 1024

export interface Blobs {
  /** True when the bytes are stored; false beyond the limit, unless `always`, and when the disk refuses. Never rejects. */
  keep(hash: string, bytes: Uint8Array, always?: boolean): Promise<boolean>
  /** How the disk refused these bytes the last time; undefined when it did not. */
  refusal(hash: string): unknown
  /** Cheap: whether they are there, as far as their number tells. */
  has(hash: string, size: number): boolean
  /** Null when they are not there, or are not what they were. */
  read(hash: string): Promise<Uint8Array | null>
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function openBlobs(folder: string, most = mostKept): Blobs {
  let total: number | undefined
  const refused = new Map<string, unknown>()
  const pathOf = (hash: string) => join(folder, hash)
  const has = (hash: string, size: number) => {
    try {
      return statSync(pathOf(hash), { throwIfNoEntry: false })?.size === size
    } catch {
      return false
    }
  }

  async function write(hash: string, bytes: Uint8Array): Promise<void> {
    makeFolder(folder)
    const temporary = join(folder, `.${randomBytes(8).toString('hex')}.tmp`)
    try {
      const handle = await open(temporary, 'wx', 0o600)
      try {
        await handle.writeFile(bytes)
        const { size } = await handle.stat()
        if (size !== bytes.length) throw writtenInPart(temporary)
      } finally {
        await handle.close()
      }
      renameSync(temporary, pathOf(hash))
    } catch (error) {
      await unlink(temporary).catch(() => undefined)
      throw error
    }
  }

  return {
    async keep(hash, bytes, always = false) {
      refused.delete(hash)
      try {
        // Half of it may be there after the power went.
        if (has(hash, bytes.length)) return true
        total ??= sizeOf(folder)
        if (total + bytes.length > most && !always) return false
        // At once: others may be kept at the same time.
        total += bytes.length
        await write(hash, bytes).catch((error: unknown) => {
          total = (total ?? 0) - bytes.length
          throw error
        })
        return true
      } catch (error) {
        refused.set(hash, error)
        return false
      }
    },
    refusal: (hash) => refused.get(hash),
    has,
    async read(hash) {
      try {
        const bytes = await readFile(pathOf(hash))
        return sha256(bytes) === hash ? bytes : null
      } catch {
        return null
      }
    },
  }
}

/** Makes all blobs of one session those of another too, without a second copy where the file system can. */
export function shareBlobs(from: string, to: string): void {
  if (!existsSync(from)) return
  makeFolder(to)
  for (const name of readdirSync(from)) {
    if (name.startsWith('.') || existsSync(join(to, name))) continue
    linkSync(join(from, name), join(to, name))
  }
}

function sizeOf(folder: string): number {
  if (!existsSync(folder)) return 0
  return readdirSync(folder).reduce((sum, name) => sum + (statSync(join(folder, name)).size ?? 0), 0)
}
