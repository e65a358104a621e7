import { expect, test } from 'vitest'
import {
  collect,
  contractOfModelAdapter,
  type ModelBehaviour,
  requestOf,
  textOf,
} from '../../../fixtures/contracts/model-adapter.ts'
import { playTurn } from '../../../fixtures/contracts/model-adapter-turn.ts'
import type { Clock } from '../../ports/index.ts'
import type { Message } from '../../protocol/index.ts'
import { createScripted, type Part, parseScript, type Step } from './index.ts'

function scripted(steps: Step[], rest: { [key: string]: unknown } = {}) {
  return createScripted({ name: 'test', script: parseScript(JSON.stringify({ steps, ...rest }), 'test') })
}

contractOfModelAdapter('scripted', async (behaviour) => ({
  adapter: scripted([{ reply: partsFor(behaviour) }, again]),
}))

const again: Step = { reply: [{ call: { name: 'read_file', input: { path: 'again' } } }] }

function partsFor(behaviour: ModelBehaviour): Part[] {
  switch (behaviour.kind) {
    case 'says':
      return behaviour.words.map((say) => ({ say }))
    case 'calls':
      return behaviour.calls.map(({ name, input }) => ({ call: { name, input } }))
    case 'falls silent':
      return [{ say: 'Well, let me see' }, { hang: true, times: 9 }]
    case 'is cut':
      return [{ say: 'Reading.' }, { call: { name: 'read_file', input: { path: 'a' } } }, { cut: true, times: 9 }]
    case 'limits the rate':
      return [
        {
          fail: {
            code: 'MODEL_RATE_LIMITED',
            message: 'Slow down.',
            retryable: true,
            retryAfterMs: behaviour.retryAfterMs,
          },
          times: 9,
        },
      ]
    case 'refuses the key':
      return [{ fail: { code: 'MODEL_AUTH_FAILED', message: 'No.', hint: 'Set a key.' }, times: 9 }]
  }
}

const works = async () => ({ ok: true, content: 'fine' })

test('a reply streams its thoughts, words and calls, and ends with the given usage', async () => {
  const adapter = scripted([
    {
      reply: [{ think: 'Let me think.' }, { say: 'Two words' }, { call: { name: 'ls', input: { path: '.' } } }],
      usage: { inputTokens: 7, outputTokens: 5, costUsd: 0.25 },
    },
  ])
  expect(adapter.model).toBe('scripted:test')
  expect(await collect(adapter.stream(requestOf()))).toEqual([
    { type: 'reasoning_delta', text: 'Let ' },
    { type: 'reasoning_delta', text: 'me ' },
    { type: 'reasoning_delta', text: 'think.' },
    { type: 'text_delta', text: 'Two ' },
    { type: 'text_delta', text: 'words' },
    { type: 'tool_call_delta', id: 'script_1_1', name: 'ls', inputChunk: '{"path":"."}' },
    { type: 'tool_call_done', call: { id: 'script_1_1', name: 'ls', input: { path: '.' } } },
    {
      type: 'message_done',
      finish: 'tool_calls',
      usage: { model: 'scripted:test', inputTokens: 7, outputTokens: 5, totalTokens: 12, costUsd: 0.25 },
    },
  ])
})

test('results are expected, captured and used again', async () => {
  const adapter = scripted([
    { reply: [{ call: { name: 'grep', input: { pattern: 'x' } } }] },
    { expect: { call: 'grep', ok: true, contains: 'found', matches: '^src', capture: { file: '(\\S+\\.js):' } } },
    { reply: [{ call: { name: 'read_file', input: { path: '{{file}}', deep: [{ also: '<{{file}}>' }] } } }] },
    { reply: [{ say: 'I read {{file}}.' }] },
  ])
  const turn = await playTurn(adapter, [], 'go', async () => ({ ok: true, content: 'found\nsrc/cart.js:3' }))
  expect(turn.answer).toBe('I read src/cart.js.')
  expect(turn.calls[1]?.input).toEqual({ path: 'src/cart.js', deep: [{ also: '<src/cart.js>' }] })
})

test.each([
  [{ call: 'bash' }, 'expected the result of bash; got from ls (ok): fine'],
  [{ ok: false }, 'expected a result to be not ok; got from ls (ok): fine'],
  [{ contains: 'bad' }, 'expected a result to contain "bad"; got from ls (ok): fine'],
  [{ matches: '^bad$' }, 'expected a result to match /^bad$/; got from ls (ok): fine'],
  [{ capture: { file: '(\\d+)' } }, 'expected a result; nothing to capture as "file" with /(\\d+)/ in: fine'],
])('a result that does not fit %o is a mismatch', async (pattern, message) => {
  const adapter = scripted([{ reply: [{ call: { name: 'ls' } }] }, { expect: pattern }, { reply: [{ say: 'x' }] }])
  expect((await playTurn(adapter, [], 'go', works)).error).toEqual({
    code: 'MODEL_BAD_RESPONSE',
    message: `script mismatch: ${message}`,
    hint: 'The script was written for another course of events.',
  })
})

test('other words of the user than expected, and values that were never captured, are mismatches', async () => {
  const picky = scripted([{ expectUser: '^please' }, { reply: [{ say: 'ok' }] }])
  expect((await playTurn(picky, [], 'go', works)).error?.message).toBe(
    'script mismatch: expected words of the user like /^please/, got: go',
  )
  expect((await playTurn(picky, [], 'please go', works)).answer).toBe('ok')
  const forgetful = scripted([{ reply: [{ say: 'See {{file}}.' }] }])
  expect((await playTurn(forgetful, [], 'go', works)).error?.message).toBe(
    'script mismatch: nothing was captured as "file"',
  )
})

test("a branch is taken by the result or by the user's words, and the script goes on behind it", async () => {
  const steps: Step[] = [
    { reply: [{ call: { name: 'edit' } }] },
    {
      branch: [
        { when: { ok: true }, steps: [] },
        { when: { capture: { why: 'words: (.+)' } }, steps: [{ reply: [{ say: 'Because {{why}}.' }] }, { end: true }] },
      ],
    },
    { reply: [{ say: 'Changed.' }] },
    {
      branch: [
        { when: { user: 'thanks' }, steps: [{ reply: [{ say: 'Welcome.' }] }] },
        { steps: [{ reply: [{ say: 'Hm?' }] }] },
      ],
    },
  ]
  const accepted = scripted(steps)
  const first = await playTurn(accepted, [], 'go', works)
  expect(first.answer).toBe('Changed.')
  expect((await playTurn(accepted, first.history, 'thanks!', works)).answer).toBe('Welcome.')
  expect((await playTurn(accepted, first.history, 'what?', works)).answer).toBe('Hm?')
  const refused = scripted(steps)
  const turn = await playTurn(refused, [], 'go', async () => ({ ok: false, content: 'words: not today' }))
  expect(turn.answer).toBe('Because not today.')
  expect((await playTurn(refused, turn.history, 'and now?', works)).answer).toBe('The script has ended.')
})

test('the place is found again by another adapter: a resume goes on where it stopped', async () => {
  const steps: Step[] = [
    { reply: [{ call: { name: 'ls' } }] },
    { expect: { capture: { word: '(\\w+)' } } },
    { reply: [{ say: 'First: {{word}}.' }] },
    { reply: [{ call: { name: 'ls' } }] },
    { reply: [{ say: 'Second: {{word}}.' }] },
  ]
  const { history } = await playTurn(scripted(steps), [], 'go', works)
  const resumed = await playTurn(scripted(steps), history, 'on', works)
  expect(resumed.answer).toBe('Second: fine.')
  expect((await playTurn(scripted(steps), resumed.history, 'more', works)).answer).toBe('The script has ended.')
})

test('a rewound history is played from where it was rewound to', async () => {
  const adapter = scripted([{ reply: [{ say: 'one' }] }, { reply: [{ say: 'two' }] }])
  const first = await playTurn(adapter, [], 'a', works)
  const second = await playTurn(adapter, first.history, 'b', works)
  expect(second.answer).toBe('two')
  expect((await playTurn(adapter, first.history, 'c', works)).answer).toBe('two')
  expect((await playTurn(adapter, [], 'd', works)).answer).toBe('one')
})

test('a history that lost its beginning, or the text of its results, does not confuse the script', async () => {
  const adapter = scripted([
    { reply: [{ call: { name: 'ls' } }] },
    { expect: { contains: 'fine', capture: { word: '(\\w+)' } } },
    { reply: [{ say: 'one {{word}}' }] },
    { branch: [{ when: { user: 'again' }, steps: [] }, { steps: [{ reply: [{ say: 'wrong way' }] }, { end: true }] }] },
    { reply: [{ call: { name: 'ls' } }] },
    { reply: [{ say: 'two {{word}}' }] },
    { reply: [{ say: 'three {{word}}' }] },
  ])
  const first = await playTurn(adapter, [], 'go', works)
  const second = await playTurn(adapter, first.history, 'again', works)
  expect(second.answer).toBe('two fine')
  const shortened = second.history.map((message) =>
    message.role === 'tool' ? { ...message, content: '[left out]' } : message,
  )
  expect((await playTurn(adapter, shortened, 'more', works)).answer).toBe('three fine')
  const withoutFirstTurn = second.history.slice(first.history.length)
  expect((await playTurn(adapter, withoutFirstTurn, 'more', works)).answer).toBe('three fine')
  const onlyLastWords: Message[] = [
    { role: 'user', content: 'again' },
    { role: 'assistant', content: 'two fine' },
  ]
  expect((await playTurn(adapter, onlyLastWords, 'more', works)).answer).toBe('three fine')
})

test('a reply that was cut before its calls is played again, with a new user message too', async () => {
  const adapter = scripted([
    { reply: [{ say: 'Reading it.' }, { call: { name: 'ls' } }] },
    { reply: [{ say: 'Read.' }] },
  ])
  const cut: Message[] = [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: 'Reading' },
  ]
  const turn = await playTurn(adapter, cut, 'go on', works)
  expect({ answer: turn.answer, calls: turn.calls.length }).toEqual({ answer: 'Read.', calls: 1 })
})

test('failures happen as often as they say; the retry then gets the whole reply', async () => {
  const adapter = scripted([
    {
      reply: [
        { fail: { code: 'MODEL_RATE_LIMITED', message: 'Slow down.', retryable: true }, times: 2 },
        { say: 'half ' },
        { cut: true },
        { say: 'whole' },
      ],
    },
  ])
  const seen = []
  for (let attempt = 0; attempt < 4; attempt++) {
    const events = await collect(adapter.stream(requestOf()))
    const last = events.at(-1)
    seen.push([textOf(events), last?.type === 'error' ? last.error.code : last?.type])
  }
  expect(seen).toEqual([
    ['', 'MODEL_RATE_LIMITED'],
    ['', 'MODEL_RATE_LIMITED'],
    ['half ', 'MODEL_BAD_RESPONSE'],
    ['half whole', 'message_done'],
  ])
})

test('repeat counts, and an aside is answered without moving the script on', async () => {
  const adapter = scripted([{ repeat: 2, steps: [{ reply: [{ say: 'round {{i}}' }] }] }], {
    asides: [{ when: { tools: false, user: 'summar' }, reply: [{ say: 'a summary' }] }],
  })
  const first = await playTurn(adapter, [], 'a', works)
  const aside = requestOf({ messages: [{ role: 'user', content: 'summarise this' }], tools: [] })
  expect(textOf(await collect(adapter.stream(aside)))).toBe('a summary')
  const second = await playTurn(adapter, first.history, 'b', works)
  expect([first.answer, second.answer]).toEqual(['round 1', 'round 2'])
})

test('arguments that are no JSON are malformed; under finish length they were cut off', async () => {
  const bad = async (finish?: 'length') => {
    const step = { reply: [{ call: { name: 'w', raw: '{"a": listt"}' } }], ...(finish ? { finish } : {}) }
    const events = await collect(scripted([step]).stream(requestOf()))
    return events.find((event) => event.type === 'tool_call_done')?.call
  }
  expect(await bad()).toMatchObject({ input: '{"a": listt"}', malformed: expect.stringMatching(/^not valid JSON: /) })
  expect(await bad('length')).toMatchObject({ malformed: 'cut off by the output limit' })
})

test('after a cleared history the calls get ids that the session has not seen', async () => {
  const adapter = scripted([{ reply: [{ call: { name: 'ls' } }] }, { reply: [{ say: 'ok' }] }])
  const before = await playTurn(adapter, [], 'go', works)
  const after = await playTurn(adapter, [], 'go', works)
  expect([before.calls[0]?.id, after.calls[0]?.id]).toEqual(['script_1_1', 'script_1_1_2'])
})

test('delays are taken from the clock, and an interruption ends them', async () => {
  const waits: number[] = []
  const clock: Clock = {
    timestamp: () => '2026-01-01T00:00:00.000Z',
    monotonic: () => 0,
    id: (prefix) => prefix,
    random: () => 0,
    after(ms, run) {
      waits.push(ms)
      if (waits.length < 3) queueMicrotask(run)
      return () => {}
    },
  }
  const script = parseScript(JSON.stringify({ steps: [{ reply: [{ say: 'a b c d', delayMs: 40 }] }] }), 'slow')
  const control = new AbortController()
  const events = []
  for await (const event of createScripted({ name: 'slow', script, clock }).stream(
    requestOf({ signal: control.signal }),
  )) {
    events.push(event)
    if (event.type === 'text_delta' && event.text === 'c ') setImmediate(() => control.abort())
  }
  expect(waits).toEqual([40, 40, 40])
  expect(textOf(events)).toBe('a b c ')
  expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'USER_ABORTED' } })
})

const user: Message = { role: 'user', content: 'go' }
const asks = (...ids: string[]): Message => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: 'ls', input: {} })),
})
const result = (toolCallId: string): Message => ({ role: 'tool', toolCallId, name: 'ls', content: 'x', ok: true })

const broken: [string, Message[], string][] = [
  ['a call without a result', [user, asks('a')], 'the call "a" has no result'],
  ['one of three unanswered', [user, asks('a', 'b', 'c'), result('a')], 'the call "b" has no result'],
  ['words between', [user, asks('a'), user, result('a')], 'the call "a" has no result before message 3 of 4 (user)'],
  [
    'wrong order',
    [user, asks('a', 'b'), result('b'), result('a')],
    'message 3 of 4 is the result for "b" where "a" comes first',
  ],
  [
    'a result twice',
    [user, asks('a'), result('a'), result('a')],
    'message 4 of 4 is a result for "a", which no call waits for',
  ],
  ['an orphan result', [user, result('a')], 'message 2 of 2 is a result for "a", which no call waits for'],
  ['a repeated id', [user, asks('a'), result('a'), asks('a'), result('a')], 'message 4 of 5 repeats the call id "a"'],
  ['an empty id', [user, asks(''), result('')], 'message 2 of 3 repeats the call id ""'],
  [
    'a late system message',
    [user, { role: 'system', content: 'x' }],
    'message 2 of 2 is a system message after the conversation began',
  ],
  ['nobody asking', [{ role: 'system', content: 'x' }], 'there is no user message'],
]

test.each(broken)('law 1: %s is refused', async (_name, messages, problem) => {
  const adapter = scripted([{ reply: [{ say: 'x' }] }])
  expect(await collect(adapter.stream(requestOf({ messages })))).toEqual([
    { type: 'error', error: { code: 'INTERNAL', message: `law 1 broken: ${problem}` } },
  ])
})

test('law 7: a request that cannot fit the window is refused', async () => {
  const script = parseScript('{"steps":[{"reply":[{"say":"x"}]}]}', 'small')
  const adapter = createScripted({ name: 'small', script, contextWindow: 100 })
  const messages: Message[] = [{ role: 'user', content: 'many words '.repeat(100) }]
  expect((await collect(adapter.stream(requestOf({ messages })))).at(-1)).toMatchObject({
    error: { code: 'INTERNAL', message: expect.stringMatching(/^law 7 broken: .* the window 100$/) },
  })
})

test.each([
  ['{', /^The script "x" cannot be played: it is not JSON: /],
  ['[]', /the script must be an object\.$/],
  ['{}', /steps must be a list\.$/],
  ['{"steps":[{}]}', /steps\[0\] must have exactly one of reply, expect, expectUser, branch, repeat, end\.$/],
  ['{"steps":[],"stpes":[]}', /the script has the unknown field "stpes"; known are name, /],
  [
    '{"steps":[{"reply":[{"say":"a","call":{}}]}]}',
    /steps\[0\]\.reply\[0\] must have exactly one of say, think, call, fail, hang, cut\.$/,
  ],
  ['{"steps":[{"reply":[{"call":{}}]}]}', /steps\[0\]\.reply\[0\]\.call\.name is missing\.$/],
  ['{"steps":[{"reply":[{"say":1}]}]}', /steps\[0\]\.reply\[0\]\.say must be text\.$/],
  [
    '{"steps":[{"reply":[],"finish":"done"}]}',
    /steps\[0\]\.finish must be one of stop, tool_calls, length, content_filter\.$/,
  ],
  ['{"steps":[{"expect":{"matches":"("}}]}', /steps\[0\]\.expect\.matches is no regular expression: /],
  [
    '{"steps":[{"branch":[{"when":{"okay":true},"steps":[]}]}]}',
    /steps\[0\]\.branch\[0\]\.when has the unknown field "okay"/,
  ],
  ['{"steps":[{"repeat":-1,"steps":[]}]}', /steps\[0\]\.repeat must be a whole number from 0\.$/],
  [
    '{"steps":[],"asides":[{"when":{},"reply":[{"call":{"name":"ls"}}]}]}',
    /asides\[0\]\.reply an aside cannot call tools\.$/,
  ],
])('a script with a mistake is refused with its place: %s', (text, message) => {
  expect(() => parseScript(text, 'x')).toThrow(
    expect.objectContaining({ name: 'AgentError', message: expect.stringMatching(message) }),
  )
})
