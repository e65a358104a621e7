/** What the screen itself can want: the actions beside AgentEvents. */
import type { AgentEvent } from '@sluice/engine/protocol'
import type { TrustView } from './state.ts'

export type UiAction =
  /** Brings a session to the front; an unknown id changes nothing. */
  | { type: 'ui_focus'; sessionId: string }
  /** Takes a session off the screen; its focus goes to its neighbour. */
  | { type: 'ui_close_session'; sessionId: string }
  /** Processes of background commands that are gone. */
  | { type: 'ui_ended'; pids: readonly number[] }
  /** Replays a stored session in one step. */
  | { type: 'ui_load'; events: readonly AgentEvent[] }
  | { type: 'ui_overlay'; overlay: { name: string; argument?: string } | null }
  | { type: 'ui_panel'; shown: boolean }
  | { type: 'ui_reading'; reading: boolean }
  | { type: 'ui_answering'; answering: boolean }
  /** Shows this one of the open questions. */
  | { type: 'ui_question'; requestId: string | null }
  | { type: 'ui_trust'; question: TrustView | null }
  /** Puts words into a draft for the person to go on with. */
  | { type: 'ui_draft'; draft: { sessionId: string; text: string } | null }
  | { type: 'ui_toast'; toast: { level: 'info' | 'warn'; text: string } | null }
