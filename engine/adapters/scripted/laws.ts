/** Checks a request against the laws that every provider enforces, and some that only bills and users would notice. */
import { estimateTokenCount } from 'tokenx'
import type { Message } from '../../protocol/index.ts'

/** The first broken law as one sentence, or undefined. `contextWindow` in tokens. */
export function brokenLaw(messages: readonly Message[], contextWindow: number): string | undefined {
  const pairing = brokenPairing(messages)
  if (pairing !== undefined) return `law 1 broken: ${pairing}`
  // The bare contents alone: less than any honest estimate of the whole request.
  const tokens = messages.reduce((sum, message) => sum + estimateTokenCount(message.content), 0)
  if (tokens > contextWindow) {
    return `law 7 broken: the request has at least ${tokens} tokens, the window ${contextWindow}`
  }
  return undefined
}

/** Law 1: every call has exactly one result, directly after its message and in call order. */
function brokenPairing(messages: readonly Message[]): string | undefined {
  const ids = new Set<string>()
  let waiting: string[] = []
  let talked = false
  for (const [at, message] of messages.entries()) {
    const where = `message ${at + 1} of ${messages.length}`
    if (message.role === 'tool') {
      const [expected] = waiting
      if (expected === undefined) return `${where} is a result for "${message.toolCallId}", which no call waits for`
      if (message.toolCallId !== expected) {
        return `${where} is the result for "${message.toolCallId}" where "${expected}" comes first`
      }
      waiting = waiting.slice(1)
      continue
    }
    if (waiting.length > 0) return `the call "${waiting[0]}" has no result before ${where} (${message.role})`
    if (message.role === 'system') {
      if (talked) return `${where} is a system message after the conversation began`
      continue
    }
    talked = true
    if (message.role !== 'assistant') continue
    waiting = (message.toolCalls ?? []).map((call) => call.id)
    for (const id of waiting) {
      if (id === '' || ids.has(id)) return `${where} repeats the call id "${id}"`
      ids.add(id)
    }
  }
  if (waiting.length > 0) return `the call "${waiting[0]}" has no result`
  return messages.some((message) => message.role === 'user') ? undefined : 'there is no user message'
}
