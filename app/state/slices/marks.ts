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

/** Where every file is as it was, checks count as they did; else something is there that no check has seen. */
export function verificationAfter(view: SessionView, rewound: Rewound): Verification {
  const { files, kept, call } = rewound
  const now = view.verification
  if (!files.some(({ how }) => how !== 'failed')) return now
  // Where one call was undone, others may have changed files since.
  const whole = call === undefined && kept.length === 0 && files.every(({ how }) => how !== 'failed')
  const then = whole ? markOf(view.marks, targetOf(rewound))?.verification : undefined
  return then ?? { ...now, edits: now.edits + 1 }
}

function markOf(last: Mark | null, id: string | null): Mark | null {
  for (let mark = last; mark !== null; mark = mark.before) if (mark.id === id) return mark
  return null
}
