/** Reads and writes the files of a review: found, decoded and written as the edits did it. */
import { unlink } from 'node:fs/promises'
import { type ReviewedFiles, ToolFailure } from '@sluice/engine/ports'
import { atomicWrite, staleFile } from './atomic-write.ts'
import { binaryKind } from './binary-kind.ts'
import { type FileVersion, readVersion, sha256 } from './file-version.ts'
import { fsFailure } from './fs-failure.ts'
import { expectSamePlace, type FilePath, resolveFile } from './paths.ts'
import { decodeText, encodeText, utf8 } from './text-encoding.ts'

export const reviewedFiles: ReviewedFiles = {
  async read(name, cwd) {
    const at = await placeOf(name, cwd)
    const version = await readVersion(at.path, at.shown)
    if (version === null) return null
    return { path: at.path, text: (await decoded(at, version)).text, hash: version.hash }
  },
  decode: async (bytes) => (await decodeText(bytes))?.text ?? null,
  async write(name, cwd, text, expected) {
    const at = await placeOf(name, cwd)
    const version = await readVersion(at.path, at.shown)
    if ((version?.hash ?? null) !== expected) throw staleFile(at.shown, whyStale(version, expected))
    await expectSamePlace(at)
    if (text === null) {
      await unlink(at.path).catch((error) => {
        throw fsFailure(error, `Cannot remove ${at.shown}`)
      })
      return { hash: null }
    }
    const encoding = version === null ? utf8 : (await decoded(at, version)).encoding
    const bytes = await encodeText(text, encoding, at.shown)
    await atomicWrite(at.path, bytes, { expectedHash: expected, shown: at.shown })
    return { hash: sha256(bytes) }
  },
}

function whyStale(version: FileVersion | null, expected: string | null): 'changed' | 'gone' | 'appeared' {
  if (version === null) return 'gone'
  return expected === null ? 'appeared' : 'changed'
}

/** The very file that the diff names: a link that has come since leads to another one. */
async function placeOf(name: string, cwd: string): Promise<FilePath> {
  const at = await resolveFile(name, cwd)
  if (at.name === name) return at
  throw new ToolFailure(`${name} leads to ${at.shown} by now, which is not the file that was changed.`)
}

async function decoded(at: FilePath, version: FileVersion) {
  const found = await decodeText(version.bytes)
  if (found !== null) return found
  throw new ToolFailure(`${at.shown} is ${binaryKind(version.bytes) ?? 'binary data'} by now, not text.`)
}
