/** Which applied changes nobody has looked at: folded from the session's events, live and stored ones alike. */
import type { AgentEvent, FileDiff, Review, Rewound, Unreviewed } from '../protocol/index.ts'

export interface ReviewLedger {
  see(event: AgentEvent): void
  /** What waits for a look, oldest first. */
  waiting(): readonly Unreviewed[]
  /** Reviews that were not undone, oldest first, with the change they were about. */
  undoable(): readonly { review: Review; change: Unreviewed }[]
}

/** Enough to go back on what was decided lately. */
const mostUndoable = 50

export function createReviewLedger(): ReviewLedger {
  let waiting: Unreviewed[] = []
  let done: { review: Review; change: Unreviewed }[] = []
  /** Questions of the running turn → the calls they are about. */
  let asked = new Map<string, string[]>()
  let looked = new Set<string>()
  /** What waited when a turn or a rewind began. */
  const before = new Map<string, Unreviewed[]>()
  /** Where in the records a call began, and where a change was made. */
  const begun = new Map<string, number>()
  const madeAt = new WeakMap<Unreviewed, number>()

  const seeReview = (review: Review): void => {
    if (review.undoes !== undefined) {
      const undone = done.find((one) => one.review.id === review.undoes)
      if (undone === undefined) return
      done = done.filter((one) => one !== undone)
      waiting = [...waiting, undone.change].sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
      return
    }
    const change = waiting.find((one) => one.turnId === review.turnId && one.callId === review.callId)
    if (change === undefined) return
    waiting = waiting.filter((one) => one !== change)
    done = [...done, { review, change }].slice(-mostUndoable)
  }

  /** Files that were put back have only those changes that they had then. */
  const seeRewound = ({ id, toTurnId, undoes, files, call }: Rewound): void => {
    const start = call === undefined ? undefined : begun.get(`${toTurnId}\n${call.callId}`)
    const then =
      start === undefined
        ? (before.get(undoes ?? toTurnId ?? '') ?? [])
        : waiting.filter((change) => (madeAt.get(change) ?? 0) < start)
    const back = new Set(files.filter(({ how }) => how !== 'failed').map(({ path }) => path))
    before.set(id, waiting)
    waiting = [
      ...waiting.filter(({ diff }) => !back.has(diff.path)),
      ...then.filter(({ diff }) => back.has(diff.path)),
    ].sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
    done = done.filter(({ change }) => !back.has(change.diff.path))
  }

  return {
    see(event) {
      switch (event.type) {
        case 'turn_start':
          before.set(event.turnId ?? '', waiting)
          asked = new Map()
          looked = new Set()
          break
        case 'approval_request': {
          const { request } = event
          asked.set(request.id, [request.callId, ...(request.changeSet ?? []).map(({ callId }) => callId)])
          break
        }
        case 'approval_decision':
          if (event.decidedBy !== 'person' || event.decision.type !== 'allow') break
          for (const callId of asked.get(event.id) ?? [event.callId]) looked.add(callId)
          break
        case 'tool_start':
          begun.set(`${event.turnId}\n${event.call.id}`, event.seq)
          break
        case 'tool_result': {
          const diff = appliedDiff(event)
          if (diff === null || looked.has(event.call.id)) break
          const { turnId, call, time } = event
          const change = { id: `${turnId ?? ''}/${call.id}`, turnId, callId: call.id, tool: call.name, time, diff }
          madeAt.set(change, event.seq)
          waiting = [...waiting, change]
          break
        }
        case 'reviewed':
          seeReview(event.review)
          break
        case 'rewound':
          seeRewound(event.rewound)
          break
        default:
          break
      }
    },
    waiting: () => waiting,
    undoable: () => done,
  }
}

/** Edits report `newHash` in their metadata; a command that prints a diff does not. */
function appliedDiff({ result, blocks }: AgentEvent & { type: 'tool_result' }): FileDiff | null {
  if (!result.ok || !('newHash' in result.metadata)) return null
  const block = blocks.find((one) => one.type === 'diff')
  return block?.type === 'diff' && block.diff.hunks.length > 0 ? block.diff : null
}
