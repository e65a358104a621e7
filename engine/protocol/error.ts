/** Names of what can go wrong and of why a turn ended; shared by events, records and exit codes. */

/** Where a failure belongs: the model, a tool, permission, the context, a limit or the person. */
export type AgentErrorCode =
  | 'MODEL_AUTH_FAILED'
  | 'MODEL_RATE_LIMITED'
  | 'MODEL_TIMEOUT'
  | 'MODEL_BAD_RESPONSE'
  | 'MODEL_NOT_FOUND'
  | 'MODEL_UNREACHABLE'
  | 'MODEL_OVERLOADED'
  | 'MODEL_REFUSED'
  | 'TOOL_NOT_FOUND'
  | 'TOOL_INPUT_INVALID'
  | 'TOOL_PERMISSION_DENIED'
  | 'TOOL_EXECUTION_FAILED'
  | 'TOOL_TIMEOUT'
  | 'TOOL_LOOP'
  | 'CONTEXT_TOO_LARGE'
  | 'BUDGET_EXCEEDED'
  | 'USER_ABORTED'
  | 'INTERNAL'

/** Why a turn ended. Exactly one per turn, and it is true. */
export type StopReason =
  | 'final_answer'
  | 'max_turns'
  | 'user_abort'
  | 'tool_error'
  | 'model_error'
  | 'time_limit'
  | 'budget_exceeded'
  | 'context_too_large'

/** An error as plain data: `message` says what and why, `hint` what to do next. */
export type AgentErrorShape = {
  code: AgentErrorCode
  message: string
  hint?: string
  /** True when the same request may succeed later without a change. */
  retryable?: boolean
  /** Milliseconds the server asked to wait before a retry. */
  retryAfterMs?: number
  details?: unknown
}

/** The one error class that carries a code; everything else that is thrown is a bug. */
export class AgentError extends Error {
  readonly code: AgentErrorCode
  readonly hint?: string
  readonly retryable: boolean
  readonly retryAfterMs?: number
  readonly details?: unknown

  constructor(
    code: AgentErrorCode,
    message: string,
    extra: { hint?: string; retryable?: boolean; retryAfterMs?: number; details?: unknown; cause?: unknown } = {},
  ) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause })
    this.name = 'AgentError'
    this.code = code
    this.hint = extra.hint
    this.retryable = extra.retryable ?? false
    this.retryAfterMs = extra.retryAfterMs
    this.details = extra.details
  }
}

/** Any thrown value as data; what is not an AgentError becomes INTERNAL. */
export function toErrorShape(error: unknown): AgentErrorShape {
  if (error instanceof AgentError) {
    const shape: AgentErrorShape = { code: error.code, message: error.message }
    if (error.hint !== undefined) shape.hint = error.hint
    if (error.retryable) shape.retryable = true
    if (error.retryAfterMs !== undefined) shape.retryAfterMs = error.retryAfterMs
    if (error.details !== undefined) shape.details = error.details
    return shape
  }
  return { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error) }
}
