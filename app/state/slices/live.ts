/** The streaming reply and the calls that have no result yet. */
import type { AgentEvent, PermissionRequest } from '@sluice/engine/protocol'
import { appendTail, emptyTail, retainBlocks } from '../retain.ts'
import type { Live, LiveCall, SessionView } from '../state.ts'
import { callKey } from './settled.ts'

const none: Live = { text: '', reasoning: '', calls: [] }

export function live(view: SessionView, event: AgentEvent): Live | null {
  const now = view.live ?? none
  switch (event.type) {
    case 'session_start':
    case 'session_end':
    case 'turn_end':
      return null
    case 'turn_start':
      return none
    case 'text_delta':
      return { ...now, text: now.text + event.text }
    case 'reasoning_delta':
      return { ...now, reasoning: now.reasoning + event.text }
    case 'message':
      return event.message.role === 'user' || view.live === null ? view.live : { ...now, text: '', reasoning: '' }
    case 'notice':
      // The reply is asked for again: what came of the first attempt is not part of it.
      return event.code === 'model_retry' && view.live !== null ? { ...now, text: '', reasoning: '' } : view.live
    case 'tool_proposed':
      return withCall(now, {
        id: callKey(event.turnId, event.call),
        callId: event.call.id,
        name: event.call.name,
        title: event.title,
        toolKind: event.kind,
        blocks: retainBlocks(event.blocks),
        decision: null,
        status: 'proposed',
        since: Date.parse(event.time),
        tail: emptyTail,
      })
    case 'approval_request':
      return callsOf(event.request).reduce<Live | null>(
        (live, callId) => waits(live, callId, { status: 'asked', since: Date.parse(event.time) }),
        view.live,
      )
    case 'approval_decision': {
      const { decision } = event
      const request = view.approvals.find((open) => open.id === event.id)
      return (request ? callsOf(request) : [event.callId]).reduce<Live | null>(
        (live, callId) =>
          waits(live, callId, {
            status: decision.type === 'deny' ? 'refused' : 'proposed',
            since: Date.parse(event.time),
            decision: {
              type: decision.type,
              by: event.decidedBy,
              message: decision.type === 'deny' ? (decision.message ?? '') : (decision.note ?? ''),
              rule: decision.type === 'allow' ? (decision.rule?.text ?? null) : null,
            },
          }),
        view.live,
      )
    }
    case 'tool_start':
      return changed(view.live, event.call.id, { status: 'running', since: Date.parse(event.time) })
    case 'tool_output': {
      const call = view.live?.calls.find((one) => one.callId === event.callId)
      return call === undefined
        ? view.live
        : changed(view.live, event.callId, { tail: appendTail(call.tail, event.chunk) })
    }
    case 'tool_result':
      return view.live?.calls.some((call) => call.callId === event.call.id)
        ? { ...view.live, calls: view.live.calls.filter((call) => call.callId !== event.call.id) }
        : view.live
    default:
      return view.live
  }
}

/** What is asked on behalf of a running command (a host, another place to run in) leaves its own decision alone. */
function waits(now: Live | null, callId: string, change: Partial<LiveCall>): Live | null {
  const runs = now?.calls.some((call) => call.callId === callId && call.status === 'running') ?? false
  return runs ? now : changed(now, callId, change)
}

/** The calls that a question is about. */
function callsOf({ callId, changeSet }: PermissionRequest): string[] {
  return changeSet?.map((call) => call.callId) ?? [callId]
}

/** A call may be prepared again (an earlier edit of its reply was refused or amended): it keeps its place. */
function withCall(now: Live, call: LiveCall): Live {
  const index = now.calls.findIndex((one) => one.callId === call.callId)
  return { ...now, calls: index === -1 ? [...now.calls, call] : now.calls.with(index, call) }
}

function changed(now: Live | null, callId: string, change: Partial<LiveCall>): Live | null {
  if (now === null) return null
  const index = now.calls.findIndex((one) => one.callId === callId)
  const call = now.calls[index]
  return call === undefined ? now : { ...now, calls: now.calls.with(index, { ...call, ...change }) }
}
