import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ask, brokenPairs, createCannedModel, say } from '../../fixtures/canned-model.ts'
import { createWorld, done, judgeBy, testTool } from '../../fixtures/session-world.ts'
import { type AgentEvent, isDurable } from '../protocol/index.ts'
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
    const world = createWorld({ model, tools: [run], resumed: resumeSession(cut) })
    expect(await world.turn('go on')).toBe('final_answer')
    expect(world.events[0]).toMatchObject({ type: 'session_start', resumed: true, seq: (cut.at(-1)?.seq ?? 0) + 1 })
    expect(world.types().slice(1, 4)).toEqual(['tool_result', 'tool_result', 'turn_end'])
  })
})
