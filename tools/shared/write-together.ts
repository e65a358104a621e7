/** Writes several files so that in the end all of them are new, or all of them as they were. */
import type { Stats } from 'node:fs'
import { link, lstat, mkdir, open, rename, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inSpan, type Span, ToolFailure } from '@sluice/engine/ports'
import { expectVersion, renameRefused, staleFile, syncFolder, temporaryName, writeTemporary } from './atomic-write.ts'
import { readVersion, sha256 } from './file-version.ts'
import { errnoOf, fsFailure } from './fs-failure.ts'
import { overwriteInPlace } from './overwrite.ts'
import { canonicalPath } from './paths.ts'

export type WantedFile = {
  path: string
  shown: string
  bytes: Uint8Array
  /** sha256 of the bytes that are replaced; null when there must be no file yet. */
  expectedHash: string | null
}

/**
 * What was the matter with each file when nothing was written: `failure` for those that stood in the way, `state` where it
 * is not simply as it was. `written` says that even putting it back failed, so that it holds the new text.
 */
export type Unwritten = { failure?: ToolFailure; state?: string; written?: boolean }

/** Null when all files hold their new bytes; otherwise what became of each, in their order. Never rejects. */
export async function writeTogether(
  files: readonly WantedFile[],
  { span, signal }: { span: Span; signal: AbortSignal },
): Promise<Unwritten[] | null> {
  const staged: (Staged | undefined)[] = []
  const out: Unwritten[] = files.map(() => ({}))
  const each = async (name: string, work: (index: number) => Promise<void>): Promise<boolean> => {
    for (const index of files.keys()) {
      const file = files[index] as WantedFile
      const problem = await failureOf(file, () => inSpan(span, name, { path: file.path }, () => work(index)))
      if (problem) out[index] = { ...out[index], failure: problem }
      // All that are not the right version are named; of any other trouble the first is enough.
      if (problem && name !== 'fs.check') return false
    }
    return out.every(({ failure }) => failure === undefined)
  }
  const check = () => each('fs.check', (i) => expected(files[i] as WantedFile))
  const prepared =
    (await check()) &&
    (await each('fs.stage', async (i) => {
      staged[i] = await stage(files[i] as WantedFile)
    })) &&
    (await check())
  if (prepared && signal.aborted) {
    out[0] = { failure: new ToolFailure('Interrupted; nothing was written.', 'USER_ABORTED') }
  }
  const done = prepared && !signal.aborted && (await each('fs.replace', (i) => (staged[i] as Staged).commit()))
  if (!done) {
    for (const [i, one] of [...staged.entries()].reverse()) if (one) out[i] = { ...out[i], ...(await one.undo()) }
  }
  for (const one of staged) await one?.tidy()
  if (!done) return out
  for (const { path } of files) await syncFolder(path)
  return null
}

type Staged = {
  /** Puts the new bytes in their place. */
  commit(): Promise<void>
  /** Puts back what was there, if `commit` had changed it. */
  undo(): Promise<Unwritten>
  /** Removes what is not needed any more. */
  tidy(): Promise<void>
}

async function expected(file: WantedFile): Promise<void> {
  const target = (await canonicalPath(file.path, file.shown)).path
  await expectVersion(target, file.shown, file.expectedHash, sha256)
}

async function stage(file: WantedFile): Promise<Staged> {
  const target = (await canonicalPath(file.path, file.shown)).path
  if (file.expectedHash === null) return stageNew(file, target)
  const old = await stat(target)
  // A rename would get past the write protection of the file itself.
  await (await open(target, 'r+')).close()
  if (old.nlink > 1) return stageInPlace(file, target)
  try {
    return await stageReplacement(file, target, old)
  } catch (error) {
    if (!renameRefused.has(errnoOf(error) ?? '')) throw error
    return stageInPlace(file, target)
  }
}

async function stageNew(file: WantedFile, target: string): Promise<Staged> {
  const { shown, bytes } = file
  const made = await mkdir(dirname(target), { recursive: true })
  const withoutFolders = () => (made === undefined ? Promise.resolve() : removeFolders(dirname(target), made))
  const temporary = await writeTemporary(target, bytes, 0o666).catch(async (error: unknown) => {
    await withoutFolders()
    throw error
  })
  let committed = false
  return {
    async commit() {
      try {
        // A link, unlike a rename, never replaces a file that appeared in the meantime.
        await link(temporary, target)
      } catch (error) {
        if (errnoOf(error) === 'EEXIST') throw staleFile(shown, 'appeared')
        await expected(file)
        await rename(temporary, target)
      }
      committed = true
    },
    async undo() {
      await unlink(temporary).catch(() => undefined)
      const state = committed ? await putBack(file, target, () => unlink(target)) : {}
      await withoutFolders()
      return state
    },
    tidy: () => unlink(temporary).catch(() => undefined),
  }
}

async function stageReplacement(file: WantedFile, target: string, old: Stats): Promise<Staged> {
  const like = async (bytes: Uint8Array) =>
    writeTemporary(target, bytes, 0o600, async (handle) => {
      const own = await handle.stat()
      // Owner first: changing it clears the set-user-id bits that the mode brings back.
      if (own.uid !== old.uid || own.gid !== old.gid) await handle.chown(old.uid, old.gid)
      await handle.chmod(old.mode & 0o7777)
    })
  const temporary = await like(file.bytes)
  let kept: string | undefined
  let committed = false
  return {
    async commit() {
      if ((await lstat(target)).isSymbolicLink()) throw staleFile(file.shown, 'changed')
      const name = temporaryName(target)
      try {
        await link(target, name)
        kept = name
      } catch {
        const version = await readVersion(target, file.shown)
        if (version) kept = await like(version.bytes)
      }
      // The last look, at what is kept itself: from here on nothing comes between but the rename.
      const now = kept === undefined ? null : await readVersion(kept, file.shown)
      if (now?.hash !== file.expectedHash) {
        throw staleFile(file.shown, 'changed', now ? { path: target, hash: now.hash } : undefined)
      }
      await rename(temporary, target)
      committed = true
    },
    async undo() {
      if (!committed || kept === undefined) return {}
      const from = kept
      const state = await putBack(file, target, () => rename(from, target), from)
      // What could not be put back is the person's only copy.
      if (state.written) kept = undefined
      return state
    },
    async tidy() {
      await unlink(temporary).catch(() => undefined)
      if (kept !== undefined) await unlink(kept).catch(() => undefined)
    },
  }
}

async function stageInPlace(file: WantedFile, target: string): Promise<Staged> {
  const { shown, bytes, expectedHash } = file
  const old = await readVersion(target, shown)
  if (old?.hash !== expectedHash) throw staleFile(shown, old ? 'changed' : 'gone')
  const is = (hash: string | null) => (found: Uint8Array) => {
    if (sha256(found) !== hash) throw staleFile(shown, 'changed')
  }
  let committed = false
  return {
    async commit() {
      await overwriteInPlace(target, bytes, shown, is(expectedHash))
      committed = true
    },
    async undo() {
      if (!committed) return {}
      return putBack(file, target, async () => {
        await overwriteInPlace(target, old.bytes, shown, is(sha256(bytes)))
      })
    },
    tidy: () => Promise.resolve(),
  }
}

/** Undoes one file, but nothing that somebody wrote over it since. */
async function putBack(
  { shown, bytes }: WantedFile,
  target: string,
  work: () => Promise<unknown>,
  copy?: string,
): Promise<Unwritten> {
  try {
    const now = await readVersion(target, shown)
    if (now === null) return { state: `${shown} has been deleted by someone else since it was written.` }
    if (now.hash !== sha256(bytes)) return { state: `${shown} has been changed by someone else since it was written.` }
    await work()
    return { state: `${shown} had been written already and was put back as it was.` }
  } catch (error) {
    const where = copy === undefined ? '' : ` Its old content is in ${copy}.`
    const cause = error instanceof Error ? error.message : String(error)
    return { written: true, state: `${shown} was written and could NOT be put back.${where} (${cause})` }
  }
}

async function failureOf(file: WantedFile, work: () => Promise<unknown>): Promise<ToolFailure | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    try {
      return fsFailure(error, `Cannot write ${file.shown}`)
    } catch {
      return new ToolFailure(`Cannot write ${file.shown}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

/** Takes away folders that were made for a file, from `deepest` up to `first`, as long as they are empty. */
async function removeFolders(deepest: string, first: string): Promise<void> {
  for (let folder = deepest; folder.length >= first.length; folder = join(folder, '..')) {
    try {
      await rmdir(folder)
    } catch {
      return
    }
  }
}
