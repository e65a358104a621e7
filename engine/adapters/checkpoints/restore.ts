/** Brings one file into an earlier state, as a whole or not at all, and never over something it was not told of. */
import { constants } from 'node:fs'
import { lstat, mkdir, open, rename, rmdir, stat, symlink, unlink } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import type { FileState, RestoreResult, Undone } from '../../ports/index.ts'
import { isFolder, sameState } from '../../session/rewind-plan.ts'
import type { Blobs } from './blobs.ts'
import { stateOf } from './file-state.ts'
import { halfWrittenName } from './half-written.ts'
import { noPaths, problemAbove } from './obstacles.ts'

export type Restore = { path: string; from: FileState; to: FileState; undone: Undone; workspace: string }

export async function restoreFile(
  { path, from, to, undone, workspace }: Restore,
  blobs: Blobs,
): Promise<RestoreResult> {
  const no = (problem: string): RestoreResult => ({ ok: false, problem })
  try {
    if (to.kind === 'other' && !isFolder(to)) return no(`it was ${to.what}, which is not restored`)
    const above = await problemAbove(dirname(path), noPaths)
    if (above !== null) return no(above)
    const now = await stateOf(path)
    // By another of its names, or by somebody who wanted the same.
    if (sameState(now, to)) return { ok: true }
    // A folder in the place of a file may have gone already, with the last file in it.
    const folderGone = isFolder(from) && now.kind === 'absent'
    if (!folderGone && !sameState(now, from)) return no('it was changed just now')
    if (now.kind === 'other' && !(isFolder(now) && (await removeEmpty(path, undone))))
      return no(`it is ${now.what} now`)
    if (to.kind === 'absent' || to.kind === 'other') {
      if (now.kind === 'file' || now.kind === 'link') await unlink(path)
      if (to.kind === 'other') await mkdir(path, { recursive: true })
      else await removeEmptyParents(dirname(path), undone, workspace)
      return { ok: true }
    }
    await mkdir(dirname(path), { recursive: true })
    if (to.kind === 'link') await replaceWithLink(path, to.target)
    else {
      const bytes = await blobs.read(to.hash)
      if (bytes === null) return no('its earlier content was not kept')
      await replaceWithBytes(path, bytes, to.mode, from)
    }
    return sameState(await stateOf(path), to) ? { ok: true } : no('another program changed it at once')
  } catch (error) {
    return no(error instanceof Error ? error.message : String(error))
  }
}

async function replaceWithBytes(path: string, bytes: Uint8Array, mode: number, from: FileState): Promise<void> {
  const old = from.kind === 'file' ? await stat(path) : null
  if (old !== null && old.nlink > 1) return overwrite(path, bytes, mode)
  const temporary = halfWrittenName(path)
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(bytes)
      const { size } = await handle.stat()
      if (size !== bytes.length) throw new Error(`only ${size} of ${bytes.length} bytes reached the disk`)
      if (old !== null) await handle.chown(old.uid, old.gid).catch(() => undefined)
      await handle.chmod(mode)
      await handle.sync()
    } finally {
      await handle.close()
    }
    if (!sameState(await stateOf(path), from.kind === 'other' ? { kind: 'absent' } : from)) {
      throw new Error('it was changed just now')
    }
    await rename(temporary, path)
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  }
  await syncFolder(dirname(path))
}

/** Keeps the other names of the file; what it holds now is in the store already, should this be cut off. */
async function overwrite(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const handle = await open(path, constants.O_RDWR | constants.O_NOFOLLOW)
  try {
    await handle.writeFile(bytes)
    await handle.truncate(bytes.length)
    await handle.chmod(mode)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function replaceWithLink(path: string, target: string): Promise<void> {
  const temporary = halfWrittenName(path)
  await symlink(target, temporary)
  try {
    await rename(temporary, path)
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  }
}

/** Folders that came with the change go with it; one that was empty before stays. */
async function removeEmptyParents(folder: string, undone: Undone, workspace: string): Promise<void> {
  let at = folder
  while (at.startsWith(workspace + sep) && (await removeEmpty(at, undone))) at = dirname(at)
}

/** False when something is in it, or when it was there before what is undone. */
async function removeEmpty(folder: string, { since, folders }: Undone): Promise<boolean> {
  try {
    const { birthtimeMs } = await lstat(folder)
    // Clocks of files are coarser than ours. A folder that was moved is older than its name.
    const older = birthtimeMs === 0 || birthtimeMs < Date.parse(since) - 20
    if (older && !folders?.has(folder)) return false
    await rmdir(folder)
    return true
  } catch {
    return false
  }
}

/** Makes the new name durable where the system can. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => null)
  await handle?.sync().catch(() => undefined)
  await handle?.close().catch(() => undefined)
}
