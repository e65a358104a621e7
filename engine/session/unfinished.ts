/** What records tell of a turn that has no end: the words that had come of its reply, and how long it was worked on. */
import type { AgentEvent, AssistantMessage } from '../protocol/index.ts'
import { recordTime } from './record-time.ts'

export function createUnfinished() {
  let text = ''
  let reasoning = ''
  let worked = 0
  /** When the last record was written, as long as the process goes on that wrote it. */
  let last: number | null = null

  const pass = (event: AgentEvent) => {
    // Nobody works between two processes.
    if (event.type === 'session_start') last = null
    if (event.type === 'turn_start') worked = 0
    if (event.turnId === null) return
    const at = recordTime(event.time)
    if (Number.isNaN(at)) return
    if (last !== null && event.type !== 'turn_start') worked += Math.max(0, at - last)
    last = at
  }
  return {
    see(event: AgentEvent) {
      pass(event)
      if (event.type === 'partial') {
        text += event.text
        reasoning += event.reasoning ?? ''
      } else if (endsReply(event)) {
        text = ''
        reasoning = ''
      }
    },
    /** Null when nothing came, or the whole reply is in the record. */
    reply(): AssistantMessage | null {
      if (text === '' && reasoning === '') return null
      return { role: 'assistant', content: text, ...(reasoning === '' ? {} : { reasoning }) }
    },
    durationMs: () => worked,
  }
}

function endsReply(event: AgentEvent): boolean {
  switch (event.type) {
    case 'message':
      return event.message.role === 'assistant'
    case 'notice':
      // It was asked for again.
      return event.code === 'model_retry'
    case 'turn_start':
    case 'turn_end':
    case 'usage':
    case 'tool_proposed':
    case 'tool_result':
      return true
    default:
      return false
  }
}
