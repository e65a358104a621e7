/**
 * The one stream that front ends, records and tests consume: AgentEvents.
 * Ordering promises stand at each event. Durable events are written to the transcript and suffice to rebuild
 * the state at every turn's end; the others may be merged or dropped.
 */
import type { Block, TodoItem } from './block.ts'
import type { AgentErrorShape, StopReason } from './error.ts'
import type { AssistantMessage, ToolCall, ToolResult, UserMessage } from './message.ts'
import type { DecidedBy, Decision, PermissionMode, PermissionRequest, RuleChange, ToolKind } from './permission.ts'
import type { Review } from './review.ts'
import type { Rewound } from './rewind.ts'
import type { QueuedInput } from './session.ts'
import type { TokenUsage } from './usage.ts'

/** idle → build_context → call_model → stream_reply → (await_approval → run_tools → call_model)* → done. */
export type TurnState =
  | 'idle'
  | 'build_context'
  | 'call_model'
  | 'stream_reply'
  | 'await_approval'
  | 'run_tools'
  | 'done'

/** A piece of context with its source; `path` and lines are absent for non-file evidence. */
export type Evidence = {
  id: string
  path?: string
  startLine?: number
  endLine?: number
  reason: string
  tokens: number
}
export type Omitted = { what: string; reason: string; tokens?: number }
/** Tokens, estimated before the call. `limit` is the model's window, `reserve` is kept for the answer. */
export type ContextBudget = {
  limit: number
  reserve: number
  used: number
  sections: { name: string; tokens: number }[]
}

/** `passed` is false too where the result is not known: the line's exit code is not that of the check. */
export type VerificationResult = {
  command: string
  exitCode: number | null
  durationMs: number
  passed: boolean
  unknown?: boolean
  importantOutput: string
}

/** A process that runs a command, told apart from any later one with the same pid; `started` and `space` are '' where unknown. */
export type CommandProcess = { pid: number; group: number; started: string; host: string; space: string }

export type EventBody =
  /** First record of every process that works on a session. */
  | {
      type: 'session_start'
      cwd: string
      model: string
      mode: PermissionMode
      version: string
      resumed?: boolean
      title?: string
      /** The session whose records, up to here, were copied; what they cost was counted there. */
      forkedFrom?: string
    }
  /** First of a turn; `input` is the user's words. */
  | { type: 'turn_start'; input: string }
  | { type: 'state'; name: TurnState }
  /** Once per turn, before the first model call. */
  | { type: 'context'; evidence: Evidence[]; omitted: Omitted[]; budget: ContextBudget; instructions: string[] }
  | { type: 'reasoning_delta'; text: string }
  | { type: 'text_delta'; text: string }
  /**
   * A whole reply, after its deltas and before its calls; or words of the user that joined the running turn.
   * `partial` marks a reply that was cut short: its calls were never run and are not in `toolCalls`. `repaired` says that
   * its process died, and a later one made it of the `partial` records.
   */
  | { type: 'message'; message: AssistantMessage | UserMessage; partial?: boolean; repaired?: boolean }
  /**
   * What came of a reply that still streams, since the last such record; only long replies have any. The `message` of the
   * reply holds it again, and makes them void; so does a retry (the notice `model_retry`).
   */
  | { type: 'partial'; text: string; reasoning?: string }
  /** After the call was prepared and before it is asked or run; absent for calls that could not be prepared. */
  | { type: 'tool_proposed'; call: ToolCall; kind: ToolKind; title: string; blocks: Block[] }
  /** Written before anybody sees it. Ends with exactly one approval_decision of that id. */
  | { type: 'approval_request'; request: PermissionRequest }
  | { type: 'approval_decision'; id: string; callId: string; decision: Decision; decidedBy: DecidedBy }
  /** The call is running now. Not emitted for calls that were refused. */
  | { type: 'tool_start'; call: ToolCall }
  /** After `tool_start` of a command, once its process is there. */
  | { type: 'tool_process'; callId: string; leader: CommandProcess }
  | { type: 'tool_output'; callId: string; chunk: string }
  /** Exactly one per call, in call order within a reply. */
  | { type: 'tool_result'; call: ToolCall; result: ToolResult; blocks: Block[] }
  /** After each reply. */
  | { type: 'usage'; usage: TokenUsage }
  | { type: 'todo'; items: TodoItem[] }
  /** The words that wait, after each change of them. */
  | { type: 'queue'; items: QueuedInput[] }
  /** The person looked at a change that was applied without them; outside turns when something was taken back. */
  | { type: 'reviewed'; review: Review }
  /** The person went back to before an earlier turn, or undid that; outside turns. What was left behind stays in the record. */
  | { type: 'rewound'; rewound: Rewound }
  /** The model starts with an empty history from here on. */
  | { type: 'cleared' }
  | { type: 'compaction'; beforeTokens: number; afterTokens: number; summary: string; keptMessages: number }
  | { type: 'verification'; result: VerificationResult }
  /** Something a person should know that is no error; `code` lets programs tell notices apart. */
  | { type: 'notice'; level: 'info' | 'warn'; code: string; text: string; details?: unknown }
  | { type: 'error'; error: AgentErrorShape }
  /**
   * The mode, the model, the title or a rule for the session was changed by the person; a rule that came with a yes is in its
   * approval_decision.
   */
  | { type: 'setting'; mode?: PermissionMode; model?: string; title?: string; rule?: RuleChange }
  /**
   * Last of a turn, exactly one. `processEnded`: the process died in the turn and a later one closed it; nobody aborted
   * anything, whatever `reason` says (it is `user_abort`), and `durationMs` is what the records show.
   */
  | {
      type: 'turn_end'
      reason: StopReason
      durationMs: number
      replies: number
      calls: number
      processEnded?: boolean
    }
  /** Last record of an orderly process. */
  | { type: 'session_end' }

export type EventType = EventBody['type']

/** `seq` rises by one within a session; `turnId` is null outside turns; `time` is ISO 8601. */
export type Envelope = { v: 1; seq: number; time: string; sessionId: string; turnId: string | null }
export type AgentEvent = Envelope & EventBody
export type EventOf<T extends EventType> = Envelope & Extract<EventBody, { type: T }>

const transient: ReadonlySet<EventType> = new Set(['state', 'text_delta', 'reasoning_delta', 'tool_output'])

/** True for events that the transcript keeps. */
export function isDurable(event: { type: EventType }): boolean {
  return !transient.has(event.type)
}
