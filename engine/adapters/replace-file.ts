/** Replaces a file as a whole or not at all, whatever happens in between. */
import { randomBytes } from 'node:crypto'
import { chmod, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { writtenInPart } from './disk-report.ts'

/**
 * Writes `text` to `path`, whose folder exists, by way of a new file beside it. The mode of an existing file is kept, a new one is the owner's
 * alone. Rejects with the system's error and leaves the old file as it was.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const folder = dirname(path)
  const mode = await modeOf(path)
  const temporary = join(folder, `.${basename(path)}.${randomBytes(8).toString('hex')}.tmp`)
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text, 'utf8')
      const { size } = await handle.stat()
      if (size !== Buffer.byteLength(text)) throw writtenInPart(path)
      await handle.sync()
    } finally {
      await handle.close()
    }
    if (mode !== null) await chmod(temporary, mode)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(folder)
}

async function modeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mode & 0o777
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Makes the rename durable where the system can; some cannot open folders. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch {
    // The rename has happened; only a power cut right now could undo it.
  }
}
