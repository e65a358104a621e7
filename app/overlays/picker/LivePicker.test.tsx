import { expect, test } from 'vitest'
import { type MemorySession, memorySessionIndex, summaryOf } from '../../../fixtures/memory-session-index.ts'
import { startSession, startTurn, teller } from '../../../fixtures/screen/event-streams.ts'
import { showScreen } from '../../../fixtures/screen/show-screen.tsx'
import type { Refusal } from '../../session/going-on.ts'
import { createStore } from '../../state/index.ts'
import { LivePicker } from './LivePicker.tsx'

const stored: MemorySession[] = [
  summaryOf({ id: 's_old', title: 'Port config to zod', cwd: '/home/ada/shop' }),
  summaryOf({ id: 's_works', title: 'the index calls it otherwise', cwd: '/home/ada/shop', live: true }),
  summaryOf({ id: 's_other', title: 'Somewhere else', cwd: '/home/ada/code/other' }),
]

/** Three sessions: one works, one has ended a turn that nobody saw, one is new; the first is in focus. */
async function list(columns = 80, rows = 24, opened: Promise<void> = Promise.resolve()) {
  const store = createStore()
  const [works, done, fresh] = ['s_works', 's_done', 's_fresh'].map((id) => teller(id))
  if (!works || !done || !fresh) throw new Error('three tellers')
  startSession(works)
  startTurn(works, 'fix the rounding of totals in the cart')
  startSession(done)
  startTurn(done, 'write the\nrelease notes')
  done.tell({ type: 'turn_end', reason: 'final_answer', durationMs: 1, replies: 1, calls: 0 })
  startSession(fresh)
  const index = memorySessionIndex(stored)
  const wanted: string[][] = []
  const refusals: Record<string, Refusal> = { s_other: 'Its folder is gone.' }
  const screen = await showScreen(columns, rows, [...works.events, ...done.events, ...fresh.events], {
    store,
    renderOverlay: ({ name, argument }, size) =>
      name !== 'sessions' && name !== 'resume' ? null : (
        <LivePicker
          {...size}
          argument={argument}
          resuming={name === 'resume'}
          store={store}
          home="/home/ada"
          stored={{
            open: () => opened.then(() => ({ index, where: () => '', unsent: () => '', unreadable: () => '' })),
            close() {},
          }}
          control={{
            async resumeStored(id, where) {
              wanted.push(['resume', id, where])
              return where === 'asks' ? (refusals[id] ?? null) : null
            },
            async fork({ id = '' }) {
              wanted.push(['fork', id])
              return null
            },
            exportStored: async (id, format) => `${id} as ${format}`,
            rename: async (title, id) => void wanted.push(['rename', title, id ?? '']),
          }}
          close={() => store.dispatch({ type: 'ui_overlay', overlay: null })}
        />
      ),
  })
  const open = async () => {
    await screen.press('ctrl+x', 's')
    await screen.until((now) => now.includes(' Sessions'))
  }
  return { ...screen, open, wanted, refusals, works, focus: () => store.getState().focus }
}

test('ctrl+x s lists what each session of the process does, the one in focus marked, and stored ones below', async () => {
  const screen = await list()
  await screen.open()
  const rows = screen.screen().split('\n').slice(5)
  expect(rows[0]).toMatch(/▸ 1 the index calls it otherwise .*● works/)
  expect(rows[1]).toMatch(/ {2}2 write the release notes .*● done/)
  expect(rows[2]).toMatch(/ {2}3 nothing said yet .*● open/)
  expect(rows[3]).toMatch(/ {4}Port config to zod/)
  expect(screen.screen()).toContain('4 sessions')
  await screen.press('escape')
  expect(screen.screen()).not.toContain(' Sessions')
})

test('what is typed before the list is there filters it, and Esc closes it before it is there', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const screen = await list(80, 24, promise)
  await screen.press('ctrl+x', 's')
  await screen.type('zod')
  expect(screen.screen()).not.toContain(' Sessions')
  await screen.press('escape')
  await screen.type('x')
  expect(screen.screen()).toContain('❯ x')
  await screen.press('ctrl+x', 's')
  await screen.type('zo')
  resolve()
  await screen.until((now) => now.includes(' Sessions'))
  await screen.until((now) => now.includes('1 of 4'))
  expect(screen.screen()).toContain('Port config to zod')
  expect(screen.screen()).toContain('zo')
  await screen.unmount()
})

test('enter switches to one that runs, and ctrl+x is not the leader here', async () => {
  const screen = await list()
  await screen.open()
  await screen.press('down', 'return')
  expect(screen.focus()).toBe('s_done')
  await screen.open()
  expect(screen.screen()).toMatch(/▸ 2 write the release notes .*● here/)
  await screen.press('ctrl+x')
  expect(screen.screen()).toContain('is open here: /close it first')
  await screen.press('escape', 'ctrl+x', '1')
  expect(screen.focus()).toBe('s_works')
})

test('a digit with the leader switches from anywhere else, and says when there is no such session', async () => {
  const screen = await list(200, 30)
  await screen.press('ctrl+x')
  expect(screen.screen()).toMatch(/1-3 switch/)
  await screen.press('3')
  expect(screen.focus()).toBe('s_fresh')
  await screen.press('ctrl+x', '9')
  expect(screen.screen()).toContain('There are 3 sessions.')
})

test('a stored one is resumed and the list closes; why it cannot be stays on the screen', async () => {
  const screen = await list()
  await screen.open()
  await screen.press('tab', 'end', 'return')
  await screen.until((now) => now.includes('Its folder is gone.'))
  await screen.press('up', 'return')
  await screen.until((now) => !now.includes(' Sessions'))
  expect(screen.wanted).toEqual([
    ['resume', 's_other', 'asks'],
    ['resume', 's_old', 'asks'],
  ])
})

test('an id behind /resume goes on at once, and one of another folder asks where', async () => {
  const screen = await list()
  screen.refusals.s_other = { folder: '/home/ada/code/other', gone: false }
  screen.store.dispatch({ type: 'ui_overlay', overlay: { name: 'resume', argument: 's_other' } })
  await screen.until((now) => now.includes('It works in another folder: /home/ada/code/other'))
  expect(screen.screen()).toContain('▸   Somewhere else')
  await screen.press('return')
  await screen.until((now) => !now.includes(' Sessions'))
  expect(screen.wanted).toEqual([
    ['resume', 's_other', 'asks'],
    ['resume', 's_other', 'there'],
  ])
})

test('at 40×12 the question names the folder, and all its answers are there', async () => {
  const screen = await list(40, 12)
  screen.refusals.s_other = { folder: '/home/ada/code/other', gone: false }
  screen.store.dispatch({ type: 'ui_overlay', overlay: { name: 'resume', argument: 's_other' } })
  await screen.until((now) => now.includes('h here'))
  const text = screen.screen().replace(/\s+/g, ' ')
  expect(text).toContain('It works in another folder: /home/ada/code/other')
  expect(text).toContain('⏎ there h here esc cancel')
  expect(text).toContain('▸ Somewhere else')
})

test('opened to resume, the mark begins on the first stored one; words after it are the filter', async () => {
  const screen = await list()
  screen.store.dispatch({ type: 'ui_overlay', overlay: { name: 'resume' } })
  await screen.until((now) => now.includes('▸   Port config to zod'))
  await screen.press('escape')
  screen.store.dispatch({ type: 'ui_overlay', overlay: { name: 'resume', argument: 'release' } })
  await screen.until((now) => now.includes('❯ release'))
  expect(screen.screen()).toContain('▸ 2 write the release notes')
  expect(screen.screen()).not.toContain('Port config')
})

test('words behind /resume that fit only sessions of other folders show those', async () => {
  const screen = await list()
  screen.store.dispatch({ type: 'ui_overlay', overlay: { name: 'resume', argument: 'somewhere' } })
  await screen.until((now) => now.includes('❯ somewhere'))
  expect(screen.screen()).toMatch(/▸ {3}Somewhere else/)
})

test('what happens in the sessions meanwhile is shown, and the mark stays', async () => {
  const screen = await list()
  await screen.open()
  await screen.press('down')
  screen.works.tell({ type: 'turn_end', reason: 'final_answer', durationMs: 1, replies: 1, calls: 0 })
  const [last] = screen.works.events.slice(-1)
  await screen.feed(last === undefined ? [] : [last])
  expect(screen.screen()).toMatch(/1 the index calls it otherwise .*● (here|done)/)
  expect(screen.screen()).toContain('▸ 2 write the release notes')
})

test('a new name of a running session reaches the session', async () => {
  const screen = await list()
  await screen.open()
  await screen.press('ctrl+r', 'ctrl+u')
  await screen.type('Totals')
  await screen.press('return')
  expect(screen.wanted).toEqual([['rename', 'Totals', 's_works']])
})

test('fits the smallest screen', async () => {
  const screen = await list(40, 12)
  await screen.open()
  for (const row of screen.screen().split('\n')) expect(row.length).toBeLessThanOrEqual(40)
  expect(screen.screen()).toMatch(/3 nothing said yet/)
})
