/** Changed files and checks as they were before each turn and each rewind, so that a rewind can bring them back. */
import type { AgentEvent, Rewound } from '@sluice/engine/protocol'
import type { FileChange, Mark, SessionView, Verification } from '../state.ts'

export function marks(view: SessionView, event: AgentEvent): Mark | null {
  const id = event.type === 'turn_start' ? event.turnId : event.type === 'rewound' ? event.rewound.id : null
  return id === null ? view.marks : { id, changes: view.changes, verification: view.verification, before: view.marks }
}

/** Files that were put back have the changes they had then; the others keep theirs. */
export function changesAfter(view: SessionView, { toTurnId, undoes, files }: Rewound): readonly FileChange[] {
  const restored = new Set(files.filter(({ how }) => how !== 'failed').map(({ path }) => path))
  if (restored.size === 0) return view.changes
  const then = markOf(view.marks, undoes ?? toTurnId)?.changes ?? []
  const kept = view.changes.filter(({ path }) => !restored.has(path))
  const back = then.filter(({ path }) => restored.has(path))
  return [...kept, ...back]
}

/** Where every file is as it was, checks count as they did; else something is there that no check has seen. */
export function verificationAfter(view: SessionView, { toTurnId, undoes, files, kept }: Rewound): Verification {
  const now = view.verification
  if (!files.some(({ how }) => how !== 'failed')) return now
  const whole = kept.length === 0 && files.every(({ how }) => how !== 'failed')
  const then = whole ? markOf(view.marks, undoes ?? toTurnId)?.verification : undefined
  return then ?? { ...now, edits: now.edits + 1 }
}

function markOf(last: Mark | null, id: string | null): Mark | null {
  for (let mark = last; mark !== null; mark = mark.before) if (mark.id === id) return mark
  return null
}
