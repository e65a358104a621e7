import { expect, test } from 'vitest'
import type { Message } from '../../protocol/index.ts'
import { adapted, firstDialect } from './dialect.ts'
import { toRequest, toWireMessages } from './to-request.ts'

const dialect = firstDialect(false)

test("a conversation becomes the wire's messages, call by call", () => {
  const messages: Message[] = [
    { role: 'system', content: 'Rules.' },
    { role: 'system', content: 'Workspace.' },
    { role: 'user', content: 'Read both.' },
    {
      role: 'assistant',
      content: '',
      toolCalls: [
        { id: 'a', name: 'read_file', input: { path: 'a' } },
        { id: 'b', name: 'read_file', input: { path: 'b' } },
      ],
    },
    { role: 'tool', toolCallId: 'a', name: 'read_file', content: 'A', ok: true },
    { role: 'tool', toolCallId: 'b', name: 'read_file', content: 'no such file', ok: false },
    { role: 'user', content: 'And?' },
    { role: 'user', content: 'Quick.' },
    { role: 'assistant', content: 'Done.', reasoning: 'It is easy.' },
  ]
  expect(toWireMessages(messages, false)).toEqual([
    { role: 'system', content: 'Rules.\n\nWorkspace.' },
    { role: 'user', content: 'Read both.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } },
        { id: 'b', type: 'function', function: { name: 'read_file', arguments: '{"path":"b"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: 'A' },
    { role: 'tool', tool_call_id: 'b', content: 'no such file' },
    { role: 'user', content: 'And?' },
    { role: 'user', content: 'Quick.' },
    { role: 'assistant', content: 'Done.' },
  ])
})

test('F22: reasoning goes back only where it is wanted', () => {
  const messages: Message[] = [
    { role: 'assistant', content: '', reasoning: 'Hm.', toolCalls: [{ id: 'a', name: 'ls', input: {} }] },
  ]
  expect(toWireMessages(messages, true)[0]).toHaveProperty('reasoning_content', 'Hm.')
  expect(toWireMessages(messages, false)[0]).not.toHaveProperty('reasoning_content')
})

test.each([
  [
    'raw text that was no JSON',
    { input: '{"path":"a', malformed: 'cut off by the output limit' },
    { _malformed: '{"path":"a' },
  ],
  ['nothing', { input: undefined }, {}],
  ['null', { input: null }, { _malformed: null }],
  ['a list', { input: [1] }, { _malformed: [1] }],
  ['half a character', { input: { text: 'x\ud83d' } }, { text: 'x\ufffd' }],
])('F11: arguments are always a JSON object: %s', (_what, call, expected) => {
  const [wire] = toWireMessages(
    [{ role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'w', ...call }] }],
    false,
  )
  const sent = wire?.role === 'assistant' ? wire.tool_calls?.[0]?.function.arguments : undefined
  expect(JSON.parse(sent ?? '')).toEqual(expected)
})

test('names and ids that the provider would refuse are made fit, alike in call and result', () => {
  const id = `toolu_${'x'.repeat(60)}`
  const wire = toWireMessages(
    [
      {
        role: 'assistant',
        content: 'x',
        toolCalls: [
          { id, name: 'functions.read', input: {} },
          { id: `${id}2`, name: '', input: {} },
        ],
      },
      { role: 'tool', toolCallId: id, name: 'functions.read', content: 'no such tool', ok: false },
      { role: 'tool', toolCallId: `${id}2`, name: '', content: 'no such tool', ok: false },
    ],
    false,
  )
  const calls = wire[0]?.role === 'assistant' ? (wire[0].tool_calls ?? []) : []
  expect(calls.map((call) => call.function.name)).toEqual(['functions_read', 'unknown'])
  expect(calls.every((call) => call.id.length <= 40)).toBe(true)
  expect(new Set(calls.map((call) => call.id)).size).toBe(2)
  expect(wire.slice(1).map((message) => message.role === 'tool' && message.tool_call_id)).toEqual(
    calls.map((call) => call.id),
  )
})

test('an assistant message without words and calls is left out', () => {
  expect(toWireMessages([{ role: 'assistant', content: '', reasoning: 'cut' }], false)).toEqual([])
})

test('the body has what is needed and nothing empty', () => {
  const messages: Message[] = [{ role: 'user', content: 'hi' }]
  const tool = { name: 'ls', description: 'Lists.', inputSchema: { type: 'object' } }
  expect(toRequest(messages, [], { model: 'm', dialect })).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    stream: true,
    stream_options: { include_usage: true },
  })
  expect(toRequest(messages, [tool], { model: 'm', dialect, maxOutputTokens: 500 })).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    stream: true,
    stream_options: { include_usage: true },
    tools: [{ type: 'function', function: { name: 'ls', description: 'Lists.', parameters: { type: 'object' } } }],
    max_tokens: 500,
  })
  const official = toRequest(messages, [], {
    model: 'm',
    dialect: firstDialect(true),
    maxOutputTokens: 500,
    cacheKey: 's',
  })
  expect(official).toMatchObject({ max_completion_tokens: 500, prompt_cache_key: 's' })
  expect(official).not.toHaveProperty('max_tokens')
})

test.each([
  [400, 'Unrecognized request argument supplied: stream_options', { ...dialect, streamUsage: false }],
  [422, 'extra_forbidden: stream_options', { ...dialect, streamUsage: false }],
  [
    400,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    { ...dialect, limitName: 'max_completion_tokens' },
  ],
  [
    400,
    "Function tools with reasoning_effort are not supported here. Set reasoning_effort to 'none'.",
    { ...dialect, noEffort: true },
  ],
  [400, 'max_tokens is too large: 999999', undefined],
  [400, 'tools[0] is bad', undefined],
  [500, 'stream_options', undefined],
])('a refusal %i "%s" teaches what it says', (status, words, expected) => {
  expect(adapted(dialect, status, words)).toEqual(expected)
})

test('a dialect is given up step by step, never in circles', () => {
  let current = dialect
  let steps = 0
  for (;;) {
    const next = adapted(current, 400, 'stream_options unsupported, reasoning_effort must be none')
    if (!next) break
    current = next
    steps++
  }
  expect({ steps, current }).toEqual({ steps: 2, current: { ...dialect, streamUsage: false, noEffort: true } })
})
