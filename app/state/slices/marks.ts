/** Changed files and checks as they were before each turn, call and rewind, so that a rewind can bring them back. */
import type { AgentEvent, Rewound } from '@sluice/engine/protocol'
import type { FileChange, Mark, SessionView, Verification } from '../state.ts'

export function marks(view: SessionView, event: AgentEvent): Mark | null {
  const id = markIdOf(view, event)
  return id === null ? view.marks : { id, changes: view.changes, verification: view.verification, before: view.marks }
}

/** Calls that change no files need none. */
function markIdOf(view: SessionView, event: AgentEvent): string | null {
  if (event.type === 'turn_start') return event.turnId
  if (event.type === 'rewound') return event.rewound.id
  if (event.type !== 'tool_start') return null
  const kind = view.live?.calls.find(({ callId }) => callId === event.call.id)?.toolKind
  return kind === 'edit' || kind === 'execute' ? callMark(event.turnId, event.call.id) : null
}

function callMark(turnId: string | null, callId: string): string {
  return `${turnId}\n${callId}`
}

/** The mark to go back to. */
function targetOf({ undoes, toTurnId, call }: Rewound): string | null {
  return undoes ?? (call === undefined ? toTurnId : callMark(toTurnId, call.callId))
}

/** Files that were put back have the changes they had then; the others keep theirs. */
export function changesAfter(view: SessionView, rewound: Rewound): readonly FileChange[] {
  const { files } = rewound
  const restored = new Set(files.filter(({ how }) => how !== 'failed').map(({ path }) => path))
  if (restored.size === 0) return view.changes
  const then = markOf(view.marks, targetOf(rewound))?.changes ?? []
  const kept = view.changes.filter(({ path }) => !restored.has(path))
  const back = then.filter(({ path }) => restored.has(path))
  return [...kept, ...back]
}

/**
 * Where every file is as it was, checks count as they did. Else something is there that no check has seen: the edits that
 * stayed, and at the least the files as they are now.
 */
export function verificationAfter(view: SessionView, rewound: Rewound): Verification {
  const now = view.verification
  const restored = new Set(rewound.files.flatMap(({ how, path }) => (how === 'failed' ? [] : [path])))
  if (restored.size === 0) return now
  const mark = markOf(view.marks, targetOf(rewound))
  const others = (list: readonly FileChange[]) => list.filter(({ path }) => !restored.has(path))
  const whole = rewound.kept.length === 0 && restored.size === rewound.files.length
  if (mark !== null && whole && sameChanges(others(view.changes), others(mark.changes))) return mark.verification
  const edits = now.edits + 1
  const gone = editsOf(view.changes, restored) - editsOf(mark?.changes ?? [], restored)
  const left = Math.max(1, now.edits - now.verified - Math.max(0, gone))
  return { ...now, edits, verified: edits - left }
}

/** Since a mark, no file was changed that was not put back: of one call that was undone, others may have changed more. */
function sameChanges(now: readonly FileChange[], then: readonly FileChange[]): boolean {
  const words = ({ path, edits, additions, deletions }: FileChange) => `${path}\n${edits} ${additions} ${deletions}`
  const known = new Set(then.map(words))
  return now.length === then.length && now.every((change) => known.has(words(change)))
}

function editsOf(changes: readonly FileChange[], paths: ReadonlySet<string>): number {
  return changes.reduce((sum, { path, edits }) => sum + (paths.has(path) ? edits : 0), 0)
}

function markOf(last: Mark | null, id: string | null): Mark | null {
  for (let mark = last; mark !== null; mark = mark.before) if (mark.id === id) return mark
  return null
}
