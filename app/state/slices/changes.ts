/** Files that the session changed, and what has been checked since. */
import type { AgentEvent, FileDiff, Review } from '@sluice/engine/protocol'
import type { FileChange, SessionView, Verification } from '../state.ts'
import { changesAfter, verificationAfter } from './marks.ts'

const keptResults = 8

export function changes(view: SessionView, event: AgentEvent): readonly FileChange[] {
  if (event.type === 'reviewed') return withReview(view.changes, event.review)
  if (event.type === 'rewound') return changesAfter(view, event.rewound)
  if (event.type !== 'tool_result' || !isAppliedEdit(event)) return view.changes
  const decision = view.live?.calls.find((call) => call.callId === event.call.id)?.decision
  const reviewed = decision?.by === 'person'
  return diffsOf(event).reduce<readonly FileChange[]>((list, diff) => withDiff(list, diff, reviewed), view.changes)
}

export function verification(view: SessionView, event: AgentEvent): Verification {
  const now = view.verification
  if (event.type === 'tool_result') return isAppliedEdit(event) ? { ...now, edits: now.edits + 1 } : now
  if (event.type === 'reviewed') return event.review.change === null ? now : { ...now, edits: now.edits + 1 }
  if (event.type === 'rewound') return verificationAfter(view, event.rewound)
  if (event.type !== 'verification') return now
  const { result } = event
  const others = now.results.filter((one) => one.result.command !== result.command)
  return {
    results: [...others, { result, editsBefore: now.edits }].slice(-keptResults),
    edits: now.edits,
    verified: result.passed ? now.edits : now.verified,
  }
}

/** One look less to take, or one more where a look was undone; what was taken back is not counted as changed any more. */
function withReview(list: readonly FileChange[], { path, change, undoes }: Review): readonly FileChange[] {
  const index = list.findIndex((one) => one.path === path)
  const before = list[index]
  if (before === undefined) return list
  const unreviewed = Math.max(0, before.unreviewed + (undoes === undefined ? -1 : 1))
  if (change === null) return list.with(index, { ...before, unreviewed })
  const sign = undoes === undefined ? -1 : 1
  const added = undoes === undefined ? change.deletions : change.additions
  const removed = undoes === undefined ? change.additions : change.deletions
  const additions = Math.max(0, before.additions + sign * added)
  const deletions = Math.max(0, before.deletions + sign * removed)
  const hunks = Math.max(0, before.hunks + sign * change.hunks.length)
  return list.with(index, { ...before, additions, deletions, hunks, unreviewed })
}

/** Edits report `newHash` in their metadata; a command that prints a diff does not. */
function isAppliedEdit(event: AgentEvent & { type: 'tool_result' }): boolean {
  return event.result.ok && 'newHash' in event.result.metadata
}

function diffsOf(event: AgentEvent & { type: 'tool_result' }): FileDiff[] {
  return event.blocks.flatMap((block) => (block.type === 'diff' ? [block.diff] : []))
}

function withDiff(list: readonly FileChange[], diff: FileDiff, reviewed: boolean): readonly FileChange[] {
  const index = list.findIndex((one) => one.path === diff.path)
  const before = list[index]
  const unreviewed = reviewed ? 0 : 1
  if (before === undefined) {
    const { path, change, additions, deletions } = diff
    return [...list, { path, change, additions, deletions, hunks: diff.hunks.length, edits: 1, unreviewed }]
  }
  return list.with(index, {
    path: diff.path,
    change: diff.change === 'edit' ? before.change : diff.change,
    additions: before.additions + diff.additions,
    deletions: before.deletions + diff.deletions,
    hunks: before.hunks + diff.hunks.length,
    edits: before.edits + 1,
    unreviewed: before.unreviewed + unreviewed,
  })
}
