/** What changed between two snapshots, with the contents kept, and how many lines of it. */
import { join } from 'node:path'
import { fileDiff } from '../../change/index.ts'
import type { Clock, FileEffect, FileState } from '../../ports/index.ts'
import { type Blobs, sha256 } from './blobs.ts'
import { stateOf } from './file-state.ts'
import type { Shadow, Snapshot, TreeSide } from './shadow.ts'

/** Counting lines is worth this much of a call, and no more. */
export const mostCountingMs = 300
const mostChanged = 2_000
const mostTextForCount = 100_000

export type InspectionPorts = {
  workspace: string
  blobs: Blobs
  clock: Clock
  shadow(): Shadow | undefined
  /** A content is too much to be kept. */
  notKept(): void
}

type Counts = Pick<FileEffect, 'additions' | 'deletions'>

export function createInspection({ workspace, blobs, clock, shadow, notKept }: InspectionPorts) {
  async function stateOfBlob(side: NonNullable<TreeSide>, bytes: Buffer | null): Promise<FileState> {
    if (bytes === null) return { kind: 'other', what: 'a file whose content is lost' }
    if (side.link) return { kind: 'link', target: bytes.toString('utf8') }
    const hash = sha256(bytes)
    const kept = await blobs.keep(hash, bytes).catch(() => false)
    return { kind: 'file', hash, size: bytes.length, mode: side.mode, kept }
  }

  /** Null for no file; undefined where there is no text to count lines of. */
  async function textBehind(state: FileState): Promise<string | null | undefined> {
    if (state.kind === 'absent' || state.kind === 'other') return null
    if (state.kind !== 'file' || !state.kept || state.size > mostTextForCount) return undefined
    const bytes = await blobs.read(state.hash)
    return bytes === null || bytes.includes(0) ? undefined : new TextDecoder().decode(bytes)
  }

  /** Nothing is counted any more once the clock says `until`. */
  async function counts(before: FileState, now: FileState, until: number): Promise<Counts> {
    if (clock.monotonic() > until) return { additions: 0, deletions: 0 }
    const [old, fresh] = await Promise.all([textBehind(before), textBehind(now)])
    if (old === undefined || fresh === undefined) return { additions: 0, deletions: 0 }
    const { additions, deletions } = fileDiff({ path: '', oldText: old, newText: fresh, oldHash: null, newHash: null })
    return { additions, deletions }
  }

  /** Rejects with a GitFailure. */
  async function between(from: Snapshot, to: Snapshot, signal: AbortSignal) {
    const git = shadow()
    const files: FileEffect[] = []
    const gaps: string[] = []
    if (git === undefined) return { files, gaps }
    const changes = await git.changes(from, to, signal)
    if (changes.length > mostChanged)
      gaps.push(`${changes.length - mostChanged} of ${changes.length} changed files, which are not kept`)
    const until = clock.monotonic() + mostCountingMs
    // In portions, so that not all contents are in memory at once.
    for (let at = 0; at < Math.min(changes.length, mostChanged); at += portion) {
      const part = changes.slice(at, Math.min(at + portion, mostChanged))
      const sides = part.flatMap(({ before, after }) => [before, after])
      const blobIds = sides.flatMap((side) => (side ? [side.blob] : []))
      const bytes = await git.contents(blobIds, signal)
      const states: FileState[] = []
      for (const side of sides) states.push(side ? await stateOfBlob(side, bytes.shift() ?? null) : absent)
      for (const [i, { path }] of part.entries()) {
        const full = join(workspace, ...path.split('/'))
        const before = states[2 * i] ?? absent
        const after = await withFolder(full, states[2 * i + 1] ?? absent)
        if (before.kind === 'file' && !before.kept) notKept()
        files.push({ path: full, before, after, ...(await counts(before, after, until)) })
      }
    }
    return { files, gaps }
  }

  return { between, counts }
}

const portion = 64
const absent: FileState = { kind: 'absent' }

/** Where a folder took the place of a file, the tree has nothing of that name. */
async function withFolder(path: string, left: FileState): Promise<FileState> {
  if (left.kind !== 'absent') return left
  const now = await stateOf(path)
  return now.kind === 'other' && now.what === 'a folder' ? now : left
}
