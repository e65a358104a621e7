/** Which events are worth calling a person back for who looks elsewhere. */
import type { AgentEvent } from '@sluice/engine/protocol'
import type { NotifyEvent } from '../terminal/notify.ts'

/** Null for everything that can wait, and for what the person did themselves. */
export function personWanted(event: AgentEvent): NotifyEvent | null {
  if (event.type === 'approval_request') return 'needs-you'
  if (event.type !== 'turn_end' || event.reason === 'user_abort') return null
  return event.reason === 'final_answer' ? 'done' : 'failed'
}
