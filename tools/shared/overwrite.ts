/** Writes over an existing file without replacing it, with a copy to go back to. */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ToolFailure } from '@sluice/engine/ports'
import { fsFailure } from './fs-failure.ts'

/**
 * Puts `bytes` into the file at `target`, keeping its inode, links, owner and mode; answers the mode. `expected` is
 * given the old content and throws when it is not the right one. On an error the old content is put back; when even
 * that fails, the message says where the copy lies.
 */
export async function overwriteInPlace(
  target: string,
  bytes: Uint8Array,
  shown: string,
  expected: (old: Uint8Array) => void,
): Promise<number> {
  const handle = await open(target, 'r+')
  try {
    const old = await handle.readFile()
    expected(old)
    const backup = await keepCopy(old)
    try {
      await replaceContent(handle, bytes)
    } catch (error) {
      await putBack(handle, old, error, shown, backup.path)
      await backup.remove()
      throw error
    }
    await backup.remove()
    return (await handle.stat()).mode & 0o7777
  } finally {
    await handle.close()
  }
}

/** Overwrites first and cuts afterwards: growing is what can fail, and until then the old blocks are reused. */
async function replaceContent(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, written)
    if (bytesWritten === 0) throw new ToolFailure(`Only ${written} of ${bytes.length} bytes reached the disk.`)
    written += bytesWritten
  }
  await handle.truncate(bytes.length)
  await handle.sync()
}

/** A private copy in the system's folder for temporary files. */
async function keepCopy(old: Uint8Array): Promise<{ path: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-backup-'))
  const path = join(folder, 'original')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const handle = await open(path, 'wx', 0o600)
    try {
      await handle.writeFile(old)
      await handle.sync()
    } finally {
      await handle.close()
    }
    return { path, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function putBack(
  handle: FileHandle,
  old: Uint8Array,
  cause: unknown,
  shown: string,
  copy: string,
): Promise<void> {
  try {
    await replaceContent(handle, old)
  } catch {
    throw new ToolFailure(
      `Writing ${shown} failed half-way and its old content could not be put back. ` +
        `A copy of the old content is in ${copy}. (${fsFailure(cause, 'Cause').message})`,
      'TOOL_EXECUTION_FAILED',
      { backup: copy },
    )
  }
}
