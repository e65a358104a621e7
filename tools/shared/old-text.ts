/** The text of a file as a diff has it, for those who want to see more of it than its hunks show. */
import { readVersion } from './file-version.ts'
import { resolvePath } from './paths.ts'
import { decodeText } from './text-encoding.ts'

/** Null when the file at `path` (from `cwd`) is not the version with that sha256 any more, or cannot be read as text. */
export async function oldText(cwd: string, path: string, hash: string | null): Promise<string | null> {
  if (hash === null) return null
  try {
    const at = await resolvePath(path, cwd)
    const version = await readVersion(at.path, at.shown)
    return version?.hash === hash ? ((await decodeText(version.bytes))?.text ?? null) : null
  } catch {
    return null
  }
}
