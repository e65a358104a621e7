import { describe, expect, it } from 'vitest'
import { ask, cannedUsage, createCannedModel, failWith, say } from '../../fixtures/canned-model.ts'
import { createWorld, done, judgeBy, testTool } from '../../fixtures/session-world.ts'
import type { ModelEvent } from '../ports/index.ts'
import type { Message } from '../protocol/index.ts'

const echo = testTool('echo', 'read', (input) => done(`echo ${String(input.text)}`))
const broken = testTool('broken', 'read', () => ({ ok: false, summary: 'no', content: 'it does not work' }))

function contents(messages: readonly Message[]): string[] {
  return messages.map((message) => `${message.role}: ${message.content}`)
}

describe('a turn', () => {
  it('answers, records usage and ends with final_answer', async () => {
    const world = createWorld({ model: createCannedModel([say('hello')]) })
    expect(await world.turn('hi')).toBe('final_answer')
    expect(world.types()).toEqual([
      'session_start',
      'turn_start',
      'state',
      'context',
      'state',
      'state',
      'text_delta',
      'message',
      'usage',
      'state',
      'turn_end',
    ])
    expect(world.events.map((event) => event.seq)).toEqual(world.events.map((_, i) => i + 1))
  })

  it('feeds results back in call order with the user message before them', async () => {
    const model = createCannedModel([ask('a', ['echo', { text: '1' }], ['echo', { text: '2' }]), say('done')])
    const world = createWorld({ model, tools: [echo] })
    expect(await world.turn('go')).toBe('final_answer')
    expect(contents(model.requests[1]?.messages ?? [])).toEqual([
      'system: system (default)',
      'user: go',
      'assistant: ',
      'tool: echo 1',
      'tool: echo 2',
    ])
  })

  it('ends with max_turns when the model never stops calling', async () => {
    const model = createCannedModel(Array.from({ length: 5 }, (_, i) => ask(`r${i}`, ['echo', { text: i }])))
    const world = createWorld({ model, tools: [echo], limits: { maxTurns: 3 } })
    expect(await world.turn('go')).toBe('max_turns')
    expect(model.requests.length).toBe(3)
  })

  it('ends with budget_exceeded before the next call once the cost is over the limit', async () => {
    const model = createCannedModel([ask('a', ['echo', {}]), say('x')])
    const world = createWorld({ model, tools: [echo], limits: { maxCostUsd: 0.01 } })
    expect(await world.turn('go')).toBe('budget_exceeded')
    expect(model.requests.length).toBe(1)
  })

  it('ends with time_limit when the wall clock runs out, and the next turn works', async () => {
    const hang = async function* (request: { signal: AbortSignal }): AsyncIterable<ModelEvent> {
      yield { type: 'text_delta', text: 'half' }
      await new Promise((resolve) => request.signal.addEventListener('abort', resolve))
    }
    const model = createCannedModel([hang, say('again')])
    const world = createWorld({ model, limits: { timeoutMs: 1000 } })
    const ended = world.turn('go')
    await world.clock.advance(1000)
    expect(await ended).toBe('time_limit')
    expect(await world.turn('more')).toBe('final_answer')
    expect(contents(model.requests[1]?.messages ?? []).slice(1)).toEqual(['user: go', 'assistant: half', 'user: more'])
  })

  it('retries what may pass, announces the wait, and reports the last error when it does not pass', async () => {
    const limited = failWith({ code: 'MODEL_RATE_LIMITED', message: 'slow down', retryable: true, retryAfterMs: 2000 })
    const model = createCannedModel([limited, limited, say('ok')])
    const world = createWorld({ model })
    const ended = world.turn('go')
    await world.clock.advance(10_000)
    expect(await ended).toBe('final_answer')
    const notices = world.events.flatMap((event) => (event.type === 'notice' ? [event.code] : []))
    expect(notices).toEqual(['model_retry', 'model_retry'])
  })

  it('gives up at once on an error that will not pass', async () => {
    const model = createCannedModel([failWith({ code: 'MODEL_AUTH_FAILED', message: 'wrong key' }), say('fine now')])
    const world = createWorld({ model })
    expect(await world.turn('go')).toBe('model_error')
    expect(world.events.find((event) => event.type === 'error')).toMatchObject({
      error: { code: 'MODEL_AUTH_FAILED', message: 'wrong key' },
    })
    expect(await world.turn('again')).toBe('final_answer')
  })

  it('never runs the calls of a reply that broke off', async () => {
    let ran = 0
    const tool = testTool('count', 'read', () => {
      ran++
      return done('ran')
    })
    const cut: ModelEvent[] = [
      { type: 'text_delta', text: 'let me' },
      { type: 'tool_call_done', call: { id: 'x', name: 'count', input: {} } },
    ]
    const model = createCannedModel([cut, say('second try')])
    const world = createWorld({ model, tools: [tool] })
    const ended = world.turn('go')
    await world.clock.advance(10_000)
    expect(await ended).toBe('final_answer')
    expect(ran).toBe(0)
  })

  it('tells the model about a repeated failing call, then stops', async () => {
    const model = createCannedModel(Array.from({ length: 9 }, (_, i) => ask(`r${i}`, ['broken', { same: true }])))
    const world = createWorld({ model, tools: [broken] })
    expect(await world.turn('go')).toBe('tool_error')
    expect(model.requests.length).toBe(5)
    expect(model.requests[3]?.messages.at(-1)?.content).toContain('has now failed 3 times')
    expect(world.events.find((event) => event.type === 'error')).toMatchObject({ error: { code: 'TOOL_LOOP' } })
  })

  it('says when an answer was cut off by the output limit and keeps it', async () => {
    const cut: ModelEvent[] = [
      { type: 'text_delta', text: 'a long answ' },
      { type: 'message_done', usage: cannedUsage, finish: 'length' },
    ]
    const world = createWorld({ model: createCannedModel([cut]) })
    expect(await world.turn('go')).toBe('model_error')
    expect(world.events.find((event) => event.type === 'message')).toMatchObject({
      partial: true,
      message: { content: 'a long answ' },
    })
  })

  it('stops after three replies whose calls were all cut off', async () => {
    const cutCall = (id: string): ModelEvent[] => [
      { type: 'tool_call_done', call: { id, name: 'echo', input: '{"te', malformed: 'cut off by the output limit' } },
      { type: 'message_done', usage: cannedUsage, finish: 'length' },
    ]
    const model = createCannedModel(['a', 'b', 'c', 'd'].map(cutCall))
    const world = createWorld({ model, tools: [echo] })
    expect(await world.turn('go')).toBe('model_error')
    expect(model.requests.length).toBe(3)
  })

  it('lets queued words join between two model calls, and starts a turn with those that came too late', async () => {
    const model = createCannedModel([ask('a', ['slow', {}]), say('with both'), say('next turn')])
    const slow = testTool('slow', 'read', async (_input, context) => {
      world.session.send('and this too')
      await Promise.resolve()
      return done(context.callId)
    })
    const world = createWorld({ model, tools: [slow] })
    expect(await world.turn('go')).toBe('final_answer')
    expect(model.requests[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'and this too' })
    expect(world.events.filter((event) => event.type === 'queue').map((event) => event.items.length)).toEqual([1, 0])
  })

  it('leaves old results and turns out when the window is full, says so, and keeps calls with their results', async () => {
    const big = testTool('big', 'read', () => done('word '.repeat(900)))
    const replies = [
      ask('a', ['big', {}]),
      say('one'),
      ask('b', ['big', {}]),
      say('two'),
      ask('c', ['big', {}]),
      say('three'),
    ]
    const model = createCannedModel(replies, 3200)
    const world = createWorld({ model, tools: [big] })
    for (const input of ['first', 'second', 'third']) expect(await world.turn(input)).toBe('final_answer')
    const trimmed = world.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []))
    expect(trimmed).toEqual(['Left out of this request to fit the context: 1 old tool results.'])
    expect(model.requests[5]?.messages.map((message) => message.role)).toEqual([
      'system',
      ...[
        'user',
        'assistant',
        'tool',
        'assistant',
        'user',
        'assistant',
        'tool',
        'assistant',
        'user',
        'assistant',
        'tool',
      ],
    ])
  })

  it('ends with context_too_large when even the last turn does not fit', async () => {
    const world = createWorld({ model: createCannedModel([say('x')], 1000) })
    expect(await world.turn('word '.repeat(5000))).toBe('context_too_large')
  })

  it('shows an unknown tool, malformed and invalid arguments to the model as results', async () => {
    const model = createCannedModel([
      [
        { type: 'tool_call_done', call: { id: '1', name: 'nothing', input: {} } },
        {
          type: 'tool_call_done',
          call: { id: '2', name: 'echo', input: '{"a', malformed: 'not valid JSON: end of text' },
        },
        { type: 'tool_call_done', call: { id: '3', name: 'echo', input: 7 } },
        { type: 'tool_call_done', call: { id: '4', name: 'functions.Echo', input: { text: 'alias' } } },
        { type: 'message_done', usage: cannedUsage, finish: 'tool_calls' },
      ],
      say('ok'),
    ])
    const world = createWorld({ model, tools: [echo] })
    expect(await world.turn('go')).toBe('final_answer')
    const results = world.events.flatMap((event) => (event.type === 'tool_result' ? [event.result] : []))
    expect(results.map((result) => result.error ?? result.content)).toEqual([
      'TOOL_NOT_FOUND',
      'TOOL_INPUT_INVALID',
      'TOOL_INPUT_INVALID',
      'echo alias',
    ])
    expect(results[0]?.content).toContain('The tools are: echo')
  })

  it('is an async iterable over the same events', async () => {
    const world = createWorld({ model: createCannedModel([say('hello')]) })
    const types: string[] = []
    for await (const event of world.session.query('hi')) types.push(event.type)
    expect(types.at(0)).toBe('turn_start')
    expect(types.at(-1)).toBe('turn_end')
  })

  it('costs a failing context source its section only', async () => {
    const failing = {
      name: 'bad',
      load: async () => {
        throw new Error('boom')
      },
    }
    const world = createWorld({ model: createCannedModel([say('hello')]), sources: [failing] })
    expect(await world.turn('hi')).toBe('final_answer')
    expect(world.events.find((event) => event.type === 'notice')).toMatchObject({ code: 'context_source_failed' })
  })

  it('traces the turn as a tree', async () => {
    const model = createCannedModel([ask('a', ['echo', {}]), say('done')])
    const world = createWorld({ model, tools: [echo], judge: judgeBy() })
    await world.turn('go')
    expect(world.spans).toEqual([
      { name: 'context.build', parent: 'turn.run', status: 'ok' },
      { name: 'model.call', parent: 'turn.run', status: 'ok' },
      { name: 'permission.check', parent: 'turn.run', status: 'ok' },
      { name: 'tool.echo', parent: 'turn.run', status: 'ok' },
      { name: 'model.call', parent: 'turn.run', status: 'ok' },
      { name: 'turn.run', status: 'ok' },
    ])
  })
})
