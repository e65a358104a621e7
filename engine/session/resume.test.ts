import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ask, brokenPairs, createCannedModel, say } from '../../fixtures/canned-model.ts'
import { createWorld, done, judgeBy, testTool } from '../../fixtures/session-world.ts'
import { type AgentEvent, type EventBody, isDurable, type Message } from '../protocol/index.ts'
import { resumeSession } from './resume.ts'

const run = testTool('run', 'execute', (_input, context) => {
  context.setTodo([{ id: '1', text: 'do it', status: 'done' }])
  return done('ran')
})

async function recorded(): Promise<AgentEvent[]> {
  const model = createCannedModel([
    ask('a', ['run', {}], ['run', { n: 2 }]),
    say('first'),
    ask('b', ['run', { n: 3 }]),
    say('second'),
  ])
  const world = createWorld({
    model,
    tools: [run],
    judge: judgeBy({ run: 'ask' }),
    unattended: (request) => ({ decision: { type: 'allow', digest: request.digest }, decidedBy: 'person' }),
  })
  await world.turn('one')
  world.session.setMode('accept-edits')
  await world.turn('two')
  return world.events.filter(isDurable)
}

describe('a resumed session', () => {
  it('has the history, settings, plan and cost of the recorded one', async () => {
    const resumed = resumeSession(await recorded())
    expect(resumed.history.map((message) => `${message.role} ${message.content}`)).toEqual([
      'user one',
      'assistant ',
      'tool ran',
      'tool ran',
      'assistant first',
      'user two',
      'assistant ',
      'tool ran',
      'assistant second',
    ])
    expect(resumed).toMatchObject({
      cwd: '/workspace',
      model: 'canned',
      mode: 'accept-edits',
      todo: [{ id: '1', text: 'do it', status: 'done' }],
      repairs: [],
    })
    expect(resumed.spentUsd).toBeCloseTo(0.04)
  })

  it('is valid wherever the record was cut off: every call has one result, every turn an end', async () => {
    const events = await recorded()
    fc.assert(
      fc.property(fc.integer({ min: 0, max: events.length }), (length) => {
        const kept = events.slice(0, length)
        const resumed = resumeSession(kept)
        expect(brokenPairs(resumed.history)).toBeUndefined()
        const starts = kept.filter((event) => event.type === 'turn_start').length
        const ends =
          kept.filter((event) => event.type === 'turn_end').length +
          resumed.repairs.filter(({ body }) => body.type === 'turn_end').length
        expect(ends).toBe(starts)
        // Resuming what was repaired needs no further repair.
        const repaired = resumed.repairs.map(
          ({ turnId, body }, i): AgentEvent => ({ v: 1, seq: 1000 + i, time: '', sessionId: 's', turnId, ...body }),
        )
        expect(resumeSession([...kept, ...repaired]).repairs).toEqual([])
      }),
    )
  })

  it('says of a call that had started that it may have run, and of one that had not that it did not', async () => {
    const events = await recorded()
    const start = events.findIndex((event) => event.type === 'tool_start')
    const { history } = resumeSession(events.slice(0, start + 1))
    expect(history.at(-2)?.content).toContain('may or may not have run')
    expect(history.at(-1)?.content).toContain('had no effect')
  })

  it('goes on with rising numbers and records its repairs first', async () => {
    const events = await recorded()
    const cut = events.slice(0, events.findIndex((event) => event.type === 'tool_start') + 1)
    const model = createCannedModel([say('back')])
    const world = createWorld({ model, tools: [run], resumed: { ...resumeSession(cut), open: undefined } })
    expect(await world.turn('go on')).toBe('final_answer')
    expect(world.events[0]).toMatchObject({ type: 'session_start', resumed: true, seq: (cut.at(-1)?.seq ?? 0) + 1 })
    expect(world.types().slice(1, 4)).toEqual(['tool_result', 'tool_result', 'turn_end'])
  })
})

describe('what is restored besides the conversation', () => {
  const at = (bodies: EventBody[], turnId: string | null = 't1') =>
    bodies.map((body, i): AgentEvent => ({ v: 1, seq: i + 1, time: '', sessionId: 's', turnId, ...body }))
  const start: EventBody = { type: 'session_start', cwd: '/w', model: 'm', mode: 'default', version: '0' }
  const call = (id: string, name: string, input: unknown = {}) => ({ id, name, input })
  const asks = (...toolCalls: ReturnType<typeof call>[]): EventBody => ({
    type: 'message',
    message: { role: 'assistant', content: '', toolCalls },
  })
  const result = (one: ReturnType<typeof call>, metadata: object, content = 'ok', ok = true): EventBody => ({
    type: 'tool_result',
    call: one,
    result: { ok, summary: '', content, metadata: { durationMs: 1, ...metadata } },
    blocks: [],
  })
  const queue = (...texts: string[]): EventBody => ({
    type: 'queue',
    items: texts.map((text) => ({ id: `q-${text}`, text })),
  })

  it('rules that the person gave for the session, once each, and none of another scope', () => {
    const yes = (id: string, scope: 'session' | 'user', text: string): EventBody => ({
      ...{ type: 'approval_decision', id, callId: 'c', decidedBy: 'person' },
      decision: { type: 'allow', digest: 'd', rule: { text, scope } },
    })
    const { rules } = resumeSession(
      at([
        start,
        yes('1', 'session', 'bash(ls *)'),
        yes('2', 'user', 'bash(npm *)'),
        yes('3', 'session', 'bash(ls *)'),
      ]),
    )
    expect(rules).toEqual(['bash(ls *)'])
  })

  it.each<[string, EventBody[], string[]]>([
    ['words that still wait', [queue('a', 'b')], ['a', 'b']],
    ['none that joined', [queue('a'), queue(), { type: 'message', message: { role: 'user', content: 'a' } }], []],
    ['words that were taken out and had not joined yet', [queue('a', 'b'), queue()], ['a', 'b']],
    [
      'the one of two that had not joined yet',
      [queue('a', 'b'), queue(), { type: 'message', message: { role: 'user', content: 'a' } }],
      ['b'],
    ],
    ['none that began a turn', [queue('a', 'b'), queue('b'), { type: 'turn_start', input: 'a' }], ['b']],
    ['none that the person took back', [queue('a'), queue(), { type: 'todo', items: [] }], []],
  ])('%s', (_, bodies, waiting) => {
    expect(
      resumeSession(at([start, { type: 'turn_start', input: 'x' }, ...bodies])).queue.map(({ text }) => text),
    ).toEqual(waiting)
  })

  it('words that waited go to the model before new ones, in one turn', async () => {
    const model = createCannedModel([say('one'), say('two')])
    const world = createWorld({
      model,
      resumed: { ...resumeSession(at([start])), queue: [{ id: 'q', text: 'waited' }] },
    })
    expect(world.events.filter(({ type }) => type === 'queue')).toMatchObject([{ items: [{ text: 'waited' }] }])
    expect(world.events.filter(({ type }) => type === 'notice')).toMatchObject([
      { code: 'words_wait', text: 'Not sent yet: “waited”; it goes to the model before your next message.' },
    ])
    expect(await world.turn('new')).toBe('final_answer')
    expect(
      model.requests
        .at(-1)
        ?.messages.slice(1)
        .map(({ content }) => content),
    ).toEqual(['waited', 'one', 'new'])
  })

  it('which files the model knows: what was read or written as it was then', () => {
    const [whole, part, wrote, edited, secret] = ['a', 'b', 'c', 'd', 'e'].map((id) =>
      call(id, id === 'c' ? 'write_file' : id === 'd' ? 'edit_file' : 'read_file'),
    )
    if (!whole || !part || !wrote || !edited || !secret) throw new Error('five calls')
    const { files } = resumeSession(
      at([
        start,
        { type: 'turn_start', input: 'x' },
        asks(whole, part, wrote, edited, secret),
        result(whole, { path: 'whole', hash: 'h1', truncated: false, startLine: 1 }),
        result(part, { path: 'part', hash: 'h2', truncated: true, startLine: 1 }),
        result(wrote, { path: 'new', oldHash: null, newHash: 'h3' }),
        result(edited, { path: 'part', oldHash: 'h2', newHash: 'h4' }),
        result(secret, { path: 'secret', hash: 'h5', truncated: false, startLine: 1 }, 'key=[redacted: token]'),
      ]),
    )
    expect(files).toEqual([
      { name: 'whole', seen: { hash: 'h1', whole: true } },
      { name: 'new', seen: { hash: 'h3', whole: true } },
      { name: 'part', seen: { hash: 'h4', whole: false } },
      { name: 'secret', seen: { hash: 'h5', whole: false } },
    ])
    expect(
      resumeSession(
        at([
          start,
          { type: 'turn_start', input: 'x' },
          asks(wrote),
          result(wrote, { path: 'n', oldHash: null, newHash: 'h' }),
          { type: 'cleared' },
        ]),
      ).files,
    ).toEqual([])
  })
})

describe('a damaged record', () => {
  const at = (bodies: EventBody[], turnId: string | null = 't1') =>
    bodies.map((body, i): AgentEvent => ({ v: 1, seq: i + 1, time: '', sessionId: 's', turnId, ...body }))
  const ran = (id: string, content = `out ${id}`): EventBody => ({
    ...{ type: 'tool_result', call: { id, name: 'run', input: {} }, blocks: [] },
    result: { ok: true, summary: '', content, metadata: { durationMs: 1 } },
  })
  const asks = (...ids: string[]): EventBody => ({
    type: 'message',
    message: { role: 'assistant', content: '', toolCalls: ids.map((id) => ({ id, name: 'run', input: {} })) },
  })
  const words = (bodies: EventBody[]) =>
    resumeSession(at(bodies)).history.map(
      (message) => `${message.role} ${message.role === 'tool' ? message.toolCallId : message.content}`,
    )

  it('keeps results in the order of their calls where one of them was lost', () => {
    const bodies: EventBody[] = [
      { type: 'turn_start', input: 'x' },
      asks('a', 'b', 'c'),
      ran('b'),
      { type: 'message', message: { role: 'assistant', content: 'on' } },
    ]
    expect(words(bodies)).toEqual(['user x', 'assistant ', 'tool a', 'tool b', 'tool c', 'assistant on'])
  })

  it('says where the words of a turn were lost, so that no answer comes first', () => {
    expect(words([{ type: 'message', message: { role: 'assistant', content: 'an answer' } }])).toEqual([
      expect.stringMatching(/^user \[Words of the person that could not be read/),
      'assistant an answer',
    ])
  })

  it('leaves out results without their call, and calls that no provider would take back', () => {
    const { history, dropped } = resumeSession(
      at([{ type: 'turn_start', input: 'x' }, ran('nobody'), asks('a', 'a', ''), ran('a')]),
    )
    expect(brokenPairs(history)).toBeUndefined()
    expect(history).toHaveLength(3)
    expect(dropped).toBe(1)
  })

  it('shortens a result that would fill every request', () => {
    const { history, shortened } = resumeSession(
      at([{ type: 'turn_start', input: 'x' }, asks('a'), ran('a', `start${'x'.repeat(2e6)}end`)]),
    )
    const content = history.at(-1)?.content ?? ''
    expect(shortened).toBe(1)
    expect(content.length).toBeLessThan(301_000)
    expect(content).toMatch(/^startx+\n\[… 1700008 characters were left out when the session was resumed …\]\nx+end$/)
  })
})

describe('a rewound session', () => {
  const at = (turnId: string | null, ...bodies: EventBody[]) => bodies.map((body) => ({ turnId, body }))
  const turn = (n: number) =>
    at(
      `t${n}`,
      { type: 'turn_start', input: `q${n}` },
      { type: 'message', message: { role: 'assistant', content: `a${n}` } },
      { type: 'turn_end', reason: 'final_answer', durationMs: 0, replies: 1, calls: 0 },
    )
  const rewound = (id: string, toTurnId: string | null, undoes?: string) =>
    at(null, {
      type: 'rewound',
      rewound: {
        id,
        toTurnId,
        input: '',
        conversation: true,
        turns: 1,
        files: [],
        kept: [],
        ...(undoes ? { undoes } : {}),
      },
    })
  const said = (parts: { turnId: string | null; body: EventBody }[]) =>
    resumeSession(
      parts.map(({ turnId, body }, i): AgentEvent => ({ v: 1, seq: i + 1, time: '', sessionId: 's', turnId, ...body })),
    ).history.map(({ content }) => content)

  it('goes on from where it was rewound to, and an undo brings back what was left', () => {
    const before = [...turn(1), ...turn(2), ...turn(3), ...rewound('r1', 't2')]
    expect(said(before)).toEqual(['q1', 'a1'])
    expect(said([...before, ...turn(4)])).toEqual(['q1', 'a1', 'q4', 'a4'])
    expect(said([...before, ...rewound('r2', null, 'r1')])).toEqual(['q1', 'a1', 'q2', 'a2', 'q3', 'a3'])
  })
})

describe('a session longer than any model can read', () => {
  const turnsOf = (count: number, results: number, chars: number) =>
    Array.from({ length: count }, (_, turn): EventBody[] => {
      const calls = Array.from({ length: results }, (_, i) => ({ id: `${turn}-${i}`, name: 'run', input: {} }))
      return [
        { type: 'turn_start', input: `q${turn}` },
        ...calls.flatMap((call): EventBody[] => [
          { type: 'message', message: { role: 'assistant', content: '', toolCalls: [call] } },
          {
            ...{ type: 'tool_result', call, blocks: [] },
            result: { ok: true, summary: '', content: 'x'.repeat(chars), metadata: { durationMs: 0 } },
          },
        ]),
        { type: 'turn_end', reason: 'final_answer', durationMs: 0, replies: 1, calls: results },
      ]
    }).flat()
  const resumed = (bodies: EventBody[]) =>
    resumeSession(
      bodies.map((body, i): AgentEvent => ({ v: 1, seq: i + 1, time: '', sessionId: 's', turnId: 't', ...body })),
    )
  const size = ({ history }: { history: Message[] }) => history.reduce((sum, { content }) => sum + content.length, 0)

  it('keeps the newest as they are, then shorter results, then no more turns', () => {
    const { history } = resumed(turnsOf(6000, 1, 20_000))
    expect(size({ history })).toBeLessThan(10_500_000)
    expect(history.at(0)?.role).toBe('user')
    expect(history.at(-1)?.content).toHaveLength(20_000)
    expect(history.at(2)?.content).toMatch(/18000 characters were left out/)
    expect(brokenPairs(history)).toBeUndefined()
  })

  it('shortens the results of one very long turn, and keeps all of it', () => {
    const { history } = resumed(turnsOf(1, 1000, 50_000))
    expect(size({ history })).toBeLessThan(12_000_000)
    expect(history).toHaveLength(2001)
    expect(brokenPairs(history)).toBeUndefined()
  })
})
