/** What calls that may change files are called, from their proposals: so that a person knows one of them again later. */
import { type AgentEvent, shorten } from '../protocol/index.ts'

export interface CallTitles {
  see(event: AgentEvent): void
  /** One line; undefined for a call that was never proposed. */
  of(turnId: string, callId: string): string | undefined
}

const mostChars = 200

/** A provider may use the id of a call again in a later turn. */
const keyOf = (turnId: string | null, callId: string) => `${turnId}\n${callId}`

export function createCallTitles(): CallTitles {
  const titles = new Map<string, string>()
  return {
    see(event) {
      if (event.type !== 'tool_proposed' || (event.kind !== 'edit' && event.kind !== 'execute')) return
      const line = event.title.split('\n', 1)[0] ?? ''
      const title = shorten(line, mostChars)
      titles.set(keyOf(event.turnId, event.call.id), title)
    },
    of: (turnId, callId) => titles.get(keyOf(turnId, callId)),
  }
}
