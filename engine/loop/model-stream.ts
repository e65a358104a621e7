/** Folds the ModelEvents of one reply into a message, and passes its deltas on as they come. */
import type { FinishReason, ModelAdapter, ModelRequest } from '../ports/index.ts'
import type { AgentErrorShape, AssistantMessage, EventBody, TokenUsage } from '../protocol/index.ts'

/**
 * `whole`: the reply ended as the protocol says, its calls may run. `cut`: it did not; the text so far is in
 * `message`, which then has no calls: an incomplete stream is never executed.
 */
export type Reply =
  | { type: 'whole'; message: AssistantMessage; usage: TokenUsage; finish: FinishReason }
  | { type: 'cut'; message: AssistantMessage; error: AgentErrorShape }

export async function streamReply(
  adapter: ModelAdapter,
  request: ModelRequest,
  emit: (body: EventBody) => void,
): Promise<Reply> {
  let content = ''
  let reasoning = ''
  const calls: AssistantMessage['toolCalls'] = []
  let end: Extract<Reply, { type: 'whole' }>['finish'] | undefined
  let usage: TokenUsage | undefined
  let error: AgentErrorShape | undefined

  try {
    for await (const event of adapter.stream(request)) {
      if (request.signal.aborted) break
      switch (event.type) {
        case 'text_delta':
          if (event.text === '') break
          content += event.text
          emit({ type: 'text_delta', text: event.text })
          break
        case 'reasoning_delta':
          if (event.text === '') break
          reasoning += event.text
          emit({ type: 'reasoning_delta', text: event.text })
          break
        case 'tool_call_delta':
          break
        case 'tool_call_done':
          calls.push(event.call)
          break
        case 'message_done':
          end = event.finish
          usage = event.usage
          break
        case 'error':
          error = event.error
          break
      }
      if (end || error) break
    }
  } catch (thrown) {
    // An adapter must not throw; when one does, the turn ends with a true error instead of the process.
    error = {
      code: 'INTERNAL',
      message: `The model adapter failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      hint: 'This is a bug of sluice; the session is intact.',
    }
  }

  const message: AssistantMessage = { role: 'assistant', content }
  if (reasoning !== '') message.reasoning = reasoning
  if (request.signal.aborted) return { type: 'cut', message, error: { code: 'USER_ABORTED', message: 'Interrupted.' } }
  if (error) return { type: 'cut', message, error }
  if (!end || !usage) {
    return {
      type: 'cut',
      message,
      error: {
        code: 'MODEL_BAD_RESPONSE',
        message: 'The reply ended before it was complete.',
        hint: 'The connection or the server broke off; it is tried again.',
        retryable: true,
      },
    }
  }
  if (calls.length > 0) message.toolCalls = calls
  return { type: 'whole', message, usage, finish: end }
}
