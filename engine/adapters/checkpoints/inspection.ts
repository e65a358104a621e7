/** What changed between two snapshots, with the contents kept, and how many lines of it. */
import { join, sep } from 'node:path'
import { fileDiff } from '../../change/index.ts'
import type { Clock, FileEffect, FileState } from '../../ports/index.ts'
import { type Blobs, sha256 } from './blobs.ts'
import { ledAway, stateOf } from './file-state.ts'
import type { TreeChange } from './git-output.ts'
import { foldersAbove } from './loose.ts'
import type { Shadow, Snapshot, TreeSide } from './shadow.ts'
import { thereBefore } from './there-before.ts'

/** Counting lines is worth this much of a call, and no more. */
export const mostCountingMs = 1_000
const mostChanged = 5_000
const mostTextForCount = 400_000

export type InspectionPorts = {
  workspace: string
  blobs: Blobs
  clock: Clock
  shadow(): Shadow | undefined
  /** Called for a content that could not be kept; without one where there are too many. */
  notKept(file?: { hash: string }): void
}

type Counts = Pick<FileEffect, 'additions' | 'deletions' | 'uncounted'>
const none: Counts = { additions: 0, deletions: 0 }

export function createInspection({ workspace, blobs, clock, shadow, notKept }: InspectionPorts) {
  async function stateOfBlob(side: NonNullable<TreeSide>, bytes: Buffer | null): Promise<FileState> {
    if (bytes === null) return { kind: 'other', what: 'a file whose content is lost' }
    if (side.link) return { kind: 'link', target: bytes.toString('utf8') }
    const hash = sha256(bytes)
    const kept = await blobs.keep(hash, bytes)
    return { kind: 'file', hash, size: bytes.length, mode: side.mode, kept }
  }

  /**
   * Null for no file; undefined where there are no lines to count, 'lost' where they are not known. `known` are the bytes,
   * where they are at hand.
   */
  async function textBehind(state: FileState, known?: Uint8Array | null) {
    if (state.kind === 'absent' || state.kind === 'other') return null
    if (state.kind !== 'file') return undefined
    const bytes = known ?? (state.kept ? await blobs.read(state.hash) : null)
    if (bytes === null) return 'lost'
    return bytes.includes(0) ? undefined : bytes
  }

  /** Nothing is compared any more once the clock says `until`; that, or too much text, makes the counts incomplete. */
  async function counts(
    before: FileState,
    now: FileState,
    until: number,
    known: { old?: Uint8Array | null; fresh?: Uint8Array | null } = {},
  ): Promise<Counts> {
    const [old, fresh] = await Promise.all([textBehind(before, known.old), textBehind(now, known.fresh)])
    if (old === undefined || fresh === undefined) return none
    if (old === 'lost' || fresh === 'lost') return { ...none, uncounted: true }
    if (old === null) return { ...none, additions: linesOf(fresh) }
    if (fresh === null) return { ...none, deletions: linesOf(old) }
    const late = clock.monotonic() > until
    if (late || old.length + fresh.length > mostTextForCount) return { ...none, uncounted: true }
    const [oldText, newText] = [old, fresh].map((bytes) => new TextDecoder().decode(bytes)) as [string, string]
    const { additions, deletions } = fileDiff({ path: '', oldText, newText, oldHash: null, newHash: null })
    return { additions, deletions }
  }

  /** Rejects with a GitFailure. */
  async function between(from: Snapshot, to: Snapshot, signal: AbortSignal) {
    const git = shadow()
    const files: FileEffect[] = []
    const gaps: string[] = []
    if (git === undefined) return { files, gaps, renamed: new Set<string>() }
    // One that is in no snapshot before was perhaps there all the same; what became of it is told with its like.
    const inSight = ({ path, before }: TreeChange) => before === null && from.loose.files.has(path)
    const found = (await git.changes(from, to, signal)).filter((one) => !inSight(one))
    // Should there be too many, what is lost is worth more than what can be deleted by hand.
    const changes = [...found.filter(({ before }) => before !== null), ...found.filter(({ before }) => before === null)]
    if (changes.length > mostChanged) {
      gaps.push(`${changes.length - mostChanged} of ${changes.length} changed files, which are not kept`)
      if (changes[mostChanged]?.before !== null) notKept()
    }
    const until = clock.monotonic() + mostCountingMs
    // In portions, so that not all contents are in memory at once.
    for (let at = 0; at < Math.min(changes.length, mostChanged); at += portion) {
      const part = changes.slice(at, Math.min(at + portion, mostChanged))
      const sides = part.flatMap(({ before, after }) => [before, after])
      const blobIds = sides.flatMap((side) => (side ? [side.blob] : []))
      const bytes = await git.contents(blobIds, signal)
      const known = sides.map((side) => (side ? (bytes.shift() ?? null) : null))
      const states: FileState[] = await Promise.all(
        sides.map((side, i) => (side ? stateOfBlob(side, known[i] ?? null) : absent)),
      )
      for (const [i, { path }] of part.entries()) {
        const full = join(workspace, ...path.split('/'))
        const before = states[2 * i] ?? absent
        const after = await asLeft(full, states[2 * i + 1] ?? absent, to.large.has(path))
        if (before.kind === 'file' && !before.kept) notKept(before)
        const texts = { old: known[2 * i], fresh: known[2 * i + 1] }
        files.push({ path: full, before, after, ...(await counts(before, after, until, texts)) })
      }
    }
    const own = await thereBefore(workspace, from, files, () => git.files(from, signal))
    return {
      files: own.files.sort((a, b) => (a.path < b.path ? -1 : 1)),
      gaps: [...gaps, ...own.gaps],
      renamed: own.renamed,
    }
  }

  /**
   * Folders that are there and were not, and the reverse for those without a file: the files of the others bring them back.
   * Canonical. Rejects with a GitFailure.
   */
  async function folders(from: Snapshot, to: Snapshot, files: readonly FileEffect[], signal: AbortSignal) {
    const git = shadow()
    const added = files.flatMap(({ path, before }) =>
      before.kind === 'absent' && path.startsWith(workspace + sep)
        ? foldersAbove(
            path
              .slice(workspace.length + 1)
              .split(sep)
              .join('/'),
          )
        : [],
    )
    const candidates = [...new Set([...added, ...to.loose.empty])].filter((path) => !from.loose.folders.has(path))
    const known = candidates.length === 0 || git === undefined ? new Set<string>() : await git.folders(from, signal)
    // Where not all was looked at before, what is not known was perhaps there.
    const unsure = (path: string) =>
      !from.loose.whole && foldersAbove(path).some((above) => from.loose.folders.has(above))
    const made = candidates.filter((path) => !known.has(path) && !unsure(path))
    const gone: string[] = []
    for (const path of from.loose.empty) {
      const full = join(workspace, ...path.split('/'))
      if (to.loose.folders.has(path)) continue
      if ((await ledAway(full)) || (await stateOf(full)).kind === 'absent') gone.push(path)
    }
    const full = (paths: string[]) => paths.slice(0, mostChanged).map((path) => join(workspace, ...path.split('/')))
    return { made: full(made), gone: full(gone) }
  }

  return { between, counts, folders }
}

const portion = 64
const absent: FileState = { kind: 'absent' }

/** The tree has nothing of that name where a folder took the place of a file, or where that has grown too large. */
async function asLeft(path: string, left: FileState, large: boolean): Promise<FileState> {
  if (left.kind !== 'absent') return left
  const now = await stateOf(path)
  return large || (now.kind === 'other' && now.what === 'a folder') ? now : left
}

function linesOf(text: Uint8Array | null): number {
  if (text === null || text.length === 0) return 0
  let lines = text.at(-1) === newline ? 0 : 1
  for (let at = text.indexOf(newline); at >= 0; at = text.indexOf(newline, at + 1)) lines++
  return lines
}

const newline = 10
