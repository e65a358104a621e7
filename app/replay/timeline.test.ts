import { isDurable } from '@sluice/engine/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { endTurn, eventStream, say, startSession, startTurn, teller } from '../../fixtures/screen/event-streams.ts'
import { initialState, reduce } from '../state/index.ts'
import { timelineOf, turnStarts } from './timeline.ts'

test('law 4: a replay has, at the end of every turn, the state of the live run', () => {
  fc.assert(
    fc.property(eventStream, (events) => {
      const live = new Map<number, unknown>()
      let state = initialState
      for (const event of events) {
        state = reduce(state, event)
        if (event.type === 'turn_end') live.set(event.seq, state)
      }
      let replayed = initialState
      let turns = 0
      for (const { event } of timelineOf(events.filter(isDurable))) {
        replayed = reduce(replayed, event)
        if (event.type !== 'turn_end') continue
        turns++
        expect(replayed).toEqual(live.get(event.seq))
      }
      expect(turns).toBe(live.size)
      expect(replayed).toEqual(state)
    }),
    { numRuns: 100 },
  )
})

test('a reply grows again in pieces that together are its text, and waits are bounded', () => {
  const to = teller()
  startSession(to)
  startTurn(to, 'tell me')
  const text = 'a 👩‍👩‍👧 family of words '.repeat(40)
  to.tell({ type: 'message', message: { role: 'assistant', content: text, reasoning: 'hm' } }, 60_000)
  endTurn(to)
  const steps = timelineOf(to.events.filter(isDurable), { longestWaitMs: 1500 })
  const told = (type: string) =>
    steps.flatMap(({ event }) => (event.type === type && 'text' in event ? [event.text] : []))
  expect(told('text_delta').join('')).toBe(text)
  expect(told('text_delta').length).toBeGreaterThan(10)
  expect(told('text_delta').every((piece) => piece.isWellFormed())).toBe(true)
  expect(told('reasoning_delta')).toEqual(['hm'])
  expect(steps.reduce((sum, { waitMs }) => sum + waitMs, 0)).toBeCloseTo(10 + 1500 + 10, 5)
  expect(turnStarts(steps)).toEqual([1])
})

test('parts of a reply are told once: in its whole, or by themselves where that is missing', () => {
  const to = teller()
  startSession(to)
  startTurn(to, 'tell me')
  to.tell({ type: 'partial', text: 'lost ' })
  to.tell({ type: 'notice', level: 'warn', code: 'model_retry', text: 'again' })
  to.tell({ type: 'partial', text: 'One ' })
  const whole = to.events.length
  to.tell({ type: 'message', message: { role: 'assistant', content: 'One two.' } })
  const told = (events: typeof to.events) =>
    timelineOf(events)
      .flatMap(({ event }) => (event.type === 'text_delta' ? [event.text] : []))
      .join('')
  expect(told(to.events)).toBe('One two.')
  expect(told(to.events.slice(0, whole))).toBe('One ')
})

test('clocks that ran backwards and times that are none cost no time', () => {
  const to = teller()
  startSession(to)
  startTurn(to, 'x')
  say(to, '')
  const times = ['2026-11-30T12:00:05.000Z', '2026-11-30T12:00:00.000Z', 'yesterday']
  const events = to.events.map((event, n) => ({ ...event, time: times[n] ?? 'never' }))
  expect(timelineOf(events).map(({ waitMs }) => waitMs)).toEqual([0, 0, 0])
})
