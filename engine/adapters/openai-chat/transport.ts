/** Names what went wrong below HTTP: no route, no name, no trust, no answer, a cut connection. */
import type { AgentErrorShape } from '../../protocol/index.ts'

type Cause = { code?: unknown; message?: unknown; name?: unknown; cause?: unknown; errors?: unknown }

const refused = ['ECONNREFUSED']
const unnamed = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL']
const unrouted = ['ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'EHOSTDOWN', 'EADDRNOTAVAIL']
const slow = ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']
const dropped = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ECONNABORTED']

/** The error for a failed connection, or undefined when `error` is none. */
export function fromTransport(error: unknown, host: string): AgentErrorShape | undefined {
  const chain = causes(error)
  const codes = chain.map((cause) => (typeof cause.code === 'string' ? cause.code : ''))
  const words = chain.map((cause) => (typeof cause.message === 'string' ? cause.message : '')).join(' ')
  const has = (list: string[]) => codes.some((code) => list.includes(code))

  if (has(refused)) {
    return unreachable(
      host,
      'the connection was refused',
      'Check that the server is running and that the base URL names the right port.',
    )
  }
  if (has(unnamed)) {
    return {
      ...unreachable(
        host,
        'the name could not be found',
        'Check the spelling of the base URL and the network connection.',
      ),
      ...(codes.includes('EAI_AGAIN') ? { retryable: true } : {}),
    }
  }
  if (has(unrouted)) {
    return { ...unreachable(host, 'there is no route to it', 'Check the network connection.'), retryable: true }
  }
  if (
    codes.some((code) => /^ERR_SSL|^EPROTO$/.test(code)) ||
    /wrong version number|packet length too long/i.test(words)
  ) {
    return unreachable(
      host,
      'it does not speak TLS',
      'If it is a local server, write http:// instead of https:// in the base URL.',
    )
  }
  if (codes.some((code) => /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME/.test(code))) {
    return unreachable(
      host,
      `its certificate is not trusted (${codes.find((code) => /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME/.test(code))})`,
      'Set NODE_EXTRA_CA_CERTS to the file of the certificate authority.',
    )
  }
  if (has(slow) || /timed? ?out/i.test(words)) return silent(host)
  if (has(dropped) || /\bterminated\b|other side closed|socket hang up|premature close/i.test(words)) return cut(host)
  if (/fetch failed|connection error/i.test(words)) {
    return {
      ...unreachable(host, 'the connection failed', 'Check the base URL and the network connection.'),
      retryable: true,
    }
  }
  return undefined
}

/** Nothing came for `idleMs`, or for longer than the system waits. */
export function silent(host: string, idleMs?: number): AgentErrorShape {
  return {
    code: 'MODEL_TIMEOUT',
    message: `${host} sent nothing${idleMs === undefined ? ' in time' : ` for ${spell(idleMs)}`}.`,
    hint: 'Try again; if the model is only slow, a shorter conversation (/compact) helps.',
    retryable: true,
  }
}

/** The connection ended inside a reply. */
export function cut(host: string): AgentErrorShape {
  return {
    code: 'MODEL_BAD_RESPONSE',
    message: `The connection to ${host} was cut before the reply was complete.`,
    hint: 'Nothing of this reply was run. Try again.',
    retryable: true,
  }
}

function unreachable(host: string, why: string, hint: string): AgentErrorShape {
  return { code: 'MODEL_UNREACHABLE', message: `${host} cannot be reached: ${why}.`, hint }
}

/** The error, its causes and, where several addresses were tried, what happened to each. */
function causes(error: unknown): Cause[] {
  const found: Cause[] = []
  const queue: unknown[] = [error]
  while (queue.length > 0 && found.length < 12) {
    const next = queue.shift()
    if (typeof next !== 'object' || next === null) continue
    const cause = next as Cause
    found.push(cause)
    queue.push(cause.cause, ...(Array.isArray(cause.errors) ? cause.errors : []))
  }
  return found
}

function spell(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`
}
