/** Counters: the turn, the tokens and money of the session, the context's fill. */
import type { AgentEvent } from '@sluice/engine/protocol'
import { type ContextView, emptyView, type SessionView, type TurnMeter, type UsageTotals } from '../state.ts'

export function turn(view: SessionView, event: AgentEvent): TurnMeter | null {
  const now = view.turn
  if (event.type === 'turn_start') {
    return {
      id: event.turnId ?? '',
      startedAt: Date.parse(event.time),
      durationMs: null,
      replies: 0,
      calls: 0,
      tokens: 0,
      costUsd: 0,
    }
  }
  if (now === null || now.durationMs !== null) return now
  switch (event.type) {
    case 'message':
      return event.message.role === 'assistant' ? { ...now, replies: now.replies + 1 } : now
    case 'tool_result':
      return { ...now, calls: now.calls + 1 }
    case 'usage':
      return {
        ...now,
        tokens: now.tokens + event.usage.totalTokens,
        costUsd: now.costUsd + (event.usage.costUsd ?? 0),
      }
    case 'turn_end':
      return { ...now, durationMs: event.durationMs, replies: event.replies, calls: event.calls }
    default:
      return now
  }
}

export function usage(view: SessionView, event: AgentEvent): UsageTotals {
  const now = view.usage
  // What the copied records cost was counted where they come from.
  if (event.type === 'session_start') return event.forkedFrom === undefined ? now : emptyView(view.id).usage
  if (event.type !== 'usage') return now
  const one = event.usage
  return {
    replies: now.replies + 1,
    inputTokens: now.inputTokens + one.inputTokens,
    outputTokens: now.outputTokens + one.outputTokens,
    totalTokens: now.totalTokens + one.totalTokens,
    cachedInputTokens: now.cachedInputTokens + (one.cachedInputTokens ?? 0),
    costUsd: now.costUsd + (one.costUsd ?? 0),
    costKnown: now.costKnown && one.costUsd !== undefined,
    estimated: now.estimated || (one.estimated ?? false),
  }
}

export function context(view: SessionView, event: AgentEvent): ContextView {
  const now = view.context
  switch (event.type) {
    case 'context':
      return {
        budget: event.budget,
        used: event.budget.used,
        evidence: event.evidence,
        omitted: event.omitted,
        instructions: event.instructions,
      }
    case 'usage':
      return { ...now, used: event.usage.inputTokens + event.usage.outputTokens }
    case 'compaction':
      return { ...now, used: event.afterTokens }
    case 'cleared':
      return { ...now, used: 0, evidence: [], omitted: [] }
    default:
      return now
  }
}
