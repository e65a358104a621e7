import { createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { collect, requestOf } from '../../../fixtures/contracts/model-adapter.ts'
import { type Fault, startModelServer } from '../../../fixtures/model-server/index.ts'
import type { AgentErrorShape } from '../../protocol/index.ts'
import { createOpenAiChat } from './index.ts'
import { fromTransport } from './transport.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
})

async function errorAt(baseUrl: string, apiKey?: string): Promise<AgentErrorShape> {
  const adapter = createOpenAiChat({
    model: 'mock',
    baseUrl,
    contextWindow: 8000,
    ...(apiKey === undefined ? {} : { apiKey }),
  })
  const events = await collect(adapter.stream(requestOf()))
  const last = events.at(-1)
  if (last?.type !== 'error') throw new Error(`expected an error, got ${JSON.stringify(events)}`)
  return last.error
}

async function errorOf(fault: Fault, apiKey?: string): Promise<AgentErrorShape> {
  const server = await startModelServer(() => ({ text: 'x', fault }))
  open.push(server)
  const error = await errorAt(server.baseUrl, apiKey)
  const plain = (text: string) => text.replaceAll(server.baseUrl, 'BASE').replaceAll(new URL(server.url).host, 'HOST')
  return { ...error, message: plain(error.message), ...(error.hint === undefined ? {} : { hint: plain(error.hint) }) }
}

const status = (code: number, body: unknown, headers: Record<string, string> = {}): Fault => ({
  kind: 'status',
  status: code,
  body,
  headers,
})
const message = (text: string, rest: { [key: string]: unknown } = {}) => ({ error: { message: text, ...rest } })

const answers: [string, Fault, AgentErrorShape][] = [
  [
    'a refused key names the variable',
    status(401, message('Incorrect API key provided: sk-abcd***wxyz. You can find your key elsewhere.')),
    {
      code: 'MODEL_AUTH_FAILED',
      message: 'HOST refused the key (401): Incorrect API key provided: [key] You can find your key elsewhere.',
      hint: 'Check OPENAI_API_KEY: it must be a key of HOST that may use mock.',
    },
  ],
  [
    'a key may be refused with 400',
    status(400, [
      { error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } },
    ]),
    {
      code: 'MODEL_AUTH_FAILED',
      message: 'HOST refused the key (400): API key not valid. Please pass a valid API key.',
      hint: 'Check OPENAI_API_KEY: it must be a key of HOST that may use mock.',
    },
  ],
  [
    'an unknown model',
    status(404, message("The model 'mock' does not exist", { code: 'model_not_found' })),
    {
      code: 'MODEL_NOT_FOUND',
      message: "HOST does not know the model mock: The model 'mock' does not exist",
      hint: 'Choose another with /model or --model.',
    },
  ],
  [
    'an unknown model, said as bare text',
    status(404, { error: 'model "mock" not found, try pulling it first' }),
    {
      code: 'MODEL_NOT_FOUND',
      message: 'HOST does not know the model mock: model "mock" not found, try pulling it first',
      hint: 'Choose another with /model or --model.',
    },
  ],
  [
    'a rate limit with seconds',
    status(429, message('Slow down', { code: 'rate_limit_exceeded' }), { 'retry-after': '7' }),
    {
      code: 'MODEL_RATE_LIMITED',
      message: 'HOST limits the rate of requests: Slow down',
      hint: 'Wait a moment and try again.',
      retryable: true,
      retryAfterMs: 7000,
    },
  ],
  [
    'a rate limit that says its wait in words',
    status(429, message('Rate limit reached. Please try again in 1.25s. Visit the account page.')),
    {
      code: 'MODEL_RATE_LIMITED',
      message:
        'HOST limits the rate of requests: Rate limit reached. Please try again in 1.25s. Visit the account page.',
      hint: 'Wait a moment and try again.',
      retryable: true,
      retryAfterMs: 1250,
    },
  ],
  [
    'no credit is no rate limit that passes',
    status(429, message('You exceeded your current quota', { code: 'insufficient_quota' })),
    {
      code: 'MODEL_RATE_LIMITED',
      message: 'The account at HOST has no credit left: You exceeded your current quota',
      hint: 'Add credit at the provider, or choose another model.',
    },
  ],
  [
    'payment required',
    status(402, message('Insufficient Balance')),
    {
      code: 'MODEL_RATE_LIMITED',
      message: 'The account at HOST has no credit left: Insufficient Balance',
      hint: 'Add credit at the provider, or choose another model.',
    },
  ],
  [
    'an overloaded server',
    status(529, message('Overloaded')),
    {
      code: 'MODEL_OVERLOADED',
      message: 'HOST could not serve the request (529): Overloaded',
      hint: 'The trouble is on the server; try again.',
      retryable: true,
    },
  ],
  [
    "a gateway's error page is not quoted",
    status(502, '<html>\n<head><title>502 Bad Gateway</title></head>'),
    {
      code: 'MODEL_OVERLOADED',
      message: 'HOST could not serve the request (502)',
      hint: 'The trouble is on the server; try again.',
      retryable: true,
    },
  ],
  [
    'a request timeout',
    status(408, {}),
    { code: 'MODEL_TIMEOUT', message: 'HOST took too long (408)', hint: 'Try again.', retryable: true },
  ],
  [
    'a context that is too long, by code',
    status(400, message("This model's maximum context length is 8192 tokens.", { code: 'context_length_exceeded' })),
    {
      code: 'CONTEXT_TOO_LARGE',
      message: "The request is too large for mock: This model's maximum context length is 8192 tokens.",
      hint: 'Use /compact to shorten the conversation, or choose a model with a larger window.',
    },
  ],
  [
    'a context that is too long, by words',
    status(
      400,
      message('the request exceeds the available context size. try increasing it', {
        type: 'exceed_context_size_error',
      }),
    ),
    {
      code: 'CONTEXT_TOO_LARGE',
      message: 'The request is too large for mock: the request exceeds the available context size. try increasing it',
      hint: 'Use /compact to shorten the conversation, or choose a model with a larger window.',
    },
  ],
  [
    'a content filter',
    status(400, message('The response was filtered', { code: 'content_filter' })),
    {
      code: 'MODEL_REFUSED',
      message: 'HOST refused the request for its content: The response was filtered',
      hint: 'Word the request differently.',
    },
  ],
  [
    'a model without tools',
    status(400, message('mock does not support tools')),
    {
      code: 'MODEL_BAD_RESPONSE',
      message: 'HOST rejected the request (400): mock does not support tools',
      hint: 'Choose a model that can call tools.',
    },
  ],
  [
    'a web page with status 200',
    { kind: 'html' },
    {
      code: 'MODEL_BAD_RESPONSE',
      message: "HOST answered with a web page, not with a model's reply.",
      hint: 'Check the base URL BASE and that a model server answers there.',
    },
  ],
  [
    'an error with status 200',
    { kind: 'json', body: { error: { message: 'No endpoints found that support tool use', code: 404 } } },
    {
      code: 'MODEL_NOT_FOUND',
      message: 'HOST has no chat completions at BASE: No endpoints found that support tool use',
      hint: 'Check the base URL BASE and that a model server answers there.',
    },
  ],
  [
    'JSON with status 200 that is no completion',
    { kind: 'json', body: { detail: 'hello' } },
    {
      code: 'MODEL_BAD_RESPONSE',
      message: 'HOST answered with something other than a chat completion: hello',
      hint: 'Check the base URL BASE and that a model server answers there.',
    },
  ],
]

test.each(answers)('%s', async (_name, fault, expected) => {
  expect(await errorOf(fault)).toEqual(expected)
})

test('a path that is not there hints at /v1', async () => {
  const server = await startModelServer([])
  open.push(server)
  expect(await errorAt(server.url)).toMatchObject({
    code: 'MODEL_NOT_FOUND',
    hint: `The base URL should end in /v1, for example ${server.url}/v1.`,
  })
})

test("only the first line of the server's words is shown, without keys and control characters, 300 characters at most", async () => {
  const key = 'my-own-secret-key-1'
  const error = await errorOf(
    status(400, message(`bad \u001b[31m${key} Bearer abc.def ${'x'.repeat(500)}\nsecond line`)),
    key,
  )
  expect(error.message).not.toMatch(/secret|abc\.def|second/)
  expect(error.message).not.toContain('\u001b')
  expect(error.message).toContain('bad [31m[key] Bearer [key] xxx')
  expect(error.message.length).toBeLessThan(360)
})

test('a date in retry-after is a wait from now', async () => {
  const at = new Date(Date.now() + 30_000).toUTCString()
  const error = await errorOf(status(503, {}, { 'retry-after': at }))
  expect(error.retryAfterMs).toBeGreaterThan(25_000)
  expect(error.retryAfterMs).toBeLessThanOrEqual(30_000)
})

test('a refused connection names the host', async () => {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  expect(await errorAt(`http://127.0.0.1:${port}/v1`)).toEqual({
    code: 'MODEL_UNREACHABLE',
    message: `127.0.0.1:${port} cannot be reached: the connection was refused.`,
    hint: 'Check that the server is running and that the base URL names the right port.',
  })
})

test('https to a server that speaks http says so', async () => {
  const server = await startModelServer([])
  open.push(server)
  const error = await errorAt(server.baseUrl.replace('http:', 'https:'))
  expect(error).toMatchObject({ code: 'MODEL_UNREACHABLE', message: expect.stringContaining('it does not speak TLS') })
})

test('a server that hangs up without an answer was cut', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  open.push(server)
  const { port } = server.address() as { port: number }
  expect(await errorAt(`http://127.0.0.1:${port}/v1`)).toMatchObject({ code: 'MODEL_BAD_RESPONSE', retryable: true })
})

test.each([
  ['ENOTFOUND', 'MODEL_UNREACHABLE', undefined],
  ['EAI_AGAIN', 'MODEL_UNREACHABLE', true],
  ['ENETUNREACH', 'MODEL_UNREACHABLE', true],
  ['CERT_HAS_EXPIRED', 'MODEL_UNREACHABLE', undefined],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'MODEL_UNREACHABLE', undefined],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'MODEL_UNREACHABLE', undefined],
  ['UND_ERR_CONNECT_TIMEOUT', 'MODEL_TIMEOUT', true],
  ['ECONNRESET', 'MODEL_BAD_RESPONSE', true],
])('%s is %s', (code, expected, retryable) => {
  const cause = Object.assign(new Error(code), { code })
  const shape = fromTransport(
    new Error('Connection error.', { cause: new TypeError('fetch failed', { cause }) }),
    'example.org',
  )
  expect({ code: shape?.code, retryable: shape?.retryable }).toEqual({ code: expected, retryable })
  expect(shape?.message).toContain('example.org')
})
