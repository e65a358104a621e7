/** A model that plays a conversation from data; it also polices every request, so that broken histories cannot hide. */
import { type Clock, type ModelAdapter, type ModelEvent, type ModelRequest, sleep } from '../../ports/index.ts'
import type { AgentErrorShape, TokenUsage, ToolCall } from '../../protocol/index.ts'
import { brokenLaw } from './laws.ts'
import type { ReplyStep, Script } from './script.ts'
import { fill } from './template.ts'
import { callId, createMemory, findPlace, type Memory, type Variables } from './walk.ts'

export { type Aside, type Condition, type Part, parseScript, type ReplyStep, type Script, type Step } from './script.ts'

export type ScriptedOptions = {
  /** Shown as `scripted:NAME`. */
  name: string
  script: Script
  /** 128,000 tokens unless given. */
  contextWindow?: number
  /** Without it the script's delays are skipped. */
  clock?: Clock
}

/**
 * The place in the script follows from the request's history, so that it survives a resume; only how often a `fail`,
 * `hang` or `cut` has happened is counted by the adapter itself.
 */
export function createScripted(options: ScriptedOptions): ModelAdapter {
  const { script, clock } = options
  const contextWindow = options.contextWindow ?? 128_000
  const model = `scripted:${options.name}`
  const sessions = new Map<string, Memory>()
  const happened = new Map<string, number>()
  const emitted = new Set<string>()

  function memoryOf(sessionId: string): Memory {
    const memory = sessions.get(sessionId) ?? createMemory()
    sessions.set(sessionId, memory)
    return memory
  }

  /** True while the part has happened fewer times than it should. */
  function happens(key: string, times: number): boolean {
    const count = happened.get(key) ?? 0
    if (count >= times) return false
    happened.set(key, count + 1)
    return true
  }

  function freshId(ordinal: number, index: number, request: ModelRequest): string {
    const known = (id: string) =>
      emitted.has(`${request.sessionId}/${id}`) ||
      request.messages.some(
        (message) => message.role === 'assistant' && message.toolCalls?.some((call) => call.id === id),
      )
    let id = callId(ordinal, index)
    for (let again = 2; known(id); again++) id = `${callId(ordinal, index)}_${again}`
    return id
  }

  /** One reply, part by part. */
  async function* perform(
    step: ReplyStep,
    ordinal: number,
    variables: Variables,
    request: ModelRequest,
  ): AsyncGenerator<ModelEvent> {
    const calls: ToolCall[] = []
    let said = ''
    let generated = ''
    for (const [at, part] of step.reply.entries()) {
      const key = `${request.sessionId}/${ordinal}/${at}`
      if ('fail' in part) {
        if (happens(key, part.times ?? 1)) return yield failed(part.fail)
      } else if ('cut' in part) {
        if (happens(key, part.times ?? 1)) return yield failed(cut)
      } else if ('hang' in part) {
        if (!happens(key, part.times ?? 1)) continue
        await aborted(request.signal)
        return yield failed(interrupted)
      } else {
        const { value, missing } = fill(part, variables)
        if (missing !== undefined) {
          return yield failed(mismatch(`script mismatch: nothing was captured as "${missing}"`))
        }
        const ready = value as typeof part
        if ('call' in ready) {
          const id = freshId(ordinal, calls.length + 1, request)
          const { call, text } = toCall(ready.call, id, step.finish === 'length')
          calls.push(call)
          generated += text
          yield { type: 'tool_call_delta', id, name: call.name, inputChunk: text }
        } else {
          const text = 'say' in ready ? ready.say.repeat(ready.copies ?? 1) : ready.think
          if ('say' in ready) said += text
          generated += text
          for await (const chunk of paced(text, ready.delayMs ?? 0, clock, request.signal)) {
            yield { type: 'say' in ready ? 'text_delta' : 'reasoning_delta', text: chunk }
          }
        }
      }
      if (request.signal.aborted) return yield failed(interrupted)
    }
    const usage = await usageOf(step, request, model, generated)
    for (const call of calls) {
      emitted.add(`${request.sessionId}/${call.id}`)
      yield { type: 'tool_call_done', call }
    }
    // The first of equal words keeps its number: taking a later one for it would skip replies.
    const { ordinals } = memoryOf(request.sessionId)
    if (ordinal > 0 && !ordinals.has(said)) ordinals.set(said, ordinal)
    yield { type: 'message_done', usage, finish: step.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop') }
  }

  return {
    model,
    contextWindow,
    async *stream(request) {
      if (request.signal.aborted) return yield failed(interrupted)
      const law = brokenLaw(request.messages, contextWindow)
      if (law !== undefined) return yield failed({ code: 'INTERNAL', message: law })
      // A real request holds a socket open; here nothing else would keep the process alive during a pause.
      const alive = setInterval(() => {}, 2 ** 30)
      try {
        const aside = script.asides.find((one) => isMeant(one.when, request))
        if (aside) return yield* perform(aside, 0, {}, request)
        const place = findPlace(script, request.messages, memoryOf(request.sessionId))
        if (place.type === 'mismatch') return yield failed(mismatch(place.message))
        if (place.type === 'ended') return yield* perform(ending, 0, {}, request)
        yield* perform(place.step, place.ordinal, place.variables, request)
      } finally {
        clearInterval(alive)
      }
    },
  }
}

const ending: ReplyStep = { reply: [{ say: 'The script has ended.' }] }
const interrupted: AgentErrorShape = { code: 'USER_ABORTED', message: 'Interrupted.' }
const cut: AgentErrorShape = {
  code: 'MODEL_BAD_RESPONSE',
  message: 'The connection was cut before the reply was complete.',
  hint: 'Nothing of this reply was run. Try again.',
  retryable: true,
}

function mismatch(message: string): AgentErrorShape {
  return { code: 'MODEL_BAD_RESPONSE', message, hint: 'The script was written for another course of events.' }
}

function failed(error: AgentErrorShape): ModelEvent {
  return { type: 'error', error }
}

function isMeant(when: { user?: string; tools?: boolean }, request: ModelRequest): boolean {
  if (when.tools !== undefined && when.tools !== request.tools.length > 0) return false
  if (when.user === undefined) return true
  const last = request.messages.findLast((message) => message.role === 'user')
  return new RegExp(when.user, 'm').test(last?.content ?? '')
}

/** The words one after the other, with a pause after each if any; now and then the rest of the program gets its turn. */
async function* paced(
  text: string,
  delayMs: number,
  clock: Clock | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let count = 0
  for (const [word] of text.matchAll(/\s*\S+\s?|\s+/g)) {
    if (signal.aborted) return
    yield word
    count++
    if (delayMs > 0 && clock) await sleep(clock, delayMs, signal)
    else if (count % 32 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** The call and its arguments as text. */
function toCall(
  wanted: { name: string; input?: unknown; raw?: string },
  id: string,
  cutShort: boolean,
): { call: ToolCall; text: string } {
  const { name, raw } = wanted
  if (raw === undefined) {
    const input = wanted.input ?? {}
    return { call: { id, name, input }, text: JSON.stringify(input) }
  }
  try {
    return { call: { id, name, input: JSON.parse(raw) }, text: raw }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const malformed = cutShort ? 'cut off by the output limit' : `not valid JSON: ${why}`
    return { call: { id, name, input: raw, malformed }, text: raw }
  }
}

async function usageOf(step: ReplyStep, request: ModelRequest, model: string, generated: string): Promise<TokenUsage> {
  if (step.usage) {
    const { inputTokens, outputTokens } = step.usage
    return { model, totalTokens: inputTokens + outputTokens, ...step.usage }
  }
  const { estimateTokenCount } = await import('tokenx')
  const inputTokens = estimateTokenCount(JSON.stringify([request.messages, request.tools]))
  const outputTokens = Math.max(1, estimateTokenCount(generated))
  return { model, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, costUsd: 0, estimated: true }
}
