import { expect, test } from 'vitest'
import { request, startSession, startTurn, teller } from '../../fixtures/screen/event-streams.ts'
import { counts, focused, openQuestions, running } from './select.ts'
import { createStore, frameMs } from './store.ts'

/** Timers that run only when the test says so. */
function handTimers() {
  const waiting = new Map<number, { at: number; run: () => void }>()
  let now = 0
  let next = 0
  return {
    waiting,
    after(ms: number, run: () => void) {
      const id = next++
      waiting.set(id, { at: now + ms, run })
      return () => {
        waiting.delete(id)
      }
    },
    pass(ms: number) {
      now += ms
      for (const [id, timer] of [...waiting]) {
        if (timer.at > now) continue
        waiting.delete(id)
        timer.run()
      }
    },
  }
}

function started() {
  const timers = handTimers()
  const store = createStore({ after: timers.after })
  const to = teller()
  startSession(to)
  startTurn(to, 'go')
  for (const event of to.events) store.dispatch(event)
  let heard = 0
  store.subscribe(() => heard++)
  return { timers, store, to, heard: () => heard }
}

test('200 deltas in one second are at most one notification per frame, and none is lost', () => {
  const { timers, store, to, heard } = started()
  for (let i = 0; i < 200; i++) {
    store.dispatch(to.tell({ type: 'text_delta', text: `${i} ` }, 5))
    timers.pass(5)
  }
  timers.pass(frameMs)
  expect(heard()).toBeLessThanOrEqual(Math.ceil(1_000 / frameMs) + 1)
  expect(heard()).toBeGreaterThan(20)
  expect(focused(store.getState())?.live?.text).toBe(Array.from({ length: 200 }, (_, i) => `${i} `).join(''))
})

test('the state is reduced at once even while its listeners wait', () => {
  const { store, to, heard } = started()
  store.dispatch(to.tell({ type: 'text_delta', text: 'now' }))
  expect([focused(store.getState())?.live?.text, heard()]).toEqual(['now', 0])
})

test('any other event is told at once and takes waiting deltas along', () => {
  const { timers, store, to, heard } = started()
  store.dispatch(to.tell({ type: 'text_delta', text: 'a' }))
  store.dispatch(to.tell({ type: 'message', message: { role: 'assistant', content: 'a' } }))
  expect(heard()).toBe(1)
  timers.pass(1_000)
  expect(heard()).toBe(1)
})

test('nothing is scheduled while nothing happens', () => {
  const { timers, store, to } = started()
  store.dispatch(to.tell({ type: 'text_delta', text: 'a' }))
  timers.pass(frameMs)
  expect(timers.waiting.size).toBe(0)
  store.dispatch({ type: 'ui_panel', shown: false })
  expect(timers.waiting.size).toBe(0)
})

test('an action that changes nothing is not told', () => {
  const { store, heard } = started()
  store.dispatch({ type: 'ui_panel', shown: true })
  store.dispatch({ type: 'ui_focus', sessionId: 'unknown' })
  expect(heard()).toBe(0)
})

test('flush tells about waiting deltas', () => {
  const { store, to, heard } = started()
  store.flush()
  store.dispatch(to.tell({ type: 'tool_output', callId: 'c1', chunk: 'x' }))
  store.dispatch(to.tell({ type: 'text_delta', text: 'x' }))
  store.flush()
  expect(heard()).toBe(1)
})

test('selectors keep their answer while a delta changes something else', () => {
  const { store, to } = started()
  const call = { id: 'c1', name: 'bash', input: {} }
  store.dispatch(to.tell({ type: 'tool_proposed', call, kind: 'execute', title: 'ls', blocks: [] }))
  store.dispatch(to.tell({ type: 'approval_request', request: request('q1', call, 'execute', 'ls', []) }))
  const before = counts(store.getState())
  expect(before).toEqual({ sessions: 1, working: 0, needsYou: 1, done: 0 })
  expect(openQuestions(store.getState()).map(({ request: { id }, sessionId }) => [sessionId, id])).toEqual([
    ['s1', 'q1'],
  ])
  store.dispatch(to.tell({ type: 'text_delta', text: 'x' }))
  expect(counts(store.getState())).toBe(before)
  const view = focused(store.getState())
  expect(view === null ? null : running(view)).toEqual([])
})
