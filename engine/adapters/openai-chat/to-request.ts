/** Turns our messages and tools into the body of a Chat Completions request. */
import type { AssistantMessage, Message, ToolCall, ToolSchema } from '../../protocol/index.ts'
import type { Dialect } from './dialect.ts'

type WireCall = { id: string; type: 'function'; function: { name: string; arguments: string } }
export type WireMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string | null; tool_calls?: WireCall[]; reasoning_content?: string }
  | { role: 'tool'; tool_call_id: string; content: string }

export type ChatRequest = {
  model: string
  messages: WireMessage[]
  stream: true
  tools?: {
    type: 'function'
    function: { name: string; description: string; parameters: { [key: string]: unknown } }
  }[]
  stream_options?: { include_usage: true }
  max_tokens?: number
  max_completion_tokens?: number
  reasoning_effort?: 'none'
  prompt_cache_key?: string
}

export type RequestOptions = {
  model: string
  maxOutputTokens?: number
  reasoningEcho?: boolean
  dialect: Dialect
  /** Sent as the provider's cache key when set. */
  cacheKey?: string
}

/** The request's body. Arguments are always valid JSON, whatever the model once wrote; text is always well-formed. */
export function toRequest(
  messages: readonly Message[],
  tools: readonly ToolSchema[],
  options: RequestOptions,
): ChatRequest {
  const { dialect, maxOutputTokens, cacheKey } = options
  const request: ChatRequest = {
    model: options.model,
    messages: toWireMessages(messages, options.reasoningEcho ?? false),
    stream: true,
  }
  if (tools.length > 0) {
    request.tools = tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    }))
  }
  if (dialect.streamUsage) request.stream_options = { include_usage: true }
  if (maxOutputTokens !== undefined) request[dialect.limitName] = maxOutputTokens
  if (dialect.noEffort && tools.length > 0) request.reasoning_effort = 'none'
  if (cacheKey !== undefined) request.prompt_cache_key = cacheKey
  return request
}

/** System messages become one at the start; an assistant message without words and calls is left out. */
export function toWireMessages(messages: readonly Message[], reasoningEcho: boolean): WireMessage[] {
  const system = messages.filter((message) => message.role === 'system').map((message) => message.content)
  const shortId = shortIds()
  const wire: WireMessage[] = []
  if (system.length > 0) wire.push({ role: 'system', content: system.join('\n\n').toWellFormed() })
  for (const message of messages) {
    switch (message.role) {
      case 'system':
        break
      case 'user':
        wire.push({ role: 'user', content: message.content.toWellFormed() })
        break
      case 'tool':
        wire.push({ role: 'tool', tool_call_id: shortId(message.toolCallId), content: message.content.toWellFormed() })
        break
      case 'assistant': {
        const said = toAssistant(message, reasoningEcho, shortId)
        if (said) wire.push(said)
        break
      }
    }
  }
  return wire
}

function toAssistant(
  message: AssistantMessage,
  reasoningEcho: boolean,
  shortId: (id: string) => string,
): WireMessage | undefined {
  const calls = message.toolCalls ?? []
  if (message.content === '' && calls.length === 0) return undefined
  const wire: Extract<WireMessage, { role: 'assistant' }> = {
    role: 'assistant',
    content: message.content === '' ? null : message.content.toWellFormed(),
  }
  if (calls.length > 0) wire.tool_calls = calls.map((call) => toWireCall(call, shortId))
  if (reasoningEcho && message.reasoning !== undefined) wire.reasoning_content = message.reasoning.toWellFormed()
  return wire
}

function toWireCall(call: ToolCall, shortId: (id: string) => string): WireCall {
  return {
    id: shortId(call.id),
    type: 'function',
    function: { name: safeName(call.name), arguments: JSON.stringify(inputOf(call), wellFormed) },
  }
}

/** What is no object was refused by the tool; it is shown back as what it was, in a form that every server reads. */
function inputOf(call: ToolCall): object {
  const { input, malformed } = call
  if (input === undefined) return {}
  const fits = malformed === undefined && typeof input === 'object' && input !== null && !Array.isArray(input)
  return fits ? input : { _malformed: input }
}

function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value
}

/** A name that the model made up may hold what providers refuse to read back. */
function safeName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown'
}

/** Ids of another provider may be longer than this one reads; they are shortened alike in calls and results. */
function shortIds(): (id: string) => string {
  const short = new Map<string, string>()
  return (id) => {
    if (id.length <= 40) return id
    const known = short.get(id) ?? `${id.slice(0, 32)}_${short.size}`
    short.set(id, known)
    return known
  }
}
