/** Speaks Chat Completions with OpenAI and with every server that copies it; one stream per request, no retries. */
import type { ModelAdapter, ModelEvent, ModelRequest } from '../../ports/index.ts'
import type { AgentErrorShape, Message } from '../../protocol/index.ts'
import { type Accumulator, createAccumulator } from './accumulate.ts'
import { adapted, firstDialect } from './dialect.ts'
import { broken, type Endpoint, fromChunk, fromMisfit, fromThrown, wordsIn } from './errors.ts'
import { type ChatRequest, toRequest } from './to-request.ts'
import { cut, silent } from './transport.ts'
import { type TokenPrice, usageOf } from './usage.ts'
import { createWatch, type Watch } from './watch.ts'
import { createWire, type Wire } from './wire.ts'

export type { TokenPrice } from './usage.ts'

export type OpenAiChatOptions = {
  model: string
  /** Without it, OpenAI's own; usually ends in `/v1`. */
  baseUrl?: string
  /** Needed for OpenAI's own host only. */
  apiKey?: string
  /** Tokens that prompt and answer may have together. */
  contextWindow: number
  maxOutputTokens?: number
  price?: TokenPrice
  /** Milliseconds without a byte after which a request is given up; 5 minutes unless given. */
  idleTimeoutMs?: number
  extraHeaders?: Record<string, string>
  /** Send the model's reasoning back with its messages, as some providers demand. */
  reasoningEcho?: boolean
}

const officialUrl = 'https://api.openai.com/v1'

/** An adapter for one model; throws nothing, also not for a base URL that is none: its stream then ends with the error. */
export function createOpenAiChat(options: OpenAiChatOptions): ModelAdapter {
  const baseUrl = (options.baseUrl ?? officialUrl)
    .trim()
    .replace(/\/+$/, '')
    .replace(/\/chat\/completions$/, '')
  const url = /^https?:\/\//i.test(baseUrl) && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  const official = url !== undefined && /^(\w+\.)?api\.openai\.com$/.test(url.hostname)
  const at: Endpoint = {
    host: url?.host ?? baseUrl,
    baseUrl: url ? url.origin + url.pathname.replace(/\/$/, '') : baseUrl,
    model: options.model,
    secrets: [options.apiKey ?? '', ...Object.values(options.extraHeaders ?? {})].filter((text) => text.length >= 6),
  }
  const idleMs = options.idleTimeoutMs ?? 300_000
  let dialect = firstDialect(official)

  const body = (request: ModelRequest): ChatRequest =>
    toRequest(request.messages, request.tools, {
      model: options.model,
      dialect,
      reasoningEcho: options.reasoningEcho ?? false,
      ...(options.maxOutputTokens === undefined ? {} : { maxOutputTokens: options.maxOutputTokens }),
      ...(official ? { cacheKey: request.sessionId } : {}),
    })

  /** Opens the stream; a server that stumbles over a field gets the request again without it. */
  async function open(request: ModelRequest, wire: Wire, signal: AbortSignal): Promise<AsyncIterator<unknown>> {
    const { OpenAI } = await import('openai')
    const client = new OpenAI({
      baseURL: baseUrl,
      apiKey: options.apiKey || 'no-key',
      // The environment's admin key, organisation and project are OpenAI's: another host never sees them.
      adminAPIKey: null,
      ...(official ? {} : { organization: null, project: null }),
      fetch: wire.fetch,
      maxRetries: 0,
      // The watch measures silence; the SDK's own limit must not come first.
      timeout: Math.min(idleMs * 8, 2 ** 31 - 1),
      logLevel: 'off',
      ...(options.extraHeaders ? { defaultHeaders: options.extraHeaders } : {}),
    })
    for (;;) {
      try {
        // biome-ignore lint/suspicious/noExplicitAny: the SDK's type lacks what compatible servers take
        const stream = await client.chat.completions.create(body(request) as any, { signal })
        return (stream as unknown as AsyncIterable<unknown>)[Symbol.asyncIterator]()
      } catch (error) {
        const { status, error: answer, message } = error as { status?: number; error?: unknown; message?: string }
        const next = adapted(dialect, status, `${wordsIn(answer)} ${message ?? ''}`)
        if (!next) throw error
        dialect = next
      }
    }
  }

  return {
    model: options.model,
    contextWindow: options.contextWindow,
    ...(options.maxOutputTokens === undefined ? {} : { maxOutputTokens: options.maxOutputTokens }),
    async *stream(request) {
      if (request.signal.aborted) return yield failed(interrupted)
      const misconfigured = problemOf(at, url, official && !options.apiKey)
      if (misconfigured) return yield failed(misconfigured)

      const wire = createWire()
      const reply = createAccumulator(callIds(request.messages))
      const control = new AbortController()
      const watch = createWatch({ signal: request.signal, idleMs, lastByteAt: () => wire.lastByteAt })
      try {
        const chunks = watched(open(request, wire, control.signal), watch, reply, wire)
        for (;;) {
          const step = await chunks.next()
          if (!step.done) {
            yield* reply.push(step.value)
            continue
          }
          const failure = failureOf(step.value, reply, wire, at, idleMs)
          if (failure) return yield failed(failure)
          const { calls, finish } = reply.end()
          for (const call of calls) yield { type: 'tool_call_done', call }
          const usage = await usageOf({
            model: options.model,
            ...(options.price ? { price: options.price } : {}),
            raw: reply.usage,
            sent: () => JSON.stringify(body(request)),
            generated: reply.generated,
          })
          return yield { type: 'message_done', usage, finish }
        }
      } finally {
        watch.close()
        // After `[DONE]` the connection is left to end by itself, so that the next request can use it.
        if (!wire.done) control.abort()
      }
    },
  }
}

type Ending = { type: 'end' } | { type: 'stop'; stop: 'aborted' | 'silent' } | { type: 'thrown'; error: unknown }

/** The chunks until they end, for whatever reason; the reason is returned, never thrown. */
async function* watched(
  opening: Promise<AsyncIterator<unknown>>,
  watch: Watch,
  reply: Accumulator,
  wire: Wire,
): AsyncGenerator<unknown, Ending> {
  try {
    const opened = await watch.next(opening)
    if ('stop' in opened) return { type: 'stop', stop: opened.stop }
    for (;;) {
      const step = await watch.next(opened.value.next())
      if ('stop' in step) return { type: 'stop', stop: step.stop }
      if (step.value.done) return { type: 'end' }
      yield step.value.value
      if (reply.error !== undefined) return { type: 'end' }
      if (isWhole(reply, wire)) watch.finishing()
    }
  } catch (error) {
    return { type: 'thrown', error }
  }
}

/** A reply is whole when the server said so: by a finish reason or by `[DONE]`. */
function isWhole(reply: Accumulator, wire: Wire): boolean {
  return reply.finishWord !== undefined || wire.done
}

/** Why the reply cannot be used, or undefined when it can. */
function failureOf(
  ending: Ending,
  reply: Accumulator,
  wire: Wire,
  at: Endpoint,
  idleMs: number,
): AgentErrorShape | undefined {
  if (ending.type === 'stop' && ending.stop === 'aborted') return interrupted
  if (reply.error !== undefined) return fromChunk(reply.error, at)
  if (!isWhole(reply, wire)) {
    if (ending.type === 'stop') return silent(at.host, idleMs)
    if (wire.misfit) return fromMisfit(wire.misfit, at)
    return ending.type === 'thrown' ? fromThrown(ending.error, at) : cut(at.host)
  }
  // A server that breaks off inside says so in the place of the finish reason.
  if (reply.finishWord === 'error' || reply.finishWord === 'insufficient_system_resource') {
    return broken(`${at.host} broke off the reply (${reply.finishWord}).`)
  }
  if (!reply.empty) return undefined
  const { finish } = reply.end()
  if (finish === 'stop') return broken(`${at.model} answered with nothing: no words and no calls.`)
  if (finish === 'length') return undefined
  return {
    code: 'MODEL_REFUSED',
    message: `${at.host} withheld the answer for its content.`,
    hint: 'Word the request differently.',
  }
}

const interrupted: AgentErrorShape = { code: 'USER_ABORTED', message: 'Interrupted.' }

function problemOf(at: Endpoint, url: URL | undefined, keyMissing: boolean): AgentErrorShape | undefined {
  if (!url) {
    return {
      code: 'MODEL_UNREACHABLE',
      message: `The base URL is not a web address: ${at.baseUrl}`,
      hint: 'It must begin with http:// or https://, for example http://localhost:11434/v1.',
    }
  }
  if (!keyMissing) return undefined
  return {
    code: 'MODEL_AUTH_FAILED',
    message: `There is no key for ${at.host}.`,
    hint: 'Set OPENAI_API_KEY, or name another server with --base-url.',
  }
}

function callIds(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(
    messages
      .flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
      .map((call) => call.id),
  )
}

function failed(error: AgentErrorShape): ModelEvent {
  return { type: 'error', error }
}
