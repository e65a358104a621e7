/** The model as the loop sees it: one request in, unified ModelEvents out, whatever the provider speaks. */
import type { AgentErrorShape, Message, TokenUsage, ToolCall, ToolSchema } from '../protocol/index.ts'

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter'

/**
 * Parts of one reply. An adapter ends every stream with exactly one `message_done` or `error`:
 * a stream that the server cut short ends with `error`, never with `message_done`.
 * `tool_call_done` is emitted only for calls whose stream arrived whole.
 */
export type ModelEvent =
  | { type: 'text_delta'; text: string }
  | { type: 'reasoning_delta'; text: string }
  | { type: 'tool_call_delta'; id: string; name?: string; inputChunk?: string }
  | { type: 'tool_call_done'; call: ToolCall }
  | { type: 'message_done'; usage: TokenUsage; finish: FinishReason }
  | { type: 'error'; error: AgentErrorShape }

export type ModelRequest = {
  messages: readonly Message[]
  tools: readonly ToolSchema[]
  signal: AbortSignal
  /** For provider-side caching and logs. */
  sessionId: string
}

export interface ModelAdapter {
  /** As shown and as selected: `gpt-5.2`, `scripted:demo`. */
  readonly model: string
  /** Tokens that prompt and answer may have together. */
  readonly contextWindow: number
  /** Largest answer in tokens, if the provider has a limit of its own. */
  readonly maxOutputTokens?: number
  /**
   * Must not throw and must not retry: every failure is an `error` event, retries are the loop's.
   * When `signal` aborts, the stream ends within a second with or without an `error` of USER_ABORTED.
   */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>
}
