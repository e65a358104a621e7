import { darkTheme, rowWidth } from '@sluice/permissions-ui'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFakeClock } from '../../../fixtures/fake-clock.ts'
import { memorySessionIndex, summaryOf } from '../../../fixtures/memory-session-index.ts'
import { defaultKeys } from '../../keymap.ts'
import { createPicker, readingMs, refreshMs } from './create-picker.ts'
import { hintRow } from './hint-row.ts'
import { filterRow, rowsEach, sessionRowsOf, titleRow } from './list-rows.ts'
import type { HereSession } from './picker-row.ts'
import { placeOf } from './place.ts'
import { previewRows } from './preview-rows.ts'

const titles = ['Round totals', '日本語の題名', '', 'a\u001b[31mred\u0007 one', '👩‍👩‍👧 family', 'x'.repeat(300)]
const sessions = Array.from({ length: 90 }, (_, i) =>
  summaryOf({
    id: `s_${i}`,
    title: titles[i % titles.length] ?? '',
    updatedAt: new Date(Date.UTC(2026, 10, 30) - i * 3_600_000).toISOString(),
    cwd: i % 4 === 0 ? '/home/ada/other' : '/home/ada/shop',
    live: i % 13 === 1,
    pinned: i % 17 === 2,
    tags: i % 5 === 0 ? ['later', 'ü'] : [],
    lostRecords: i % 19 === 3 ? 4 : 0,
    pendingApprovals: i % 11 === 4 ? 2 : 0,
    additions: i * 999,
    costUsd: i * 3,
    content: `some words ${i}`,
    preview: {
      lastInput: 'line one\nline two\u001b[2J',
      lastAnswer: `${'long '.repeat(200)}\n\n\tend`,
      files: ['a.ts', 'b/c.ts'],
      todo: [{ text: 'step', status: 'pending' }],
      stopReason: 'final_answer',
    },
  }),
)

function world(here: HereSession[] = []) {
  const index = memorySessionIndex(sessions)
  const clock = createFakeClock()
  const asked: string[] = []
  const picker = createPicker({
    index,
    here: () => here,
    cwd: () => '/home/ada/shop',
    table: defaultKeys,
    after: clock.after,
    actions: {
      async resume(id, inThis) {
        asked.push(`resume ${id} ${inThis}`)
        return id === 's_7' ? { gone: '/gone' } : 'not now'
      },
      front: (id) => asked.push(`front ${id}`),
      fork: async (id) => {
        asked.push(`fork ${id}`)
        return null
      },
      export: async (id, format) => `${id}.${format}`,
      leave: () => asked.push('leave'),
      where: () => ' (process 1)',
    },
  })
  const press = (name: string, text = [...name].length === 1 ? name : '') => picker.press({ name, text, time: 0 }, 10)
  return { index, clock, asked, picker, press }
}

const running: HereSession = {
  session: summaryOf({ id: 's_3', title: 'runs here', cwd: '/home/ada/other', live: true }),
  number: 1,
  state: 'needs you',
  front: false,
  preview: () => ({ lastInput: 'hello', lastAnswer: '', files: [], todo: [], stopReason: null }),
}

test('whatever is pressed at whatever size, the mark is on a row and every row fits', async () => {
  const keys = [
    ...['up', 'down', 'pageup', 'pagedown', 'home', 'end', 'tab', 'escape', 'return', 'backspace', 'ctrl+u', 'left'],
    ...['ctrl+f', 'ctrl+r', 'ctrl+t', 'ctrl+p', 'ctrl+x', 'ctrl+z', 'ctrl+e', 'ctrl+c', '/', 's', '1', 'm', 'y', 'ü'],
  ]
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.constantFrom(...keys), fc.constant(60), fc.constant(6000)), { maxLength: 40 }),
      fc.integer({ min: 10, max: 200 }),
      fc.integer({ min: 4, max: 50 }),
      fc.boolean(),
      async (steps, width, height, withOne) => {
        const { picker, press, clock } = world(withOne ? [running] : [])
        for (const step of steps) {
          if (typeof step === 'number') await clock.advance(step)
          else press(step)
          const view = picker.view()
          const { total } = view.listing
          expect(view.selected).toBe(total === 0 ? -1 : Math.max(0, Math.min(total - 1, view.selected)))
          expect(view.row === undefined).toBe(view.selected === -1)
          const place = placeOf(width, height)
          const shown = Math.max(1, Math.floor(place.list / rowsEach(view)))
          const from = Math.max(0, view.selected - shown + 1)
          const list = sessionRowsOf(view, from, from + shown, { width: place.listWidth, now: 0, theme: darkTheme })
          const preview = previewRows(view, {
            width: place.previewWidth,
            height: place.preview,
            home: null,
            theme: darkTheme,
          })
          expect(preview.length).toBeLessThanOrEqual(place.preview)
          for (const row of list) expect(rowWidth(row)).toBe(place.listWidth)
          for (const row of preview) expect(rowWidth(row)).toBe(place.previewWidth)
          const whole = [
            titleRow(view, 'tab', width, darkTheme),
            filterRow(view, '/', width, darkTheme),
            hintRow(view, { table: defaultKeys, leave: 'new session', width, theme: darkTheme }),
          ]
          for (const row of whole) expect(rowWidth(row)).toBe(width)
          for (const row of [...list, ...preview])
            expect(row.spans.map(({ text }) => text).join('')).not.toMatch(/[\x00-\x1f]/)
        }
        picker.close()
      },
    ),
    { numRuns: 60 },
  )
})

test('one whose folder is gone is asked about once, and a y goes on here', async () => {
  const { picker, press, clock, asked } = world()
  for (const char of 's_7') press(char)
  while (picker.view().row?.session.id !== 's_7') press('down')
  press('return')
  await clock.advance(0)
  expect(picker.view().state.asking).toEqual({ what: 'folder', id: 's_7', gone: '/gone' })
  press('y')
  await clock.advance(0)
  expect(asked).toEqual(['resume s_7 false', 'resume s_7 true'])
})

test('while one is being opened, keys wait for nothing and do nothing', async () => {
  const { picker, press, clock, asked } = world()
  press('end')
  press('return')
  press('return')
  press('ctrl+x')
  expect(picker.view().said).toEqual({ level: 'info', text: 'opening …' })
  await clock.advance(0)
  expect(asked).toHaveLength(1)
  expect(picker.view().said).toEqual({ level: 'warn', text: 'not now' })
})

test('records that take long to read are shown as they come', async () => {
  const { picker, index, clock } = world()
  const done = Promise.withResolvers<number>()
  index.refresh = () => done.promise
  await clock.advance(refreshMs)
  expect(picker.view().reading).toBe(false)
  await clock.advance(readingMs)
  expect([picker.view().reading, picker.view().all]).toEqual([true, 90])
  index.count = () => 95
  await clock.advance(readingMs)
  expect(picker.view().all).toBe(95)
  done.resolve(5)
  await clock.advance(0)
  expect(picker.view().reading).toBe(false)
})

test('nothing is shown any more once it is closed', async () => {
  const { picker, clock, press } = world()
  let heard = 0
  picker.subscribe(() => heard++)
  press('ctrl+p')
  picker.close()
  await clock.advance(60_000)
  expect([heard, clock.waiting]).toEqual([1, 0])
})
