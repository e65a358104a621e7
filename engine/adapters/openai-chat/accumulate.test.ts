import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ModelEvent } from '../../ports/index.ts'
import type { ToolCall } from '../../protocol/index.ts'
import { createAccumulator } from './accumulate.ts'

type Fragment = { [key: string]: unknown }

/** Each inner list is the `tool_calls` of one chunk. */
function callsFrom(chunks: Fragment[][], finish = 'tool_calls', taken: string[] = []) {
  const reply = createAccumulator(new Set(taken))
  const events: ModelEvent[] = []
  for (const fragments of chunks) events.push(...reply.push({ choices: [{ delta: { tool_calls: fragments } }] }))
  events.push(...reply.push({ choices: [{ delta: {}, finish_reason: finish }] }))
  return { events, ...reply.end() }
}

const call = (args: string, rest: Fragment = {}): Fragment => ({ ...rest, function: { name: 'read', arguments: args } })
const args = (text: string, rest: Fragment = {}): Fragment => ({ ...rest, function: { arguments: text } })
const made = expect.stringMatching(/^c[a-z0-9]{8}$/)

describe('fragments become the calls that were meant', () => {
  const rows: { id: string; when: string; chunks: Fragment[][]; expected: Partial<ToolCall>[] }[] = [
    {
      id: 'F01',
      when: 'two calls come in one chunk without an index',
      chunks: [[call('{"p":1}', { id: 'a' }), call('{"p":2}', { id: 'b' })]],
      expected: [
        { id: 'a', name: 'read', input: { p: 1 } },
        { id: 'b', name: 'read', input: { p: 2 } },
      ],
    },
    {
      id: 'F01',
      when: 'two calls come in pieces without index and id, told apart by position',
      chunks: [
        [call('{"p"'), call('{"p"')],
        [args(':1}'), args(':2}')],
      ],
      expected: [
        { id: made, input: { p: 1 } },
        { id: made, input: { p: 2 } },
      ],
    },
    {
      id: 'F01',
      when: 'whole calls come one after the other without index and id',
      chunks: [[call('{"p":1}')], [call('{"p":2}')]],
      expected: [
        { id: made, input: { p: 1 } },
        { id: made, input: { p: 2 } },
      ],
    },
    {
      id: 'F02',
      when: 'the first fragment has an index but no id',
      chunks: [[call('', { index: 0 })], [args('{}', { index: 0 })]],
      expected: [{ id: made, name: 'read', input: {} }],
    },
    {
      id: 'F03',
      when: 'only the first of five fragments has the id',
      chunks: [
        [call('', { index: 0, id: 'a' })],
        [args('{"pa', { index: 0 })],
        [args('th":', { index: 0 })],
        [args('"x"', { index: 0 })],
        [args('}', { index: 0 })],
      ],
      expected: [{ id: 'a', name: 'read', input: { path: 'x' } }],
    },
    {
      id: 'F03',
      when: 'two calls are interleaved by index',
      chunks: [
        [call('', { index: 0, id: 'a' })],
        [call('', { index: 1, id: 'b' })],
        [args('{"p":', { index: 0 }), args('{"p":', { index: 1 })],
        [args('2}', { index: 1 }), args('1}', { index: 0 })],
      ],
      expected: [
        { id: 'a', input: { p: 1 } },
        { id: 'b', input: { p: 2 } },
      ],
    },
    {
      id: 'F04',
      when: 'two different calls share index 0',
      chunks: [[call('{"p":"a"}', { index: 0, id: 'a' })], [call('{"p":"b"}', { index: 0, id: 'b' })]],
      expected: [
        { id: 'a', input: { p: 'a' } },
        { id: 'b', input: { p: 'b' } },
      ],
    },
    {
      id: 'F04',
      when: 'they share it in pieces',
      chunks: [
        [call('', { index: 0, id: 'a' })],
        [args('{"p":"a"}', { index: 0 })],
        [call('', { index: 0, id: 'b' })],
        [args('{"p":', { index: 0 })],
        [args('"b"}', { index: 0 })],
      ],
      expected: [
        { id: 'a', input: { p: 'a' } },
        { id: 'b', input: { p: 'b' } },
      ],
    },
    {
      id: 'F04',
      when: 'they share index and id',
      chunks: [[call('{"p":1}', { index: 0, id: 'call_0' })], [call('{"p":2}', { index: 0, id: 'call_0' })]],
      expected: [
        { id: 'call_0', input: { p: 1 } },
        { id: made, input: { p: 2 } },
      ],
    },
    {
      id: 'F04',
      when: 'they share index 0 and have no ids',
      chunks: [[call('{"p":1}', { index: 0 })], [call('{"p":2}', { index: 0 })]],
      expected: [
        { id: made, input: { p: 1 } },
        { id: made, input: { p: 2 } },
      ],
    },
    {
      id: 'F05',
      when: 'the index starts at 1',
      chunks: [[{ index: 1, id: 'x', function: { name: 't' } }]],
      expected: [{ id: 'x', name: 't', input: {} }],
    },
    {
      id: 'F05',
      when: 'the head has the wrong index',
      chunks: [[call('', { index: 0, id: 'b' })], [args('{"p":', { index: 1 })], [args('1}', { index: 1 })]],
      expected: [{ id: 'b', input: { p: 1 } }],
    },
    {
      id: 'F05',
      when: 'the second head has the wrong index',
      chunks: [
        [call('', { index: 0, id: 'a' })],
        [args('{"p":1}', { index: 0 })],
        [call('', { index: 0, id: 'b' })],
        [args('{"p":2}', { index: 1 })],
      ],
      expected: [
        { id: 'a', input: { p: 1 } },
        { id: 'b', input: { p: 2 } },
      ],
    },
    {
      id: 'F06',
      when: 'the arguments come before the name',
      chunks: [[args('{"p":', { index: 0, id: 'a' })], [args('1}', { index: 0 })], [call('', { index: 0 })]],
      expected: [{ id: 'a', name: 'read', input: { p: 1 } }],
    },
    {
      id: 'F06',
      when: 'the name is in every fragment',
      chunks: [[call('{"p"', { index: 0, id: 'a' })], [call(':1', { index: 0 })], [call('}', { index: 0 })]],
      expected: [{ id: 'a', name: 'read', input: { p: 1 } }],
    },
    {
      id: 'F06',
      when: 'the name is in every fragment, without index and id',
      chunks: [[call('{"p"')], [call(':1')], [call('}')]],
      expected: [{ id: made, name: 'read', input: { p: 1 } }],
    },
    {
      id: 'F06',
      when: 'the name itself comes in pieces',
      chunks: [
        [{ index: 0, id: 'a', function: { name: 'read' } }],
        [{ index: 0, function: { name: '_file' } }],
        [args('{}', { index: 0 })],
      ],
      expected: [{ id: 'a', name: 'read_file', input: {} }],
    },
    {
      id: 'kin of F03',
      when: 'every fragment has another id',
      chunks: [
        [call('{"p"', { index: 0, id: 'r1' })],
        [args(':1', { index: 0, id: 'r2' })],
        [args('}', { index: 0, id: 'r3' })],
      ],
      expected: [{ id: 'r1', input: { p: 1 } }],
    },
    {
      id: 'kin of F02',
      when: 'the id comes late',
      chunks: [[args('{"p"', { index: 0 })], [call(':1}', { index: 0, id: 'late' })]],
      expected: [{ id: 'late', name: 'read', input: { p: 1 } }],
    },
    {
      id: 'kin of F05',
      when: 'an empty call comes along',
      chunks: [
        [call('{"p":1}', { index: 0, id: 'a' })],
        [{ index: 1, id: 'b', function: { name: '', arguments: '' } }],
      ],
      expected: [{ id: 'a', input: { p: 1 } }],
    },
    {
      id: 'kin of F11',
      when: 'the arguments are an object, null or encoded twice',
      chunks: [
        [{ index: 0, id: 'a', function: { name: 'read', arguments: { p: 1 } } }],
        [{ index: 1, id: 'b', function: { name: 'read', arguments: null } }],
        [{ index: 2, id: 'c', function: { name: 'read', arguments: '"{\\"p\\":3}"' } }],
        [{ index: 3, id: 'd', function: { name: 'read', arguments: 'null' } }],
      ],
      expected: [
        { id: 'a', input: { p: 1 } },
        { id: 'b', input: {} },
        { id: 'c', input: { p: 3 } },
        { id: 'd', input: {} },
      ],
    },
    {
      id: 'F23',
      when: 'a call has no name at all',
      chunks: [[args('{"p":1}', { index: 0, id: 'a' })]],
      expected: [{ id: 'a', name: '', input: { p: 1 } }],
    },
  ]
  test.each(rows)('$id: $when', ({ chunks, expected }) => {
    const { calls } = callsFrom(chunks)
    expect(calls).toHaveLength(expected.length)
    expect(calls).toMatchObject(expected)
    expect(calls.every((one) => one.malformed === undefined)).toBe(true)
  })
})

test('the deltas of a call carry its final id, its name once and every argument character once', () => {
  const { events, calls } = callsFrom([
    [args('{"p":', { index: 0 })],
    [call('', { index: 0 })],
    [call('1', { index: 0 })],
    [args('}', { index: 0 })],
  ])
  const id = calls[0]?.id
  expect(events).toEqual([
    { type: 'tool_call_delta', id, name: 'read', inputChunk: '{"p":' },
    { type: 'tool_call_delta', id, inputChunk: '1' },
    { type: 'tool_call_delta', id, inputChunk: '}' },
  ])
})

test('an id that the conversation already used is replaced', () => {
  const { calls } = callsFrom([[call('{}', { index: 0, id: 'call_0' })]], 'tool_calls', ['call_0'])
  expect(calls).toEqual([{ id: made, name: 'read', input: {} }])
})

test('F09: calls that are there count, whatever the finish reason says', () => {
  for (const word of ['stop', 'end_turn', 'STOP', 'tool_calls', 'function_call']) {
    expect(callsFrom([[call('{}', { index: 0, id: 'a' })]], word)).toMatchObject({
      finish: 'tool_calls',
      calls: [{ id: 'a' }],
    })
  }
})

test('F11: arguments that break off under finish tool_calls are invalid JSON, kept as raw text', () => {
  const raw = '{"path":"a","content":"aaa'
  const { calls, finish } = callsFrom([[call(raw, { index: 0, id: 'a' })]])
  expect(finish).toBe('tool_calls')
  expect(calls).toEqual([{ id: 'a', name: 'read', input: raw, malformed: expect.stringMatching(/^not valid JSON: /) }])
})

test('F12: under finish length the same arguments were cut off by the output limit; a whole call before them stays', () => {
  const { calls, finish } = callsFrom(
    [
      [call('{"p":1}', { index: 0, id: 'a' })],
      [call('{"path":"a","content":"aaa', { index: 1, id: 'b' })],
      [call('', { index: 2, id: 'c' })],
    ],
    'length',
  )
  expect(finish).toBe('length')
  expect(calls).toEqual([
    { id: 'a', name: 'read', input: { p: 1 } },
    { id: 'b', name: 'read', input: '{"path":"a","content":"aaa', malformed: 'cut off by the output limit' },
    { id: 'c', name: 'read', input: '', malformed: 'cut off by the output limit' },
  ])
})

test('F13: malformed arguments are called invalid, not cut', () => {
  const { calls } = callsFrom([[call('{"a": listt"}', { index: 0, id: 'a' })]])
  expect(calls[0]?.malformed).toMatch(/^not valid JSON: /)
  expect(calls[0]?.malformed).not.toContain('limit')
})

test('F20: chunks without choices neither break nor hide the usage', () => {
  const reply = createAccumulator(new Set())
  const chunks: unknown[] = [
    { choices: [], prompt_filter_results: [{}] },
    { choices: null },
    null,
    'text',
    42,
    {},
    { choices: [null, 7] },
    { choices: [{ delta: null }] },
    { choices: [{}] },
    { choices: [{ delta: { content: 'hi', tool_calls: [null, 'x', {}] } }] },
    { choices: [{ delta: {}, finish_reason: 'stop' }], usage: null },
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } },
  ]
  expect(chunks.flatMap((chunk) => reply.push(chunk))).toEqual([{ type: 'text_delta', text: 'hi' }])
  expect(reply.usage).toEqual({ prompt_tokens: 3, completion_tokens: 4 })
  expect(reply.end()).toEqual({ calls: [], finish: 'stop' })
})

test('usage is found wherever servers put it', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2 }
  for (const chunk of [{ usage }, { x_groq: { usage } }, { choices: [{ delta: {}, usage }] }]) {
    const reply = createAccumulator(new Set())
    reply.push(chunk)
    expect(reply.usage).toEqual(usage)
  }
})

test('F18: an error in a chunk or in a choice is kept as it came, and nothing is emitted after it', () => {
  const inChunk = createAccumulator(new Set())
  inChunk.push({ error: { message: 'quota', code: 429 } })
  expect(inChunk.error).toEqual({ message: 'quota', code: 429 })
  expect(inChunk.push({ choices: [{ delta: { content: 'late' } }] })).toEqual([])
  const inChoice = createAccumulator(new Set())
  inChoice.push({ choices: [{ error: { message: 'no worker' } }] })
  expect(inChoice.error).toEqual({ message: 'no worker' })
  const none = createAccumulator(new Set())
  none.push({ error: null, choices: [{ delta: { content: 'x' }, error: {} }] })
  expect(none.error).toBeUndefined()
})

test('reasoning is told apart from words, under each of its names and once only', () => {
  const reply = createAccumulator(new Set())
  const deltas = [
    { reasoning_content: 'a' },
    { reasoning: 'b' },
    { reasoning: 'c', reasoning_content: 'c' },
    {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'd' }] },
        { type: 'text', text: 'E' },
      ],
    },
    { content: 'F', role: 'assistant' },
    { refusal: 'G' },
  ]
  expect(deltas.flatMap((delta) => reply.push({ choices: [{ delta }] }))).toEqual([
    { type: 'reasoning_delta', text: 'a' },
    { type: 'reasoning_delta', text: 'b' },
    { type: 'reasoning_delta', text: 'c' },
    { type: 'reasoning_delta', text: 'd' },
    { type: 'text_delta', text: 'E' },
    { type: 'text_delta', text: 'F' },
    { type: 'text_delta', text: 'G' },
  ])
})

test('however well-labelled calls are cut into fragments and interleaved, they come out as they went in', () => {
  const inputs = fc.dictionary(fc.string({ maxLength: 5 }), fc.oneof(fc.string(), fc.integer(), fc.constant(null)), {
    maxKeys: 4,
  })
  fc.assert(
    fc.property(
      fc.array(fc.record({ input: inputs, cuts: fc.array(fc.nat(60), { maxLength: 5 }) }), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.boolean(),
      fc.infiniteStream(fc.nat(3)),
      (wanted, repeatIds, order) => {
        const queues = wanted.map(({ input, cuts }, index) => {
          const pieces = cutAt(JSON.stringify(input), cuts)
          const head = { index, id: `id${index}`, function: { name: `tool${index}`, arguments: '' } }
          return [head, ...pieces.map((text) => args(text, repeatIds ? { index, id: `id${index}` } : { index }))]
        })
        const chunks: Fragment[][] = []
        while (queues.some((queue) => queue.length > 0)) {
          const alive = queues.filter((queue) => queue.length > 0)
          const next = alive[(order.next().value ?? 0) % alive.length]?.shift()
          if (next) chunks.push([next])
        }
        const { calls } = callsFrom(chunks)
        expect(calls.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(
          wanted.map(({ input }, index) => ({
            id: `id${index}`,
            name: `tool${index}`,
            input: JSON.parse(JSON.stringify(input)),
          })),
        )
      },
    ),
  )
})

test('no chunk of any shape makes the accumulator throw', () => {
  const odd = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, '', 'x', 0, 1, true, '{', '{}'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          'choices',
          'delta',
          'message',
          'tool_calls',
          'function',
          'name',
          'arguments',
          'id',
          'index',
          'content',
          'usage',
          'error',
          'finish_reason',
          'reasoning',
        ),
        tie('value'),
        { maxKeys: 5 },
      ),
    ),
  })).value
  fc.assert(
    fc.property(fc.array(odd, { maxLength: 6 }), (chunks) => {
      const reply = createAccumulator(new Set())
      for (const chunk of chunks) reply.push(chunk)
      const ids = reply.end().calls.map((one) => one.id)
      expect(new Set(ids).size).toBe(ids.length)
    }),
  )
})

function cutAt(text: string, cuts: number[]): string[] {
  const places = [...new Set([0, ...cuts.filter((cut) => cut < text.length), text.length])].toSorted((a, b) => a - b)
  return places.slice(1).map((end, at) => text.slice(places[at], end))
}
