/** Writes a file so that at every moment either the old or the new content is there, whole. */
import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, lstat, mkdir, open, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ToolFailure } from '@sluice/engine/ports'
import { sha256 as nodeSha256, readVersion } from './file-version.ts'
import { errnoOf, fsFailure } from './fs-failure.ts'
import { overwriteInPlace } from './overwrite.ts'
import { canonicalPath } from './paths.ts'

export type AtomicWriteOptions = {
  /** sha256 of the bytes that are to be replaced; null when there must be no file yet. */
  expectedHash: string | null
  /** How messages name the file; the path itself when absent. */
  shown?: string
  /** sha256 in hex; Node's own when absent. */
  digest?: { sha256(data: Uint8Array): string }
}

/**
 * `how`: a new file, a new file in the place of the old one (rename), or the old file written over, which keeps hard
 * links and works in folders that may not be written. `path` is the real file, `mode` its permission bits.
 */
export type WriteResult = { how: 'create' | 'replace' | 'in-place'; path: string; mode: number }

/**
 * Writes `bytes` to the file that `path` leads to, following symbolic links, and makes missing folders. Rejects with a
 * ToolFailure and leaves the old content when the file is not the expected version (`metadata.stale` is true then),
 * the disk is full or the file system refuses.
 */
export async function atomicWrite(path: string, bytes: Uint8Array, options: AtomicWriteOptions): Promise<WriteResult> {
  const shown = options.shown ?? path
  const sha256 = options.digest?.sha256 ?? nodeSha256
  try {
    const target = (await canonicalPath(path, shown)).path
    const check = () => expectVersion(target, shown, options.expectedHash, sha256)
    await check()
    if (options.expectedHash === null) return await createFile(target, bytes, shown, check)
    const old = await stat(target)
    // A rename would get past the write protection of the file itself.
    await (await open(target, 'r+')).close()
    if (old.nlink > 1) return await inPlace(target, bytes, shown, sha256, options)
    try {
      return await replaceFile(target, bytes, old, shown, check)
    } catch (error) {
      if (!renameRefused.has(errnoOf(error) ?? '')) throw error
      return await inPlace(target, bytes, shown, sha256, options)
    }
  } catch (error) {
    throw fsFailure(error, `Cannot write ${shown}`)
  }
}

/**
 * The failure of a file that is not the version it should be; the one text for it everywhere. `now` is the version that
 * is there: with it the change can be made anew.
 */
export function staleFile(
  shown: string,
  why: 'changed' | 'gone' | 'appeared',
  now?: { path: string; hash: string },
): ToolFailure {
  const what = {
    changed: `${shown} has changed on disk since it was read`,
    gone: `${shown} has been deleted since it was read`,
    appeared: `${shown} has been created by someone else in the meantime`,
  }[why]
  const next =
    why === 'gone' ? 'Check what happened before you write it again.' : 'Read it again, then repeat the edit.'
  return new ToolFailure(`${what}, so nothing was written. ${next}`, 'TOOL_EXECUTION_FAILED', {
    stale: true,
    ...(now ? { now } : {}),
  })
}

/** Where a temporary file or its rename is refused, writing the file itself may still be allowed. */
export const renameRefused: ReadonlySet<string> = new Set([
  'EXDEV',
  'EPERM',
  'EACCES',
  'EROFS',
  'EBUSY',
  'ENAMETOOLONG',
])

export async function expectVersion(
  target: string,
  shown: string,
  expected: string | null,
  sha256: (data: Uint8Array) => string,
): Promise<void> {
  const now = await readVersion(target, shown)
  if (expected === null && now === null) return
  if (now === null) throw staleFile(shown, 'gone')
  const hash = sha256(now.bytes)
  if (hash !== expected) throw staleFile(shown, expected === null ? 'appeared' : 'changed', { path: target, hash })
}

async function createFile(
  target: string,
  bytes: Uint8Array,
  shown: string,
  check: () => Promise<void>,
): Promise<WriteResult> {
  await mkdir(dirname(target), { recursive: true })
  const temporary = await writeTemporary(target, bytes, 0o666)
  try {
    const { mode } = await stat(temporary)
    try {
      // A link, unlike a rename, never replaces a file that appeared in the meantime.
      await link(temporary, target)
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') throw staleFile(shown, 'appeared')
      await check()
      await rename(temporary, target)
    }
    await unlink(temporary).catch(() => undefined)
    await syncFolder(target)
    return { how: 'create', path: target, mode: mode & 0o7777 }
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  }
}

async function replaceFile(
  target: string,
  bytes: Uint8Array,
  old: Stats,
  shown: string,
  check: () => Promise<void>,
): Promise<WriteResult> {
  const temporary = await writeTemporary(target, bytes, 0o600, async (handle) => {
    const own = await handle.stat()
    // Owner first: changing it clears the set-user-id bits that the mode brings back.
    if (own.uid !== old.uid || own.gid !== old.gid) await handle.chown(old.uid, old.gid)
    await handle.chmod(old.mode & 0o7777)
  })
  try {
    await check()
    if ((await lstat(target)).isSymbolicLink()) throw staleFile(shown, 'changed')
    await rename(temporary, target)
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  }
  await syncFolder(target)
  return { how: 'replace', path: target, mode: old.mode & 0o7777 }
}

async function inPlace(
  target: string,
  bytes: Uint8Array,
  shown: string,
  sha256: (data: Uint8Array) => string,
  options: AtomicWriteOptions,
): Promise<WriteResult> {
  const expected = (old: Uint8Array) => {
    if (sha256(old) !== options.expectedHash) throw staleFile(shown, 'changed')
  }
  const mode = await overwriteInPlace(target, bytes, shown, expected)
  return { how: 'in-place', path: target, mode }
}

/** A new file beside the target with the whole content, on disk; nothing is left behind when it fails. */
export async function writeTemporary(
  target: string,
  bytes: Uint8Array,
  mode: number,
  finish?: (handle: FileHandle) => Promise<void>,
): Promise<string> {
  const temporary = temporaryName(target)
  const handle = await open(temporary, 'wx', mode)
  try {
    await handle.writeFile(bytes)
    const { size } = await handle.stat()
    if (size !== bytes.length) throw new ToolFailure(`Only ${size} of ${bytes.length} bytes reached the disk.`)
    await finish?.(handle)
    await handle.sync()
    await handle.close()
    return temporary
  } catch (error) {
    await handle.close().catch(() => undefined)
    await unlink(temporary).catch(() => undefined)
    throw error
  }
}

export function temporaryName(target: string): string {
  return join(dirname(target), `.sluice-${randomBytes(9).toString('hex')}.tmp`)
}

/** Makes the new name durable; some file systems cannot sync a folder, and the content is safe without it. */
export async function syncFolder(target: string): Promise<void> {
  const handle = await open(dirname(target), constants.O_RDONLY).catch(() => null)
  await handle?.sync().catch(() => undefined)
  await handle?.close().catch(() => undefined)
}
