import { isDurable } from '@sluice/engine/protocol'
import { expect, test } from 'vitest'
import { createFakeClock } from '../../fixtures/fake-clock.ts'
import { endTurn, say, startSession, startTurn, teller } from '../../fixtures/screen/event-streams.ts'
import { createStore, initialState, reduce } from '../state/index.ts'
import { createPlayer } from './player.ts'
import { timelineOf } from './timeline.ts'

function recording() {
  const to = teller('s1')
  startSession(to)
  for (const words of ['one', 'two', 'three']) {
    startTurn(to, words)
    say(to, `answer to ${words}`)
    endTurn(to)
  }
  return timelineOf(
    to.events.filter(isDurable).map((event, n) => ({ ...event, time: new Date(n * 1000).toISOString() })),
  )
}

function open(speed = 1) {
  const clock = createFakeClock()
  const store = createStore({ after: () => () => {} })
  const steps = recording()
  const player = createPlayer({ steps, store, speed, after: (ms, run) => clock.after(ms, run) })
  const session = () => store.getState().sessions.s1
  return { clock, store, steps, player, session }
}

test('plays in the time of the recording, and ends with the state of the recording', async () => {
  const { clock, player, session, steps } = open()
  player.play()
  expect(player.state()).toMatchObject({ at: 0, playing: true, over: false, turns: 3 })
  await clock.advance(1500)
  expect(player.state()).toMatchObject({ turn: 1, over: false })
  expect(session()?.phase.name).toBe('working')
  await clock.advance(60_000)
  expect(player.state()).toMatchObject({ turn: 3, playing: false, over: true, at: steps.length })
  expect(session()).toEqual(steps.reduce((state, { event }) => reduce(state, event), initialState).sessions.s1)
  expect(clock.waiting).toBe(0)
})

test('twice as fast takes half the time; a pause stops it and can be ended', async () => {
  const { clock, player } = open(2)
  player.play()
  await clock.advance(4499)
  expect(player.state().over).toBe(false)
  player.pause()
  await clock.advance(60_000)
  expect(player.state()).toMatchObject({ playing: false, over: false })
  player.play()
  await clock.advance(1000)
  expect(player.state().over).toBe(true)
})

test('leaps show what was leapt over; going back takes it off the screen again', () => {
  const { player, session, store } = open()
  player.forward()
  expect([player.state().turn, session()?.turn?.id]).toEqual([1, session()?.turn?.id])
  player.forward()
  player.forward()
  const atThree = session()
  expect(player.state().turn).toBe(3)
  player.back()
  expect(player.state().turn).toBe(2)
  player.forward()
  expect(session()).toEqual(atThree)
  player.forward()
  expect(player.state()).toMatchObject({ over: true })
  player.back()
  expect(player.state().turn).toBe(3)
  for (let n = 0; n < 5; n++) player.back()
  expect(player.state()).toMatchObject({ at: 0, turn: 0 })
  expect(store.getState().order).toEqual([])
})

test('from its end it plays again from the beginning; speeds stay within bounds', async () => {
  const { clock, player } = open()
  for (let n = 0; n < 4; n++) player.forward()
  player.setSpeed(1000)
  expect(player.state().speed).toBe(64)
  player.setSpeed(0)
  expect(player.state().speed).toBe(0.25)
  player.play()
  expect(player.state()).toMatchObject({ at: 0, playing: true })
  player.close()
  await clock.advance(100_000)
  expect(player.state().at).toBe(0)
})
