/** Lets a person look afterwards at what was applied without them: to keep it, to take parts back, and to undo that. */
import { applySelection, fileDiff, mergeTexts, type TakenBack, takeBack, unifiedDiff } from '../change/index.ts'
import type { AuditSink, Clock, Digest, FileLedger, ReviewedFile, ReviewedFiles } from '../ports/index.ts'
import { ToolFailure } from '../ports/index.ts'
import type {
  ChangeStanding,
  FileDiff,
  Hunk,
  KeptLines,
  PermissionMode,
  Review,
  ReviewDebt,
  ReviewOutcome,
  Unreviewed,
} from '../protocol/index.ts'
import type { ReviewLedger } from './review-ledger.ts'

export type ReviewPorts = {
  cwd: string
  ledger: ReviewLedger
  /** Absent: everything can be kept, and nothing taken back. */
  files?: ReviewedFiles
  /** The bytes of a version that was kept, by their hash; null when it was not. */
  original?(hash: string): Promise<Uint8Array | null>
  seen: FileLedger
  audit: AuditSink
  clock: Clock
  digest: Digest
  mode(): PermissionMode
  /** A turn runs: files belong to it, and the history too. */
  busy(): boolean
  /** Records the review, and tells the model where something was taken back. */
  record(review: Review): void
}

export function createReviewDebt(ports: ReviewPorts): ReviewDebt {
  const find = (id: string) => ports.ledger.waiting().find((one) => one.id === id)
  /** One after the other: each is judged on what the one before left. */
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = (run: () => Promise<ReviewOutcome>): Promise<ReviewOutcome> => {
    const next = last.then(run).catch((error: unknown) => failed(messageOf(error)))
    last = next
    return next
  }

  return {
    list: () => ports.ledger.waiting(),
    async standing(id) {
      const change = find(id)
      if (change === undefined) return null
      try {
        const file = (await ports.files?.read(change.diff.path, ports.cwd)) ?? null
        return standingOf({ diff: change.diff, file, old: await oldText(change.diff, ports) })
      } catch (error) {
        return { same: false, conflicts: every(change.diff, messageOf(error)) }
      }
    },
    settle: (id, kept, message) =>
      inTurn(async () => {
        const change = find(id)
        if (change === undefined) return failed('That change was reviewed already.')
        const parts = partsOf(change.diff.hunks, kept)
        const review = { ...reviewOf(change, ports), ...parts, ...(message ? { message } : {}) }
        if (parts.reverted.length === 0) return recorded(ports, { ...review, change: null })
        return rewrite(ports, change, change.diff, kept, (made) => ({ ...review, change: made }))
      }),
    undoable: () => ports.ledger.undoable().map(({ review }) => review),
    undo: (reviewId) =>
      inTurn(async () => {
        const known = ports.ledger.undoable().find(({ review }) => review.id === reviewId)
        if (known === undefined) return failed('There is nothing of it to undo.')
        const { change, review } = known
        const undone = { ...reviewOf(change, ports), kept: [], reverted: review.reverted, undoes: review.id }
        if (review.change === null) return recorded(ports, { ...undone, change: null })
        return rewrite(ports, change, review.change, {}, (made) => ({ ...undone, change: made }))
      }),
  }
}

/** What the model is told, as the person's words; '' where nothing changed for it. */
export function reviewMessage({ tool, path, kept, reverted, change, message, undoes }: Review): string {
  if (change === null) return message ?? ''
  const all = kept.length + reverted.length
  const which = all === 1 || kept.length === 0 ? 'all of it' : `${hunksNamed(reverted)} of ${all}`
  const what =
    undoes === undefined
      ? `I looked at the change that your ${tool} made to ${path} and took back ${which}.`
      : `I put back what I had taken back of the change that your ${tool} made to ${path}.`
  const lines = [what, 'The file was changed by this diff:', unifiedDiff(change).trimEnd()]
  return [...lines, ...(message ? [message] : [])].join('\n')
}

function hunksNamed(hunks: readonly number[]): string {
  const numbers = hunks.map((hunk) => hunk + 1)
  return `${numbers.length === 1 ? 'hunk' : 'hunks'} ${numbers.join(', ')}`
}

/** Checks, writes and records; nothing is recorded unless the file was written. */
async function rewrite(
  ports: ReviewPorts,
  change: Unreviewed,
  diff: FileDiff,
  kept: KeptLines,
  toReview: (made: FileDiff) => Review,
): Promise<ReviewOutcome> {
  if (ports.files === undefined) return failed('Files cannot be written here.')
  if (ports.busy()) return failed('A change is taken back between turns: wait until the turn ends, or interrupt it.')
  const startedAt = ports.clock.monotonic()
  const file = await ports.files.read(diff.path, ports.cwd)
  const sides: Sides = { diff, file, old: await oldText(diff, ports) }
  const { text: left, conflicts } = taken(sides, kept)
  if (Object.keys(conflicts).length > 0) {
    return { ok: false, problem: 'The file changed since: what cannot be taken back is marked.', conflicts }
  }
  // A file that the change made is taken away again when nothing of it, and nothing else, is left.
  const text = left === '' && diff.change === 'create' ? null : left
  const made = fileDiff({
    path: diff.path,
    oldText: file?.text ?? null,
    newText: text,
    oldHash: file?.hash ?? null,
    newHash: null,
  })
  if (made.hunks.length === 0 && (file === null) === (text === null)) return failed('Nothing of it would change.')
  const review = toReview(made)
  const digest = ports.digest.sha256(`review\n${unifiedDiff(made)}\n${made.oldHash}`)
  // Not written over what came meanwhile: `write` takes the version that was read, or refuses.
  const decided = (outcome: 'allow' | 'deny') =>
    ports.audit.record(
      {
        type: 'decision',
        callId: change.callId,
        requestId: review.id,
        tool: change.tool,
        kind: 'edit',
        title: diff.path,
        cwd: ports.cwd,
        mode: ports.mode(),
        needs: [],
        risk: { level: 'write-inside', reason: review.undoes ? 'the person puts it back' : 'the person takes it back' },
        verdict: 'ask',
        outcome,
        decidedBy: 'person',
        rule: null,
        reason: review.undoes ? 'a review was undone' : 'the person took back a change that nobody had looked at',
        digestShown: digest,
        digestPermitted: digest,
        latencyMs: 0,
        step: 'review',
        ...(review.message === undefined ? {} : { message: review.message }),
      },
      change.turnId,
    )
  const ended = (ok: boolean, error?: string) =>
    ports.audit.record(
      {
        type: 'outcome',
        callId: change.callId,
        tool: change.tool,
        ok,
        digestApplied: ok ? digest : null,
        durationMs: Math.round(ports.clock.monotonic() - startedAt),
        step: 'review',
        ...(error === undefined ? {} : { error }),
      },
      change.turnId,
    )
  decided('allow')
  let hash: string | null
  try {
    hash = (await ports.files.write(diff.path, ports.cwd, text, file?.hash ?? null)).hash
  } catch (error) {
    ended(false, error instanceof ToolFailure ? error.code : 'INTERNAL')
    return failed(messageOf(error))
  }
  ended(true)
  noteSeen(ports.seen, file, hash)
  return recorded(ports, { ...review, change: { ...made, newHash: hash } })
}

/** The model knows the new version when it knew the one before: it is told the difference. */
function noteSeen(seen: FileLedger, before: ReviewedFile | null, hash: string | null): void {
  if (before === null) return
  const known = seen.get(before.path)
  if (hash === null) seen.forget(before.path)
  else if (known?.hash === before.hash) seen.note(before.path, { hash, whole: known.whole })
}

function recorded(ports: ReviewPorts, review: Review): ReviewOutcome {
  ports.record(review)
  return { ok: true, review }
}

function reviewOf({ turnId, callId, tool, diff }: Unreviewed, { clock }: ReviewPorts) {
  return { id: clock.id('review'), turnId, callId, tool, path: diff.path }
}

/** A change, its file by now, and the text that it was made from, where that was kept. */
type Sides = { diff: FileDiff; file: ReviewedFile | null; old: string | null }

async function oldText({ oldHash, hunks }: FileDiff, { files, original }: ReviewPorts): Promise<string | null> {
  const bytes = oldHash === null ? null : await original?.(oldHash)
  const text = oldHash === null ? '' : bytes ? await files?.decode(bytes) : null
  // A stored diff may be another one than was applied: marks stand in it where secrets were.
  return typeof text === 'string' && isFrom(text, hunks) ? text : null
}

function isFrom(text: string, hunks: readonly Hunk[]): boolean {
  try {
    applySelection(text, hunks, {})
    return true
  } catch {
    return false
  }
}

/** Which hunks could not be taken back, each by itself. */
function standingOf(sides: Sides): ChangeStanding {
  const { diff, file } = sides
  const found = taken(sides, hunksAs(diff, [])).conflicts
  const conflicts = Object.entries(found).filter(([index]) => {
    const alone = { ...hunksAs(diff, true), [index]: [] }
    return Object.keys(taken(sides, alone).conflicts).length > 0
  })
  return { same: (file?.hash ?? null) === diff.newHash, conflicts: Object.fromEntries(conflicts) }
}

/**
 * Three texts are merged where the first is known: what the call left, the same without what is taken back, and the file
 * as it is now. Where it is not, or where lines beside the change were changed too, the hunks are looked for.
 */
function taken({ diff, file, old }: Sides, kept: KeptLines): TakenBack {
  const same = (file?.hash ?? null) === diff.newHash
  if (file === null && !same && diff.change !== 'delete') {
    return { text: '', conflicts: wanted(diff, kept, 'the file is not there any more') }
  }
  const lost = old === null ? redactedHunks(diff, kept) : {}
  const text = file?.text ?? ''
  if (Object.keys(lost).length > 0)
    return { text, conflicts: { ...takeBack(text, diff.hunks, kept, same).conflicts, ...lost } }
  if (!same && old !== null) {
    const base = applySelection(old, diff.hunks, hunksAs(diff, true))
    const merged = mergeTexts(base, text, applySelection(old, diff.hunks, kept))
    if (merged !== null) return { text: merged, conflicts: {} }
  }
  return takeBack(text, diff.hunks, kept, same)
}

/** A stored diff has marks where secrets stood: its old lines are not what the file had. */
function redactedHunks({ hunks }: FileDiff, kept: KeptLines): Record<number, string> {
  const why = 'the record keeps no secrets, so the old lines are not known'
  const lost = (hunk: Hunk) => hunk.lines.some(({ kind, text }) => kind === 'del' && text.includes('[redacted: '))
  const found = [...hunks.entries()].filter(([index, hunk]) => kept[index] !== true && lost(hunk))
  return Object.fromEntries(found.map(([index]) => [index, why]))
}

function partsOf(hunks: readonly Hunk[], kept: KeptLines): { kept: number[]; reverted: number[] } {
  const stays = (hunk: Hunk, index: number) => {
    const part = kept[index] ?? []
    return part === true || hunk.lines.every((line, i) => line.kind === 'context' || part.includes(i))
  }
  const indices = [...hunks.keys()]
  return {
    kept: indices.filter((index) => stays(hunks[index] as Hunk, index)),
    reverted: indices.filter((index) => !stays(hunks[index] as Hunk, index)),
  }
}

function hunksAs({ hunks }: FileDiff, part: true | number[]): KeptLines {
  return Object.fromEntries([...hunks.keys()].map((index) => [index, part]))
}

function wanted(diff: FileDiff, kept: KeptLines, why: string): Record<number, string> {
  return Object.fromEntries([...diff.hunks.keys()].filter((i) => kept[i] !== true).map((i) => [i, why]))
}

function every(diff: FileDiff, why: string): Record<number, string> {
  return wanted(diff, {}, why)
}

function failed(problem: string): ReviewOutcome {
  return { ok: false, problem, conflicts: {} }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
