/** The open questions, and whether the session works, waits for a person or rests. */
import type { AgentEvent, PermissionRequest } from '@sluice/engine/protocol'
import type { Phase, SessionView } from '../state.ts'

const none: readonly PermissionRequest[] = []

export function approvals(view: SessionView, event: AgentEvent): readonly PermissionRequest[] {
  const open = view.approvals
  switch (event.type) {
    case 'approval_request': {
      const index = open.findIndex((request) => request.id === event.request.id)
      return index === -1 ? [...open, event.request] : open.with(index, event.request)
    }
    case 'approval_decision':
      return without(open, (request) => request.id === event.id)
    case 'tool_result':
      return without(open, (request) => request.callId === event.call.id)
    // Nobody can answer what an ended turn or a former process asked; a resumed one asks again.
    case 'session_start':
    case 'session_end':
    case 'turn_end':
      return open.length === 0 ? open : none
    default:
      return open
  }
}

/** `open` are the questions after the event. */
export function phase(view: SessionView, event: AgentEvent, open: readonly PermissionRequest[]): Phase {
  const now = view.phase
  switch (event.type) {
    case 'session_start':
    case 'turn_end':
      return now.name === 'idle' ? now : { name: 'idle' }
    case 'session_end':
      return { name: 'ended' }
    case 'turn_start':
      return { name: 'working', state: 'build_context', startedAt: Date.parse(event.time) }
    case 'state': {
      // A turn that a former process began goes on without beginning again.
      if (now.name === 'idle' && event.turnId !== null && event.name !== 'idle' && event.name !== 'done')
        return { name: 'working', state: event.name, startedAt: Date.parse(event.time) }
      if (now.name !== 'working' && now.name !== 'needs-you') return now
      return now.state === event.name ? now : { ...now, state: event.name }
    }
    case 'approval_request':
      if (now.name === 'needs-you') return now
      return {
        name: 'needs-you',
        state: now.name === 'working' ? now.state : 'await_approval',
        startedAt: now.name === 'working' ? now.startedAt : Date.parse(event.time),
        since: Date.parse(event.time),
      }
    case 'approval_decision':
    case 'tool_result':
      if (now.name !== 'needs-you' || open.length > 0) return now
      return { name: 'working', state: now.state, startedAt: now.startedAt }
    default:
      return now
  }
}

function without(
  open: readonly PermissionRequest[],
  test: (request: PermissionRequest) => boolean,
): readonly PermissionRequest[] {
  return open.some(test) ? open.filter((request) => !test(request)) : open
}
