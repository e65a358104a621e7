/** Token estimates and the fit of a request into the model's window. */
import { estimateTokenCount } from 'tokenx'
import type { Message, Omitted, ToolSchema } from '../protocol/index.ts'

/** Estimated tokens of a text; within about 5 % of the truth for source code. */
export function estimateTokens(text: string): number {
  return text === '' ? 0 : estimateTokenCount(text)
}

const messageTokens = new WeakMap<Message, number>()

/** Estimated tokens of one message with its envelope; remembered per object, since messages never change. */
export function tokensOf(message: Message): number {
  const known = messageTokens.get(message)
  if (known !== undefined) return known
  let tokens = 4 + estimateTokens(message.content)
  if (message.role === 'assistant') {
    for (const call of message.toolCalls ?? []) tokens += 8 + estimateTokens(JSON.stringify(call.input) ?? '')
  }
  messageTokens.set(message, tokens)
  return tokens
}

const schemaTokens = new WeakMap<readonly ToolSchema[], number>()

export function tokensOfTools(tools: readonly ToolSchema[]): number {
  const known = schemaTokens.get(tools)
  if (known !== undefined) return known
  const tokens = estimateTokens(JSON.stringify(tools))
  schemaTokens.set(tools, tokens)
  return tokens
}

export type Fit = { messages: Message[]; tokens: number; omitted: Omitted[]; fits: boolean }

/**
 * The history that fits into `limit` tokens. First the contents of old tool results are left out (newest are kept),
 * then whole old turns; the messages of the last user turn always stay. Pairs of call and result are never parted.
 */
export function fitHistory(history: readonly Message[], limit: number): Fit {
  const total = (messages: readonly Message[]) => messages.reduce((sum, message) => sum + tokensOf(message), 0)
  let messages = [...history]
  let tokens = total(messages)
  const omitted: Omitted[] = []
  if (tokens <= limit) return { messages, tokens, omitted, fits: true }

  const lastReply = messages.findLastIndex((message) => message.role === 'assistant')
  let cleared = 0
  let clearedTokens = 0
  for (let i = 0; i < lastReply && tokens > limit; i++) {
    const message = messages[i]
    if (message?.role !== 'tool' || message.content.length < 400) continue
    const short: Message = {
      ...message,
      content: '[This result was left out to fit the context; call the tool again if it is needed.]',
    }
    const saved = tokensOf(message) - tokensOf(short)
    messages[i] = short
    tokens -= saved
    cleared++
    clearedTokens += saved
  }
  if (cleared > 0)
    omitted.push({ what: `${cleared} old tool results`, reason: 'context budget', tokens: clearedTokens })

  let dropped = 0
  let droppedTokens = 0
  while (tokens > limit) {
    const nextTurn = messages.findIndex((message, i) => i > 0 && message.role === 'user')
    if (nextTurn < 0) break
    const gone = total(messages.slice(0, nextTurn))
    messages = messages.slice(nextTurn)
    tokens -= gone
    dropped++
    droppedTokens += gone
  }
  if (dropped > 0) omitted.push({ what: `${dropped} old turns`, reason: 'context budget', tokens: droppedTokens })
  return { messages, tokens, omitted, fits: tokens <= limit }
}
