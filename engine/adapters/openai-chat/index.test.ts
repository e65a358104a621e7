import { afterEach, expect, test } from 'vitest'
import {
  type AdapterUnderTest,
  collect,
  contractOfModelAdapter,
  type ModelBehaviour,
  requestOf,
  textOf,
} from '../../../fixtures/contracts/model-adapter.ts'
import { type Replies, type ServerReply, startModelServer } from '../../../fixtures/model-server/index.ts'
import { toEvents } from '../../../fixtures/model-server/reply.ts'
import type { ModelEvent } from '../../ports/index.ts'
import { createOpenAiChat, type OpenAiChatOptions } from './index.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
})

async function serve(replies: Replies, options: Partial<OpenAiChatOptions> = {}) {
  const server = await startModelServer(replies)
  open.push(server)
  const adapter = createOpenAiChat({ model: 'mock', baseUrl: server.baseUrl, contextWindow: 8000, ...options })
  return { server, adapter, run: (overrides = {}) => collect(adapter.stream(requestOf(overrides))) }
}

contractOfModelAdapter('openai-chat', async (behaviour): Promise<AdapterUnderTest> => {
  const server = await startModelServer(() => replyFor(behaviour))
  const adapter = createOpenAiChat({ model: 'mock', baseUrl: server.baseUrl, contextWindow: 8000 })
  return { adapter, requests: () => server.requests.length, close: server.close }
})

function replyFor(behaviour: ModelBehaviour): ServerReply {
  switch (behaviour.kind) {
    case 'says':
      return { text: behaviour.words }
    case 'calls':
      return { calls: behaviour.calls.map((call) => ({ id: call.id, name: call.name, arguments: call.input })) }
    case 'falls silent':
      return { text: ['Well, ', 'let me see'], fault: { kind: 'silent', afterBytes: 350 } }
    case 'is cut':
      return {
        text: 'Reading.',
        calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }],
        fault: { kind: 'cut', afterBytes: 700 },
      }
    case 'limits the rate':
      return {
        fault: {
          kind: 'status',
          status: 429,
          headers: { 'retry-after': String(behaviour.retryAfterMs / 1000) },
          body: { error: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' } },
        },
      }
    case 'refuses the key':
      return { fault: { kind: 'status', status: 401, body: { error: { message: 'Incorrect API key provided' } } } }
  }
}

const spoken: ServerReply = {
  reasoning: ['Let me ', 'think.'],
  text: ['Grüße ', 'aus 東京 🎉'],
  calls: [{ id: 'call_x', name: 'read_file', arguments: { path: 'ü/🎉.txt' } }],
}
const spokenEvents: ModelEvent[] = [
  { type: 'reasoning_delta', text: 'Let me ' },
  { type: 'reasoning_delta', text: 'think.' },
  { type: 'text_delta', text: 'Grüße ' },
  { type: 'text_delta', text: 'aus 東京 🎉' },
  { type: 'tool_call_delta', id: 'call_x', name: 'read_file' },
  { type: 'tool_call_delta', id: 'call_x', inputChunk: '{"path":"ü/🎉' },
  { type: 'tool_call_delta', id: 'call_x', inputChunk: '.txt"}' },
  { type: 'tool_call_done', call: { id: 'call_x', name: 'read_file', input: { path: 'ü/🎉.txt' } } },
  {
    type: 'message_done',
    finish: 'tool_calls',
    usage: { model: 'mock', inputTokens: 1000, outputTokens: 22, totalTokens: 1022 },
  },
]

test('a stream that is split at every byte reads the same', async () => {
  const { run } = await serve(() => ({ ...spoken, fault: { kind: 'split', bytes: 1 } }))
  expect(await run()).toEqual(spokenEvents)
})

test.each([2, 3, 7, 64, 1000])('a stream in pieces of %i bytes reads the same', async (bytes) => {
  const { run } = await serve(() => ({ ...spoken, fault: { kind: 'split', bytes } }))
  expect(await run()).toEqual(spokenEvents)
})

test('a stream that ends early at any byte never yields a call or a message_done', async () => {
  const beforeTheFinish = Buffer.byteLength(toEvents(spoken, 'mock', true).slice(0, -3).join(''))
  const { adapter, server } = await serve((_body, nth) => ({
    ...spoken,
    fault: { kind: nth % 2 === 0 ? 'early-end' : 'cut', afterBytes: 1 + nth * 23 },
  }))
  for (let nth = 0; 1 + nth * 23 <= beforeTheFinish; nth++) {
    const events = await collect(adapter.stream(requestOf()))
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'MODEL_BAD_RESPONSE', retryable: true } })
    expect(events.filter((event) => event.type === 'tool_call_done' || event.type === 'message_done')).toEqual([])
  }
  expect(server.requests.length).toBeGreaterThan(50)
})

test('the last event counts although its blank line is missing', async () => {
  const { run } = await serve(() => ({ text: 'done', fault: { kind: 'no-blank-line' } }))
  expect((await run()).at(-1)).toMatchObject({ type: 'message_done', finish: 'stop', usage: { estimated: true } })
})

test('[DONE] alone is an end; neither it nor a finish reason is a broken reply', async () => {
  const { run } = await serve([
    { text: 'done', fault: { kind: 'done-only' } },
    { text: 'half', fault: { kind: 'no-finish' } },
  ])
  expect((await run()).at(-1)).toMatchObject({ type: 'message_done', finish: 'stop' })
  expect((await run()).at(-1)).toMatchObject({
    type: 'error',
    error: { code: 'MODEL_BAD_RESPONSE', message: expect.stringContaining('was cut'), retryable: true },
  })
})

test('a server that keeps the connection open after the finish reason does not hold the reply back', async () => {
  const finish = { choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }] }
  const { run } = await serve(() => ({ chunks: [finish], fault: { kind: 'silent', afterBytes: 10_000 } }), {
    idleTimeoutMs: 150,
  })
  expect((await run()).at(-1)).toMatchObject({ type: 'message_done', finish: 'stop' })
})

test('F17: silence ends with a retryable timeout, before the first byte as well as after it', async () => {
  const { run } = await serve(
    [
      { text: 'x', fault: { kind: 'silent', afterBytes: 0 } },
      { text: ['some ', 'words'], fault: { kind: 'silent', afterBytes: 350 } },
    ],
    { idleTimeoutMs: 300 },
  )
  const timeout = {
    type: 'error',
    error: {
      code: 'MODEL_TIMEOUT',
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ sent nothing for 300 ms\.$/),
      hint: 'Try again; if the model is only slow, a shorter conversation (/compact) helps.',
      retryable: true,
    },
  }
  expect(await run()).toEqual([timeout])
  expect(await run()).toEqual([{ type: 'text_delta', text: 'some ' }, timeout])
})

test('F17: comments are a sign of life, but not for ever', async () => {
  const { run } = await serve(() => ({ fault: { kind: 'comments', everyMs: 20 } }), { idleTimeoutMs: 100 })
  const started = performance.now()
  expect(await run()).toEqual([{ type: 'error', error: expect.objectContaining({ code: 'MODEL_TIMEOUT' }) }])
  expect(performance.now() - started).toBeGreaterThan(200)
})

test('a slow consumer is not mistaken for a silent server', async () => {
  const { adapter } = await serve(() => ({ text: ['one ', 'two ', 'three'], intervalMs: 1 }), { idleTimeoutMs: 150 })
  const events: ModelEvent[] = []
  for await (const event of adapter.stream(requestOf())) {
    events.push(event)
    if (event.type === 'text_delta') await new Promise((resolve) => setTimeout(resolve, 250))
  }
  expect(textOf(events)).toBe('one two three')
  expect(events.at(-1)?.type).toBe('message_done')
})

test('an interruption ends the request on the server too', async () => {
  const { adapter, server } = await serve(() => ({ text: ['a ', 'b'], fault: { kind: 'silent', afterBytes: 350 } }))
  const control = new AbortController()
  for await (const event of adapter.stream(requestOf({ signal: control.signal }))) {
    if (event.type === 'text_delta') control.abort()
  }
  await expect.poll(() => server.requests[0]?.gone).toBe(true)
})

test('one connection serves one request after the other', async () => {
  const { run, server } = await serve(() => ({ text: 'ok' }))
  for (let turn = 0; turn < 3; turn++) {
    await run()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect({ requests: server.requests.length, connections: server.connections() }).toEqual({
    requests: 3,
    connections: 1,
  })
})

test('a completion that comes as plain JSON is read like a stream', async () => {
  const body = {
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Reading.',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
  }
  const { run } = await serve(() => ({ fault: { kind: 'json', body } }))
  expect(await run()).toEqual([
    { type: 'text_delta', text: 'Reading.' },
    { type: 'tool_call_delta', id: 'c1', name: 'read_file', inputChunk: '{"path":"a"}' },
    { type: 'tool_call_done', call: { id: 'c1', name: 'read_file', input: { path: 'a' } } },
    {
      type: 'message_done',
      finish: 'tool_calls',
      usage: { model: 'mock', inputTokens: 5, outputTokens: 7, totalTokens: 12 },
    },
  ])
})

test("F18: an error inside a 200 stream is the reply's end, first or after words", async () => {
  const { run } = await serve([
    { text: 'x', fault: { kind: 'error-chunk', error: { message: 'quota', code: 429 } } },
    {
      text: ['some ', 'words'],
      fault: { kind: 'error-chunk', error: { message: 'upstream broke', code: 502 }, after: 2 },
    },
    { text: 'x', fault: { kind: 'error-chunk', error: 'out of memory' } },
    { chunks: [{ choices: [{ delta: {}, finish_reason: null, error: { code: 503, message: 'no worker' } }] }] },
    { chunks: [{ object: 'error', message: 'The engine died', code: 500 }] },
  ])
  const ends = []
  for (let nth = 0; nth < 5; nth++) {
    const last = (await run()).at(-1)
    ends.push(
      last?.type === 'error'
        ? [last.error.code, last.error.message.replace(/^[\d.:]+ /, ''), last.error.retryable]
        : last,
    )
  }
  expect(ends).toEqual([
    ['MODEL_RATE_LIMITED', 'limits the rate of requests: quota', true],
    ['MODEL_OVERLOADED', 'could not serve the request (502): upstream broke', true],
    ['MODEL_BAD_RESPONSE', 'broke off with an error: out of memory', true],
    ['MODEL_OVERLOADED', 'could not serve the request (503): no worker', true],
    ['MODEL_OVERLOADED', 'could not serve the request (500): The engine died', true],
  ])
})

test('J07: two rate limits, then an answer: three requests, each with its own outcome', async () => {
  const limited: ServerReply = { fault: { kind: 'status', status: 429, headers: { 'retry-after-ms': '5' }, body: {} } }
  const { run, server } = await serve([limited, limited, { text: 'ok' }])
  const outcomes = [await run(), await run(), await run()].map((events) => events.at(-1)?.type)
  expect({ outcomes, requests: server.requests.length }).toEqual({
    outcomes: ['error', 'error', 'message_done'],
    requests: 3,
  })
})

test('a server without stream_options is asked again without them, once and for all', async () => {
  const { run, server } = await serve((body) =>
    body.stream_options
      ? {
          fault: {
            kind: 'status',
            status: 400,
            body: { error: { message: 'Unrecognized request argument: stream_options' } },
          },
        }
      : { text: 'ok' },
  )
  expect((await run()).at(-1)).toMatchObject({ type: 'message_done', usage: { estimated: true } })
  expect((await run()).at(-1)).toMatchObject({ type: 'message_done' })
  expect(server.requests.map(({ body }) => body.stream_options)).toEqual([
    { include_usage: true },
    undefined,
    undefined,
  ])
})

test('a refusal that names nothing we can leave out is asked once', async () => {
  const { run, server } = await serve(() => ({
    fault: { kind: 'status', status: 400, body: { error: { message: 'tools[0] is bad' } } },
  }))
  expect((await run()).at(-1)).toMatchObject({ type: 'error', error: { code: 'MODEL_BAD_RESPONSE' } })
  expect(server.requests).toHaveLength(1)
})

test('the price turns tokens into dollars, cached ones at their own rate', async () => {
  const usage = {
    prompt_tokens: 1_000_000,
    completion_tokens: 500_000,
    total_tokens: 1_500_000,
    prompt_tokens_details: { cached_tokens: 400_000 },
    completion_tokens_details: { reasoning_tokens: 100_000 },
  }
  const { run } = await serve(() => ({ text: 'ok', usage }), { price: { input: 2, cachedInput: 0.5, output: 8 } })
  expect((await run()).at(-1)).toEqual({
    type: 'message_done',
    finish: 'stop',
    usage: {
      model: 'mock',
      inputTokens: 1_000_000,
      outputTokens: 500_000,
      totalTokens: 1_500_000,
      cachedInputTokens: 400_000,
      reasoningTokens: 100_000,
      costUsd: 5.4,
    },
  })
})

test('without a key another host gets a placeholder, extra headers and nothing of the environment', async () => {
  const { run, server } = await serve(() => ({ text: 'ok' }), { extraHeaders: { 'x-team': 'blue' } })
  process.env.OPENAI_ORG_ID = 'org-secret'
  process.env.OPENAI_ADMIN_KEY = 'sk-admin-secret'
  try {
    await run()
  } finally {
    delete process.env.OPENAI_ORG_ID
    delete process.env.OPENAI_ADMIN_KEY
  }
  const headers = server.requests[0]?.headers ?? {}
  expect(headers).toMatchObject({ authorization: 'Bearer no-key', 'x-team': 'blue' })
  expect(JSON.stringify(headers)).not.toContain('secret')
})

test("the key is sent as it is, and OpenAI's own host is never asked without one", async () => {
  const { run, server } = await serve(() => ({ text: 'ok' }), { apiKey: 'sk-test-123456' })
  await run()
  expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-test-123456')
  expect(await collect(createOpenAiChat({ model: 'gpt-5.2', contextWindow: 400_000 }).stream(requestOf()))).toEqual([
    {
      type: 'error',
      error: {
        code: 'MODEL_AUTH_FAILED',
        message: 'There is no key for api.openai.com.',
        hint: 'Set OPENAI_API_KEY, or name another server with --base-url.',
      },
    },
  ])
})

test('a base URL that is none is an error of the stream, not of the constructor', async () => {
  const adapter = createOpenAiChat({ model: 'm', baseUrl: 'localhost:11434/v1', contextWindow: 8000 })
  expect(await collect(adapter.stream(requestOf()))).toEqual([
    {
      type: 'error',
      error: expect.objectContaining({
        code: 'MODEL_UNREACHABLE',
        message: 'The base URL is not a web address: localhost:11434/v1',
      }),
    },
  ])
})

test('a base URL may end in a slash or in the path itself', async () => {
  const server = await startModelServer(() => ({ text: 'ok' }))
  open.push(server)
  for (const suffix of ['/', '/chat/completions', '/chat/completions/']) {
    const adapter = createOpenAiChat({ model: 'm', baseUrl: server.baseUrl + suffix, contextWindow: 8000 })
    expect(textOf(await collect(adapter.stream(requestOf())))).toBe('ok')
  }
})

test('an answer without words and calls is broken; one that spent the limit on thinking is cut', async () => {
  const { run } = await serve([
    { text: '\n' },
    { reasoning: 'hm', finish: 'length' },
    { text: [], finish: 'content_filter' },
    { text: 'so far', finish: 'content_filter' },
  ])
  const ends = [await run(), await run(), await run(), await run()].map((events) => events.at(-1))
  expect(ends).toMatchObject([
    { type: 'error', error: { code: 'MODEL_BAD_RESPONSE', retryable: true } },
    { type: 'message_done', finish: 'length' },
    { type: 'error', error: { code: 'MODEL_REFUSED' } },
    { type: 'message_done', finish: 'content_filter' },
  ])
})
