import { isDurable } from '@sluice/engine/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { createFakeClock } from '../../fixtures/fake-clock.ts'
import { endTurn, say, startSession, startTurn, teller } from '../../fixtures/screen/event-streams.ts'
import { type RenderedScreen, renderAt } from '../../fixtures/screen/render-at.tsx'
import { tellEdit, tellQuestion } from '../../fixtures/session-files.ts'
import { defaultKeys } from '../keymap.ts'
import { loadLexer } from '../markdown/lexer.ts'
import { createStore } from '../state/index.ts'
import { KeyProvider } from '../terminal/key-source.tsx'
import { createPlayer } from './player.ts'
import { ReplayScreen } from './ReplayScreen.tsx'
import { timelineOf } from './timeline.ts'

let screen: RenderedScreen | undefined
afterEach(() => {
  vi.unstubAllEnvs()
  screen?.unmount()
})

async function show(columns: number, rows: number) {
  await loadLexer()
  const to = teller('s1')
  startSession(to)
  startTurn(to, 'why does the total drift?')
  tellEdit(to, 'c1', 'src/cart.ts', ['a'], ['b'])
  say(to, 'It was rounded per line.')
  endTurn(to)
  startTurn(to, 'publish it')
  tellQuestion(to, 'c2', 'npm publish')
  const store = createStore()
  const clock = createFakeClock()
  const steps = timelineOf(to.events.filter(isDurable))
  const player = createPlayer({ steps, store, speed: 1, after: (ms, run) => clock.after(ms, run) })
  const quits: string[] = []
  screen = await renderAt(
    columns,
    rows,
    <KeyProvider table={defaultKeys}>
      <ReplayScreen
        {...{ store, player, home: '/home/ada', columns, rows }}
        reducedMotion={true}
        copy={() => {}}
        quit={() => quits.push('quit')}
      />
    </KeyProvider>,
    { alternateScreen: true, incrementalRendering: true },
  )
  return { screen, player, clock, quits, store }
}

test('the keys below the recording steer it, and nothing that is typed goes anywhere else', async () => {
  const { screen, player, quits, store, clock } = await show(80, 24)
  expect(screen.screen()).toMatch(/space play {3}→ next turn {3}\+ - speed {3}pageup read {3}q leave/)
  await screen.type(' ')
  expect(player.state().playing).toBe(true)
  await clock.advance(100)
  await screen.type(' ')
  expect(player.state().playing).toBe(false)
  await screen.press('right')
  await screen.press('right')
  expect(screen.screen()).toContain('It was rounded per line.')
  expect(screen.screen()).toContain('turn 2 of 2')
  await screen.press('right')
  expect(screen.screen()).toContain('npm publish')
  await screen.type('yes,doit\r?/')
  await screen.press('shift+tab')
  expect([store.getState().ui.overlay, store.getState().ui.answering]).toEqual([null, false])
  expect(screen.screen()).not.toContain('yes,do')
  await screen.type('+')
  expect(screen.screen()).toContain('2×')
  await screen.press('left')
  expect(screen.screen()).toContain('turn 2 of 2')
  await screen.type('q')
  expect(quits).toEqual(['quit'])
})

test.each([
  [80, 24],
  [120, 36],
  [50, 12],
  [20, 5],
])('at %i × %i it fills the screen and no more', async (columns, rows) => {
  const { screen } = await show(columns, rows)
  await screen.press('right')
  await screen.press('right')
  expect(screen.screen().split('\n').length).toBeLessThanOrEqual(rows)
  expect(screen.screen()).toContain('replay')
})

test('a frame, with the time of the clock on the wall', async () => {
  vi.stubEnv('TZ', 'Asia/Kolkata')
  const { screen } = await show(72, 18)
  await screen.press('right')
  await screen.press('right')
  expect(`\n${screen.screen()}\n`).toMatchInlineSnapshot(`
    "
     sluice   ~/shop                                      gpt-5.2   default
    ────────────────────────────────────────────────────────────────────────
     ❯ why does the total drift?

     ▸ edit_file  edit_file src/cart.ts                               +1 −1

       It was rounded per line.
       1.2 s · 1 call

     ❯ publish it




     +1 −1 · 1 edit unverified
    ─ ▸ reading context · 0 s ──────────────────────────────────────────────
     replay paused  ━━━━━━━━━━━━━━━━╌╌╌╌  turn 2 of 2  2026-11-30 17:30  1×
     space play   → next turn   ← back   + - speed   pageup read   q leave
    "
  `)
})
