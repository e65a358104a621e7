import { afterEach, describe, expect, it, vi } from 'vitest'
import { ask, createCannedModel, say } from '../../fixtures/canned-model.ts'
import { openRewinding, removeRewindFolders, rewindPlace } from '../../fixtures/rewind-world.ts'
import type { AgentEvent } from '../protocol/index.ts'
import { forkEvents } from './fork.ts'
import { resumeSession } from './resume.ts'

vi.setConfig({ testTimeout: 60_000 })

let close: (() => Promise<void>) | undefined
afterEach(async () => {
  await close?.()
  removeRewindFolders()
})

const to = { sessionId: 's_fork', time: '2026-11-30T12:00:00.000Z' }

/** Three turns; the second runs a command. */
async function recorded() {
  const model = createCannedModel([say('first'), ask('b', ['bash', { command: 'true' }]), say('second'), say('third')])
  const world = openRewinding(rewindPlace(), model)
  close = world.close
  await world.turn('one')
  await world.turn('two')
  world.session.setTitle('mine')
  await world.turn('three')
  const turnIds = world.events.flatMap((event) => (event.type === 'turn_start' ? [event.turnId ?? ''] : []))
  return { ...world, turnIds, events: world.stored() }
}

const bare = (events: readonly AgentEvent[]) => events.map((event) => ({ ...event, sessionId: '' }))

describe('a fork', () => {
  it('before a turn has the records up to there, and the words of the turn to go on with', async () => {
    const { events, turnIds } = await recorded()
    const fork = forkEvents(events, to, turnIds[2] ?? '')
    const at = events.findIndex((event) => event.type === 'turn_start' && event.turnId === turnIds[2])
    expect(bare(fork?.events.slice(0, -1) ?? [])).toEqual(bare(events.slice(0, at)))
    expect(fork?.events.every(({ sessionId }) => sessionId === 's_fork')).toBe(true)
    expect(fork?.events.at(-1)).toMatchObject({
      ...{ type: 'session_start', resumed: true, forkedFrom: 's_one', title: 'mine', mode: 'yolo', model: 'canned' },
      ...{ seq: (events[at - 1]?.seq ?? 0) + 1, time: to.time, turnId: null },
    })
    expect({ input: fork?.input, ids: fork?.ids }).toEqual({ input: 'three', ids: new Set(turnIds.slice(0, 2)) })
  })

  it('resumes with the history of those turns, and costs nothing yet', async () => {
    const { events, turnIds } = await recorded()
    const fork = forkEvents(events, to, turnIds[1] ?? '')
    const resumed = resumeSession(fork?.events ?? [])
    expect(resumed.history).toEqual([
      { role: 'user', content: 'one' },
      expect.objectContaining({ role: 'assistant', content: 'first' }),
    ])
    expect(resumed).toMatchObject({ spentUsd: 0, repairs: [], lastSeq: fork?.events.at(-1)?.seq })
    expect(resumeSession(events).spentUsd).toBeCloseTo(0.04)
  })

  it('of the whole leaves out a turn that runs, and words that wait', async () => {
    const { events } = await recorded()
    const end = events.length
    const cut = events.slice(
      0,
      events.findLastIndex(({ type }) => type === 'message'),
    )
    const running = forkEvents(cut, to, null)
    expect(running?.events.filter(({ type }) => type === 'turn_start')).toHaveLength(2)
    const last = events[end - 1]
    if (!last) throw new Error('no events')
    const waiting: AgentEvent = { ...head(last), type: 'queue', items: [{ id: 'q', text: 'later' }] }
    const whole = forkEvents([...events, waiting], to, null)
    expect(whole?.events.filter(({ type }) => type === 'turn_start')).toHaveLength(3)
    expect(resumeSession(whole?.events ?? []).queue).toEqual([])
    expect(whole?.input).toBe(null)
  })

  it('of a fork names the one it was made from, and there is none before a turn that is not there', async () => {
    const { events } = await recorded()
    const first = forkEvents(events, to, null)
    const second = forkEvents(first?.events ?? [], { ...to, sessionId: 's_more' }, null)
    expect(second?.events.at(-1)).toMatchObject({ forkedFrom: 's_fork' })
    expect(forkEvents(events, to, 't_none')).toBe(undefined)
    expect(forkEvents([], to, null)).toBe(undefined)
  })
})

function head({ v, seq, time, sessionId }: AgentEvent) {
  return { v, seq: seq + 1, time, sessionId, turnId: null }
}
