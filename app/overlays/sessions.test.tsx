import { expect, test } from 'vitest'
import { startSession, startTurn, teller } from '../../fixtures/screen/event-streams.ts'
import { showScreen } from '../../fixtures/screen/show-screen.tsx'
import { createStore } from '../state/index.ts'
import { SessionsOverlay } from './SessionsOverlay.tsx'

/** Three sessions: one works, one has ended a turn that nobody saw, one is new; the first is in focus. */
async function list(columns = 80, rows = 24) {
  const store = createStore()
  const [works, done, fresh] = ['s_works', 's_done', 's_fresh'].map((id) => teller(id))
  if (!works || !done || !fresh) throw new Error('three tellers')
  startSession(works)
  startTurn(works, 'fix the rounding of totals in the cart')
  startSession(done)
  startTurn(done, 'write the\nrelease notes')
  done.tell({ type: 'turn_end', reason: 'final_answer', durationMs: 1, replies: 1, calls: 0 })
  startSession(fresh)
  const screen = await showScreen(columns, rows, [...works.events, ...done.events, ...fresh.events], {
    store,
    renderOverlay: (overlay, size) =>
      overlay.name !== 'sessions' ? null : (
        <SessionsOverlay
          {...size}
          store={store}
          onClose={() => store.dispatch({ type: 'ui_overlay', overlay: null })}
          onChoose={(sessionId) => {
            store.dispatch({ type: 'ui_overlay', overlay: null })
            store.dispatch({ type: 'ui_focus', sessionId })
          }}
        />
      ),
  })
  return { ...screen, focus: () => store.getState().focus }
}

test('ctrl+x s lists what each session does, the one in focus marked', async () => {
  const screen = await list()
  await screen.press('ctrl+x', 's')
  const rows = screen.screen().split('\n')
  expect(rows.find((row) => row.includes('1  works'))).toMatch(/▸.*1 {2}works +fix the rounding of totals in the cart/)
  expect(rows.find((row) => row.includes('2  done'))).toMatch(/2 {2}done +write the release notes/)
  expect(rows.find((row) => row.includes('3  idle'))).toMatch(/3 {2}idle +nothing said yet/)
  expect(screen.screen()).toContain('sessions of earlier runs: start with sluice --continue or --resume ID')
  await screen.press('ctrl+x', 's')
  expect(screen.screen()).not.toContain('nothing said yet')
})

test('arrows and enter switch, so does a digit, and ctrl+x with a digit from anywhere', async () => {
  const screen = await list()
  await screen.press('ctrl+x', 's', 'down', 'return')
  expect(screen.focus()).toBe('s_done')
  await screen.press('ctrl+x', 's', '3')
  expect(screen.focus()).toBe('s_fresh')
  await screen.press('ctrl+x', 's', 'ctrl+x', '1')
  expect(screen.focus()).toBe('s_works')
  expect(screen.screen()).not.toContain('sessions of earlier runs')
  await screen.press('ctrl+x', '9')
  expect(screen.screen()).toContain('There are 3 sessions.')
})

test('the leader offers to switch only where there are others', async () => {
  const screen = await list(120, 30)
  await screen.press('ctrl+x')
  expect(screen.screen()).toMatch(/1-3 switch/)
})

test('fits the smallest screen', async () => {
  const screen = await list(40, 12)
  await screen.press('ctrl+x', 's')
  for (const row of screen.screen().split('\n')) expect(row.length).toBeLessThanOrEqual(40)
  expect(screen.screen()).toMatch(/3 {2}idle/)
})
