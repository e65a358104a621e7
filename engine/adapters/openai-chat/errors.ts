/** Turns whatever went wrong with a request into an error that says what, why and what to do next. */
import { type AgentErrorShape, shorten } from '../../protocol/index.ts'
import { fromTransport } from './transport.ts'
import type { Misfit } from './wire.ts'

/** Who was asked for what; `secrets` are kept out of messages. */
export type Endpoint = { host: string; baseUrl: string; model: string; secrets: readonly string[] }

/** A failed answer, as far as it is known; `words` is the server's text. */
type Answer = { status?: number; code: string; words: string; html: boolean; retryAfterMs?: number }

/** Anything that the SDK threw before or while the answer came. */
export function fromThrown(error: unknown, at: Endpoint): AgentErrorShape {
  if (!isRecord(error)) return broken(`${at.host} failed: ${clean(String(error), at)}`)
  const status = typeof error.status === 'number' ? error.status : undefined
  if (status === undefined && !isRecord(error.error) && typeof error.error !== 'string') {
    return fromTransport(error, at.host) ?? broken(`${at.host} failed: ${clean(wordsIn(error), at)}`)
  }
  // Without a parsed body the SDK's message is the status and the body's text.
  const words =
    wordsIn(error.error) || String(error.message ?? '').replace(/^\d{3} (status code \(no body\)|\{\}$)?/, '')
  return judge(
    {
      status: status ?? statusIn(error.error),
      code: codeIn(error.error),
      words: clean(words, at),
      html: /^\s*<(!doctype|html|\?xml)/i.test(words),
      retryAfterMs: waitIn(error.headers, words),
    },
    at,
  )
}

/** An error object that came inside a stream whose status was 200. */
export function fromChunk(error: unknown, at: Endpoint): AgentErrorShape {
  const words = wordsIn(error)
  return judge(
    {
      status: statusIn(error),
      code: codeIn(error),
      words: clean(words, at),
      html: false,
      retryAfterMs: waitIn(undefined, words),
    },
    at,
  )
}

/** A 200 answer that was no stream. */
export function fromMisfit(misfit: Misfit, at: Endpoint): AgentErrorShape {
  if (misfit.kind === 'empty') return broken(`${at.host} answered with nothing.`)
  if (misfit.kind === 'html') {
    return {
      code: 'MODEL_BAD_RESPONSE',
      message: `${at.host} answered with a web page, not with a model's reply.`,
      hint: urlHint(at),
    }
  }
  const { body } = misfit
  if (isRecord(body) && (isRecord(body.error) || typeof body.error === 'string')) return fromChunk(body.error, at)
  const words = clean(wordsIn(body) || misfit.text, at)
  return {
    code: 'MODEL_BAD_RESPONSE',
    message: `${at.host} answered with something other than a chat completion: ${words}`,
    hint: urlHint(at),
  }
}

/** The server's words in whatever shape it wraps them, whole. */
export function wordsIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return wordsIn(value[0])
  if (!isRecord(value)) return ''
  for (const key of ['message', 'error', 'detail', 'msg']) {
    const words = wordsIn(value[key])
    if (words !== '') return words
  }
  return ''
}

/** The model's side broke in a way that a second try may mend. */
export function broken(message: string): AgentErrorShape {
  return {
    code: 'MODEL_BAD_RESPONSE',
    message,
    hint: 'Try again; if it stays, choose another model or server.',
    retryable: true,
  }
}

function judge(answer: Answer, at: Endpoint): AgentErrorShape {
  const { status, code, words } = answer
  const said = answer.html || words === '' ? '' : `: ${words}`
  const text = `${code} ${words}`
  const wait = answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs }

  if (status === 401 || status === 403 || /invalid_api_key|api key not valid|incorrect api key/i.test(text)) {
    return {
      code: 'MODEL_AUTH_FAILED',
      message: `${at.host} refused the key${status === undefined ? '' : ` (${status})`}${said}`,
      hint: `Check OPENAI_API_KEY: it must be a key of ${at.host} that may use ${at.model}.`,
    }
  }
  if (isTooLong(text) || status === 413) {
    return {
      code: 'CONTEXT_TOO_LARGE',
      message: `The request is too large for ${at.model}${said}`,
      hint: 'Use /compact to shorten the conversation, or choose a model with a larger window.',
    }
  }
  if (/content_filter|content management policy|content_policy/i.test(text)) {
    return {
      code: 'MODEL_REFUSED',
      message: `${at.host} refused the request for its content${said}`,
      hint: 'Word the request differently.',
    }
  }
  if (
    status === 402 ||
    /insufficient_quota|insufficient balance|exceeded your current quota|billing_(hard_limit|not_active)/i.test(text)
  ) {
    return {
      code: 'MODEL_RATE_LIMITED',
      message: `The account at ${at.host} has no credit left${said}`,
      hint: 'Add credit at the provider, or choose another model.',
    }
  }
  if (status === 429 || /rate.?limit|resource_exhausted/i.test(code)) {
    return {
      code: 'MODEL_RATE_LIMITED',
      message: `${at.host} limits the rate of requests${said}`,
      hint: 'Wait a moment and try again.',
      retryable: true,
      ...wait,
    }
  }
  if (status === 404 || /model_not_found/i.test(code)) return notFound(answer, said, at)
  if (status === 408 || status === 504) {
    return {
      code: 'MODEL_TIMEOUT',
      message: `${at.host} took too long (${status})${said}`,
      hint: 'Try again.',
      retryable: true,
      ...wait,
    }
  }
  if (status === 409 || (status !== undefined && status >= 500) || /overloaded|server_error|unavailable/i.test(code)) {
    return {
      code: 'MODEL_OVERLOADED',
      message: `${at.host} could not serve the request${status === undefined ? '' : ` (${status})`}${said}`,
      hint: 'The trouble is on the server; try again.',
      retryable: true,
      ...wait,
    }
  }
  if (status === undefined) return broken(`${at.host} broke off with an error${said}`)
  if (answer.html) {
    return {
      code: 'MODEL_BAD_RESPONSE',
      message: `${at.host} answered with a web page (${status}).`,
      hint: urlHint(at),
    }
  }
  return {
    code: 'MODEL_BAD_RESPONSE',
    message: `${at.host} rejected the request (${status})${said}`,
    hint: /support tools|tool use|function calling/i.test(words)
      ? 'Choose a model that can call tools.'
      : 'The server does not accept this request; another model or server may.',
  }
}

function notFound({ words, html }: Answer, said: string, at: Endpoint): AgentErrorShape {
  const path = html || !/model/i.test(words)
  return path
    ? {
        code: 'MODEL_NOT_FOUND',
        message: `${at.host} has no chat completions at ${at.baseUrl}${said}`,
        hint: urlHint(at),
      }
    : {
        code: 'MODEL_NOT_FOUND',
        message: `${at.host} does not know the model ${at.model}${said}`,
        hint: 'Choose another with /model or --model.',
      }
}

function urlHint(at: Endpoint): string {
  return /\/v\d+\w*$/.test(at.baseUrl)
    ? `Check the base URL ${at.baseUrl} and that a model server answers there.`
    : `The base URL should end in /v1, for example ${at.baseUrl}/v1.`
}

function isTooLong(text: string): boolean {
  return /context_length_exceeded|exceed_context_size|(maximum|available|model's) context|context (length|window|size)|too many (input )?tokens|prompt is too long|input (is )?too long|input length|reduce the length|request too large|string_above_max_length/i.test(
    text,
  )
}

/** First line, printable, without keys, at most 300 characters. */
function clean(words: string, at: Endpoint): string {
  let line = (words.trim().split(/[\r\n]/, 1)[0] ?? '').replace(/[\x00-\x1f\x7f-\x9f]/g, '')
  for (const secret of at.secrets) line = line.replaceAll(secret, '[key]')
  line = line.replace(/\b(sk|pk|key|gsk|xai)[-_][\w*.-]{6,}/gi, '[key]').replace(/bearer\s+\S+/gi, 'Bearer [key]')
  return shorten(line, 300)
}

function codeIn(value: unknown): string {
  const body = Array.isArray(value) ? value[0] : value
  if (!isRecord(body)) return ''
  if (isRecord(body.error)) return codeIn(body.error)
  const parts = [body.code, body.type, body.status].filter((part) => typeof part === 'string')
  return parts.join(' ')
}

/** Gateways put the upstream's status into the error's `code`. */
function statusIn(value: unknown): number | undefined {
  if (!isRecord(value)) return undefined
  for (const candidate of [value.code, value.status, value.status_code]) {
    const number = typeof candidate === 'string' ? Number(candidate) : candidate
    if (typeof number === 'number' && number >= 400 && number < 600) return number
  }
  return undefined
}

/** The wait that the server asks for in ms: by header (seconds, date or ms), else in its words. */
function waitIn(headers: unknown, words: string): number | undefined {
  if (headers instanceof Headers) {
    const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '')
    if (ms >= 0) return Math.round(ms)
    const after = headers.get('retry-after') ?? ''
    if (/^\s*\d+(\.\d+)?\s*$/.test(after)) return Math.round(Number(after) * 1000)
    const date = Date.parse(after)
    if (!Number.isNaN(date)) return Math.max(0, date - Date.now())
  }
  const spoken = /(?:try again|retry) in (\d+(?:\.\d+)?) ?(ms|s)\b/i.exec(words)
  return spoken ? Math.ceil(Number(spoken[1]) * (spoken[2]?.toLowerCase() === 's' ? 1000 : 1)) : undefined
}

function isRecord(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null
}
