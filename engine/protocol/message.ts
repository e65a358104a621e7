/** What the model is sent and answers: messages, calls and results. */
import type { AgentErrorCode } from './error.ts'

/**
 * One tool invocation as the model asked for it; not validated, not permitted.
 * When the arguments were not JSON, `malformed` says why and `input` is the raw text.
 * The session id of the seeds' ToolCall is on the record that carries the call.
 */
export type ToolCall = { id: string; name: string; input: unknown; malformed?: string }

/** A tool's answer: `summary` is one line, `content` is what the model reads. */
export type ToolResult = {
  ok: boolean
  summary: string
  content: string
  /** Always has `durationMs`; commands add `exitCode`; edits add `path, diff, oldHash, newHash, changedLines, verification`. */
  metadata: Record<string, unknown>
  /** Set when `ok` is false. */
  error?: AgentErrorCode
}

export type SystemMessage = { role: 'system'; content: string }
export type UserMessage = { role: 'user'; content: string }
export type AssistantMessage = {
  role: 'assistant'
  content: string
  /** Provider's visible reasoning, sent back only to providers that want it. */
  reasoning?: string
  toolCalls?: ToolCall[]
}
export type ToolMessage = { role: 'tool'; toolCallId: string; name: string; content: string; ok: boolean }

/** Law 1: every call of an AssistantMessage is followed by exactly one ToolMessage before the next reply. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage

/** JSON Schema (draft 7) as plain data. */
export type JsonSchema = { [key: string]: unknown }

/** What the model is told about a tool. */
export type ToolSchema = { name: string; description: string; inputSchema: JsonSchema }
