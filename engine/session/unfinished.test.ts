import { describe, expect, it } from 'vitest'
import type { AgentEvent, CommandProcess, EventBody } from '../protocol/index.ts'
import { resumeSession } from './resume.ts'

const start: EventBody = { type: 'session_start', cwd: '/w', model: 'm', mode: 'default', version: '0' }
const again: EventBody = { ...start, resumed: true }
const begin: EventBody = { type: 'turn_start', input: 'go' }
const partial = (text: string, reasoning?: string): EventBody => ({
  type: 'partial',
  text,
  ...(reasoning ? { reasoning } : {}),
})
const says = (content: string): EventBody => ({ type: 'message', message: { role: 'assistant', content } })

/** Each a second after the one before; numbers are seconds that pass on top. */
function records(...bodies: (EventBody | number)[]): AgentEvent[] {
  let now = Date.UTC(2026, 0, 1)
  let seq = 0
  return bodies.flatMap((body): AgentEvent[] => {
    now += (typeof body === 'number' ? body : 1) * 1000
    if (typeof body === 'number') return []
    const outside = body.type === 'session_start' || body.type === 'session_end'
    const head = {
      v: 1,
      seq: ++seq,
      time: new Date(now).toISOString(),
      sessionId: 's',
      turnId: outside ? null : 't1',
    } as const
    return [{ ...head, ...body }]
  })
}

describe('a reply that streamed when its process died', () => {
  const cut = records(start, begin, partial('One ', 'hm '), partial('two ', 'hm'))

  it('is in the history as one that was cut short, and recorded before the turn is closed', () => {
    const { history, repairs, open } = resumeSession(cut)
    const message = { role: 'assistant', content: 'One two ', reasoning: 'hm hm' }
    expect(history).toEqual([{ role: 'user', content: 'go' }, message])
    expect(open).toBeUndefined()
    expect(repairs).toEqual([
      { turnId: 't1', body: { type: 'message', message, partial: true, repaired: true } },
      {
        turnId: 't1',
        body: { type: 'turn_end', reason: 'user_abort', durationMs: 2000, replies: 0, calls: 0, processEnded: true },
      },
    ])
  })

  it('is repaired once, also when the process that did it died between two records', () => {
    const { repairs } = resumeSession(cut)
    const bodies = repairs.map(({ body }) => body)
    const all = records(start, begin, partial('One '), partial('two '), again, ...bodies)
    expect(resumeSession(all).repairs).toEqual([])
    expect(resumeSession(all).history).toHaveLength(2)
    const half = resumeSession(all.slice(0, -1))
    expect(half.repairs.map(({ body }) => body.type)).toEqual(['turn_end'])
    expect(half.history).toHaveLength(2)
  })

  it.each([
    ['its whole message', [partial('One '), says('One two three')], ['One two three']],
    ['another attempt', [partial('One '), { type: 'notice', level: 'warn', code: 'model_retry', text: '' }], []],
    [
      'the other attempt’s words',
      [partial('One '), { type: 'notice', level: 'warn', code: 'model_retry', text: '' }, partial('1 ')],
      ['1 '],
    ],
    [
      'an end by an older version',
      [partial('One '), again, { type: 'turn_end', reason: 'user_abort', durationMs: 0, replies: 0, calls: 0 }],
      [],
    ],
  ] as [string, EventBody[], string[]][])('gives way to %s', (_, bodies, said) => {
    const { history } = resumeSession(records(start, begin, ...bodies))
    expect(history.slice(1).map(({ content }) => content)).toEqual(said)
  })

  it('with thoughts only is recorded, and is none for the model', () => {
    const { history, repairs } = resumeSession(records(start, begin, partial('', 'hm')))
    expect(history).toHaveLength(1)
    expect(repairs[0]?.body).toMatchObject({ type: 'message', message: { content: '', reasoning: 'hm' } })
  })
})

it('a turn whose process died has worked as long as its records show, without the time between two processes', () => {
  const todo: EventBody = { type: 'todo', items: [] }
  const { repairs } = resumeSession(records(start, begin, 10, todo, 3600, again, todo, 5, todo, 3600))
  expect(repairs.at(-1)?.body).toMatchObject({ type: 'turn_end', durationMs: 11_000 + 6_000, processEnded: true })
})

describe('a command that goes on after its process died', () => {
  const leader: CommandProcess = { pid: 4711, group: 4711, started: 'then', host: 'h', space: '' }
  const call = { id: 'c1', name: 'bash', input: { command: 'npm run dev' } }
  const asks: EventBody = { type: 'message', message: { role: 'assistant', content: '', toolCalls: [call] } }
  const runs: EventBody[] = [asks, { type: 'tool_start', call }, { type: 'tool_process', callId: 'c1', leader }]
  const done = (metadata: object): EventBody => ({
    type: 'tool_result',
    call,
    result: { ok: true, summary: '', content: 'ok', metadata: { durationMs: 1, ...metadata } },
    blocks: [],
  })
  const end: EventBody = { type: 'turn_end', reason: 'final_answer', durationMs: 1, replies: 1, calls: 1 }
  const notices = (events: AgentEvent[], stillRuns: boolean) =>
    resumeSession(events, { stillRuns: (one) => stillRuns && one.pid === 4711 }).repairs.flatMap(({ body }) =>
      body.type === 'notice' ? [body.text] : [],
    )
  const said =
    "`npm run dev` was left behind when the session's process ended: its process 4711 still runs; `kill -- -4711` stops it."

  it('is named to the model in the result of its call, and to the person', () => {
    const cut = records(start, begin, ...runs)
    const { history } = resumeSession(cut, { stillRuns: () => true })
    expect(history.at(-1)?.content).toBe(
      'Interrupted: the session ended before this call had a result. The command `npm run dev` goes on without it: its process 4711 still runs; `kill -- -4711` stops it. Look at what it has done before you run it again.',
    )
    expect(notices(cut, true)).toEqual([said])
    expect(notices(cut, false)).toEqual([])
    expect(resumeSession(cut).history.at(-1)?.content).toContain('may or may not have run')
  })

  it('is named with a turn that is gone on with, too', () => {
    const waits = { id: 'c2', name: 'bash', input: { command: 'ls' } }
    const two: EventBody = { type: 'message', message: { role: 'assistant', content: '', toolCalls: [call, waits] } }
    const { open } = resumeSession(records(start, begin, two, ...runs.slice(1)), { stillRuns: () => true })
    expect(open?.notices.map(({ text }) => text)).toEqual([said])
    expect(open?.cutOff[0]?.result.content).toContain('kill -- -4711')
  })

  it.each([
    ['in the background', [...runs, done({ stillRunning: [4711] }), end], [said]],
    [
      'in the background, told before',
      [...runs, done({ stillRunning: [4711] }), end, again, { type: 'session_end' }],
      [said],
    ],
    [
      'since a kill that was repaired',
      [...runs, again, done({ repaired: true }), end, { type: 'session_end' }],
      [said],
    ],
    [
      'nowhere: its process ended in order',
      [...runs, done({ stillRunning: [4711] }), end, { type: 'session_end' }],
      [],
    ],
    ['nowhere: it had ended with its call', [...runs, done({ stillRunning: [] }), end], []],
    [
      'in the session that this is a fork of',
      [...runs, done({ stillRunning: [4711] }), end, { ...again, forkedFrom: 's0' }],
      [],
    ],
  ] as [string, EventBody[], string[]][])('%s', (_, bodies, expected) =>
    expect(notices(records(start, begin, ...bodies), true)).toEqual(expected),
  )
})
