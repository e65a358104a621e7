/** Asks model servers which models they have: the ports where local ones listen, and the server a person points at. */
import { hasHidden, sanitizeForTerminal } from '@sluice/permissions-ui'

/** A server that answered on this machine; it may have no model yet. */
export type FoundServer = { baseUrl: string; models: readonly string[] }

export type Listed =
  /** `baseUrl` is the one that answered: `/v1` is added where it was missing. */
  | { type: 'models'; baseUrl: string; models: readonly string[] }
  /** Something answers that keeps no list; it may serve models all the same. */
  | { type: 'no-list'; text: string }
  /** Nothing is told without a key, or not with this one. */
  | { type: 'key'; baseUrl: string; text: string }
  | { type: 'failed'; text: string }

/** Where Ollama, LM Studio, llama.cpp and vLLM listen unless told otherwise. */
export const localPorts = [11434, 1234, 8080, 8000]

/** Those of the ports on 127.0.0.1 where a model server answers within `timeoutMs`, all asked at once; never rejects. */
export async function probeServers(
  signal: AbortSignal,
  ports: readonly number[] = localPorts,
  timeoutMs = 800,
): Promise<FoundServer[]> {
  const found = await Promise.all(
    ports.map(async (port): Promise<FoundServer[]> => {
      const baseUrl = `http://127.0.0.1:${port}/v1`
      const answer = await ask(baseUrl, { signal, timeoutMs })
      return 'models' in answer && answer.models !== null ? [{ baseUrl, models: answer.models }] : []
    }),
  )
  return found.flat()
}

/** What `GET {baseUrl}/models` says, in words for a person where it is no list; never rejects. */
export async function listModels(
  baseUrl: string,
  options: { signal: AbortSignal; apiKey?: string; timeoutMs?: number },
): Promise<Listed> {
  const { signal, apiKey, timeoutMs = 10_000 } = options
  const request = { signal, timeoutMs, ...(apiKey === undefined ? {} : { apiKey }) }
  const answer = await ask(baseUrl, request)
  if ('error' in answer) return { type: 'failed', text: whyNot(answer.error, baseUrl, timeoutMs) }
  const first = toListed(baseUrl, answer, apiKey !== undefined)
  if (first.type === 'models' || first.type === 'key' || /\/v\d/.test(new URL(baseUrl).pathname)) return first
  // The part that is forgotten most often.
  const longer = `${baseUrl}/v1`
  const next = await ask(longer, request)
  const second = 'error' in next ? first : toListed(longer, next, apiKey !== undefined)
  return second.type === 'models' || second.type === 'key' ? second : first
}

type Answer = { status: number; location: string; webPage: boolean; models: readonly string[] | null }

async function ask(
  baseUrl: string,
  options: { signal: AbortSignal; timeoutMs: number; apiKey?: string },
): Promise<Answer | { error: unknown }> {
  const { signal, timeoutMs, apiKey } = options
  try {
    const response = await fetch(`${baseUrl}/models`, {
      headers: { accept: 'application/json', ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }) },
      // Nobody is asked whom the person did not name, and no key goes elsewhere.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    const { status, headers } = response
    const text = await textOf(response)
    return {
      status,
      location: headers.get('location') ?? '',
      webPage: /\bhtml\b/.test(headers.get('content-type') ?? '') || /^\s*</.test(text),
      models: status === 200 ? modelsIn(text) : null,
    }
  } catch (error) {
    return { error }
  }
}

const mostBytes = 8 * 1024 * 1024

/** The body as far as it is worth reading; what is longer is cut and then no list. */
async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength
    if (bytes > mostBytes) break
    text += decoder.decode(piece, { stream: true })
  }
  return text
}

/** Names of a list of models, null when the text is none. Names that cannot be shown as they are sent are left out. */
function modelsIn(text: string): readonly string[] | null {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return null
  }
  const { data, object } = (body ?? {}) as { data?: unknown; object?: unknown }
  const list = Array.isArray(body) ? body : Array.isArray(data) ? data : object === 'list' ? [] : null
  if (list === null) return null
  const names = list.map((entry) => (entry as { id?: unknown } | null)?.id)
  const usable = names.filter((name): name is string => typeof name === 'string' && /^\S.{0,199}$/.test(name))
  if (list.length > 0 && usable.length === 0) return null
  return [...new Set(usable.filter((name) => !hasHidden(name) && name === name.trim()))].slice(0, 2000)
}

function toListed(baseUrl: string, answer: Answer, withKey: boolean): Listed {
  const { host } = new URL(baseUrl)
  const { status, models, webPage, location } = answer
  if (models !== null) return { type: 'models', baseUrl, models }
  if (status === 401 || status === 403) {
    const text = withKey ? `${host} refuses this key (${status}): check it.` : `${host} wants a key (${status}).`
    return { type: 'key', baseUrl, text }
  }
  if (status >= 300 && status < 400 && location !== '') {
    const to = sanitizeForTerminal(location, 'output').replace(/\s+/g, ' ').slice(0, 120)
    return { type: 'failed', text: `${host} sends us on to ${to}: give the address that is meant.` }
  }
  if (status === 429 || status >= 500) {
    return { type: 'failed', text: `${host} cannot answer now (${status}): try again in a moment.` }
  }
  if (webPage && status === 200) {
    return {
      type: 'failed',
      text: `${host} shows a web page there, not models: check the address; most end in /v1.`,
    }
  }
  return { type: 'no-list', text: `${host} names no models (${status}). If the address is right, type a model's name.` }
}

function whyNot(error: unknown, baseUrl: string, timeoutMs: number): string {
  const { host, hostname } = new URL(baseUrl)
  const thrown = error as { name?: string; message?: string; cause?: { code?: string; message?: string } }
  if (thrown.name === 'TimeoutError') {
    return `${host} did not answer within ${Math.ceil(timeoutMs / 1000)} s: check the address, or try again.`
  }
  const code = thrown.cause?.code ?? ''
  if (code === 'ECONNREFUSED') return `Nothing listens at ${host}: start the server there, or correct the address.`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `The network knows no host ${hostname}: check its spelling and your connection.`
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return `This machine does not trust the certificate of ${host} (${code}): use another address.`
  }
  if (/SSL|TLS|EPROTO/.test(code)) return `${host} does not speak https: try it with http://.`
  const why = code || (thrown.cause?.message ?? thrown.message ?? 'no reason was given')
  return `${host} cannot be reached (${sanitizeForTerminal(why, 'output').replace(/\s+/g, ' ').slice(0, 80)}): check the address.`
}
