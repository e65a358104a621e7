/** Questions that the screen asks of the state; an answer keeps its identity while what it is made from does. */
import type { Block, PermissionRequest } from '@sluice/engine/protocol'
import type { AppState, FileChange, LiveCall, SessionView } from './state.ts'

export function focused(state: AppState): SessionView | null {
  return state.focus === null ? null : (state.sessions[state.focus] ?? null)
}

/** How many sessions work, need a person, or ended a turn that nobody has looked at yet. */
export type Counts = { sessions: number; working: number; needsYou: number; done: number }

export const counts: (state: AppState) => Counts = stable((state) => {
  const phases = state.order.map((id) => state.sessions[id]?.phase.name)
  return {
    sessions: state.order.length,
    working: phases.filter((name) => name === 'working').length,
    needsYou: phases.filter((name) => name === 'needs-you').length,
    done: state.ui.unseen.length,
  }
})

/** An open question with its session, and when it was asked (ms since 1970, null when unknown). */
export type OpenQuestion = { sessionId: string; request: PermissionRequest; askedAt: number | null }

const questionLists = new WeakMap<AppState['sessions'], readonly OpenQuestion[]>()

/** All open questions of all sessions, in the order of the sessions, oldest first. */
export function openQuestions(state: AppState): readonly OpenQuestion[] {
  const known = questionLists.get(state.sessions)
  if (known) return known
  const list = state.order.flatMap((sessionId) => {
    const view = state.sessions[sessionId]
    if (view === undefined) return []
    return view.approvals.map((request) => ({ sessionId, request, askedAt: askedAt(view, request) }))
  })
  questionLists.set(state.sessions, list)
  return list
}

/** The open question of a session that is shown: the picked one, or the oldest. */
export function shownQuestion(view: SessionView, picked: string | null): PermissionRequest | null {
  return view.approvals.find((request) => request.id === picked) ?? view.approvals[0] ?? null
}

export function askedAt(view: SessionView, request: PermissionRequest): number | null {
  return view.live?.calls.find((call) => call.callId === request.callId)?.since ?? null
}

/** Calls that run now. */
export function running(view: SessionView): readonly LiveCall[] {
  return view.live === null ? [] : view.live.calls.filter((call) => call.status === 'running')
}

export type ChangeTotals = { files: number; additions: number; deletions: number; unreviewed: number }

export function changeTotals(changes: readonly FileChange[]): ChangeTotals {
  const total = { files: changes.length, additions: 0, deletions: 0, unreviewed: 0 }
  for (const change of changes) {
    total.additions += change.additions
    total.deletions += change.deletions
    total.unreviewed += change.unreviewed
  }
  return total
}

/** Lines that the open questions would add and remove, by file. */
export function pendingChanges(approvals: readonly PermissionRequest[]): readonly FileChange[] {
  return approvals.flatMap((request) =>
    request.blocks.flatMap((block: Block) =>
      block.type === 'diff'
        ? [
            {
              path: block.diff.path,
              change: block.diff.change,
              additions: block.diff.additions,
              deletions: block.diff.deletions,
              hunks: block.diff.hunks.length,
              edits: 0,
              unreviewed: 0,
            },
          ]
        : [],
    ),
  )
}

/** Applied edits that no passed check has seen. */
export function unverifiedEdits(view: SessionView): number {
  return view.verification.edits - view.verification.verified
}

/** Wraps a selector so that equal answers are the same object. */
function stable<T extends Record<string, unknown>>(select: (state: AppState) => T): (state: AppState) => T {
  let last: T | null = null
  return (state) => {
    const next = select(state)
    const same = last !== null && Object.keys(next).every((key) => last?.[key] === next[key])
    if (same && last !== null) return last
    last = next
    return next
  }
}
