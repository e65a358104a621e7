/** The gate: open questions by id, each resolved exactly once; the first answer wins. */
import type { DecidedBy, Decision, PermissionRequest } from '../protocol/index.ts'

export type GateAnswer = { decision: Decision; decidedBy: DecidedBy }

export interface PermissionGate {
  /** Resolves with the first answer, or as denied by `abandoned` when `signal` aborts. Never rejects. */
  ask(request: PermissionRequest, signal: AbortSignal): Promise<GateAnswer>
  /** False when no such question is open, or when the decision is for another digest than the one shown. */
  answer(id: string, decision: Decision, decidedBy?: DecidedBy): boolean
  /** Closes every open question as denied by `abandoned`. */
  abandon(reason: string): void
  open(): readonly PermissionRequest[]
}

export function createPermissionGate(): PermissionGate {
  const pending = new Map<string, { request: PermissionRequest; resolve: (answer: GateAnswer) => void }>()

  const settle = (id: string, answer: GateAnswer): boolean => {
    const entry = pending.get(id)
    if (!entry) return false
    pending.delete(id)
    entry.resolve(answer)
    return true
  }
  const abandoned = (message: string): GateAnswer => ({ decision: { type: 'deny', message }, decidedBy: 'abandoned' })

  return {
    ask(request, signal) {
      return new Promise((resolve) => {
        if (signal.aborted) return resolve(abandoned('interrupted'))
        const abort = () => settle(request.id, abandoned('interrupted'))
        signal.addEventListener('abort', abort, { once: true })
        pending.set(request.id, {
          request,
          resolve: (answer) => {
            signal.removeEventListener('abort', abort)
            resolve(answer)
          },
        })
      })
    },
    answer(id, decision, decidedBy = 'person') {
      const entry = pending.get(id)
      if (!entry) return false
      if (decision.type === 'allow' && decision.digest !== entry.request.digest) return false
      return settle(id, { decision, decidedBy })
    },
    abandon(reason) {
      for (const id of [...pending.keys()]) settle(id, abandoned(reason))
    },
    open: () => [...pending.values()].map((entry) => entry.request),
  }
}
