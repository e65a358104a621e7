import { darkTheme, rowWidth } from '@sluice/permissions-ui'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../../../fixtures/fake-clock.ts'
import { memorySessionIndex, summaryOf } from '../../../fixtures/memory-session-index.ts'
import { defaultKeys } from '../../keymap.ts'
import { createPicker, readingMs, refreshMs } from './create-picker.ts'
import { hintRows } from './hint-row.ts'
import { filterRow, rowsEach, sessionRowsOf, titleRow } from './list-rows.ts'
import type { HereSession } from './picker-row.ts'
import { mostFoot, placeOf } from './place.ts'
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
      async resume(id, where) {
        asked.push(`resume ${id} ${where}`)
        if (where !== 'asks') return 'not now'
        return id === 's_7'
          ? { folder: '/gone', gone: true }
          : id === 's_8'
            ? { folder: '/other', gone: false }
            : 'not now'
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

test('what cannot be listed is told once the records were looked through, until the next key', async () => {
  const clock = createFakeClock()
  const picker = createPicker({
    ...{ index: memorySessionIndex(sessions), here: () => [], cwd: () => '/home/ada/shop', table: defaultKeys },
    after: clock.after,
    unreadable: () => '1 session cannot be read: s_1, permission denied.',
    actions: { resume: async () => null, front() {}, leave() {}, where: () => '' },
  })
  expect(picker.view().said).toBeNull()
  await clock.advance(refreshMs)
  expect(picker.view().said).toEqual({ level: 'warn', text: '1 session cannot be read: s_1, permission denied.' })
  picker.press({ name: 'down', text: '', time: 0 }, 10)
  expect(picker.view().said).toBeNull()
  picker.close()
})

test.each([
  ['nobody has pressed a key', [], false],
  ['somebody has moved the mark', ['down'], true],
])(
  'the list of all folders gives way to that of this folder once its records are read, if %s',
  async (_, keys, all) => {
    const clock = createFakeClock()
    const index = memorySessionIndex([summaryOf({ id: 's_1', cwd: '/home/ada/other' })])
    const picker = createPicker({
      ...{ index, here: () => [], cwd: () => '/home/ada/shop', table: defaultKeys, after: clock.after, widen: true },
      actions: { resume: async () => null, front() {}, leave() {}, where: () => '' },
    })
    expect(picker.view().state.everywhere).toBe(true)
    for (const name of keys) picker.press({ name, text: '', time: 0 }, 10)
    index.arrive(summaryOf({ id: 's_2', cwd: '/home/ada/shop' }))
    await clock.advance(refreshMs)
    expect(picker.view().state.everywhere).toBe(all)
    expect(picker.view().listing.total).toBe(all ? 2 : 1)
    picker.close()
  },
)

test('the records are looked at again when one is not opened: another program may have taken it away', async () => {
  const { index, clock, picker, press } = world()
  await clock.advance(refreshMs)
  const before = picker.view().listing.total
  index.arrive(summaryOf({ id: 's_new', cwd: '/home/ada/shop' }))
  press('return')
  await clock.advance(refreshMs)
  expect(picker.view().said?.text).toBe('not now')
  expect(picker.view().listing.total).toBe(before + 1)
  picker.close()
})

test('words that wait in a draft are part of the closer look', async () => {
  const clock = createFakeClock()
  const picker = createPicker({
    ...{ index: memorySessionIndex([summaryOf({ id: 's_1', cwd: '/shop' })]), here: () => [], cwd: () => '/shop' },
    ...{ table: defaultKeys, after: clock.after },
    actions: { resume: async () => null, front() {}, leave() {}, where: () => '', unsent: (id) => `half of\n${id}` },
  })
  await clock.advance(6000)
  const rows = previewRows(picker.view(), { width: 60, height: 10, home: null, theme: darkTheme })
  expect(rows.map(({ spans }) => spans.map(({ text }) => text).join('')).join('\n')).toContain(' draft  half of s_1')
  picker.close()
})

test('whatever is pressed at whatever size, the mark is on a row and every row fits', async () => {
  const keys = [
    ...['up', 'down', 'pageup', 'pagedown', 'home', 'end', 'tab', 'escape', 'return', 'backspace', 'ctrl+u', 'left'],
    ...[
      'ctrl+f',
      'ctrl+r',
      'ctrl+t',
      'ctrl+p',
      'ctrl+x',
      'ctrl+z',
      'ctrl+e',
      'ctrl+c',
      '/',
      '?',
      's',
      '1',
      'm',
      'y',
      'h',
      'ü',
    ],
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
          const foot = hintRows(view, {
            ...{ table: defaultKeys, leave: 'new session', width, theme: darkTheme },
            most: mostFoot(height),
          })
          expect(foot.length).toBeLessThanOrEqual(mostFoot(height))
          const place = placeOf(width, height, foot.length)
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
          const whole = [titleRow(view, 'tab', width, darkTheme), filterRow(view, '/', width, darkTheme), ...foot]
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
  expect(picker.view().state.asking).toEqual({ what: 'folder', id: 's_7', folder: '/gone', gone: true })
  press('y')
  await clock.advance(0)
  expect(asked).toEqual(['resume s_7 asks', 'resume s_7 here'])
})

test.each([
  ['return', ['resume s_8 asks', 'resume s_8 there']],
  ['h', ['resume s_8 asks', 'resume s_8 here']],
  ['escape', ['resume s_8 asks']],
  ['ctrl+z', ['resume s_8 asks']],
])('one of another folder goes on where the person says: %s', async (key, expected) => {
  const { picker, press, clock, asked } = world()
  press('tab')
  for (const char of 's_8') press(char)
  while (picker.view().row?.session.id !== 's_8') press('down')
  press('return')
  await clock.advance(0)
  expect(picker.view().state.asking).toEqual({ what: 'folder', id: 's_8', folder: '/other', gone: false })
  press(key)
  await clock.advance(0)
  expect(asked).toEqual(expected)
})

describe('news above the mark', () => {
  const newest = summaryOf({ id: 's_new', title: 'Newest', cwd: '/home/ada/shop', pinned: true, updatedAt: '2027' })

  test('as long as nobody moved or typed, the mark stays on the first row and not on what stood there', async () => {
    const { picker, index, clock } = world()
    const before = picker.view().row?.session.id
    index.arrive(newest)
    await clock.advance(refreshMs)
    expect([before !== 's_new', picker.view().selected, picker.view().row?.session.id]).toEqual([true, 0, 's_new'])
  })

  test('a mark that began on a session of this process stays on it', async () => {
    const index = memorySessionIndex(sessions)
    const clock = createFakeClock()
    const actions = { resume: async () => null, front() {}, leave() {}, where: () => '' }
    const other = { ...running, session: { ...running.session, id: 's_x' }, number: 2 }
    const picker = createPicker({
      ...{ index, here: () => [running, other], cwd: () => '/home/ada/shop', table: defaultKeys, after: clock.after },
      ...{ actions, start: 's_x' },
    })
    index.arrive(newest)
    await clock.advance(refreshMs)
    expect(picker.view().row?.session.id).toBe('s_x')
  })

  test.each([
    ['moved', (picker: ReturnType<typeof world>['picker']) => picker.move(0)],
    ['pressed a key', ({ press }: ReturnType<typeof world>['picker']) => press({ name: 'up', text: '', time: 0 }, 10)],
  ])('once somebody has %s, it follows its session', async (_, act) => {
    const { picker, index, clock } = world()
    const before = picker.view().row?.session.id
    act(picker)
    index.arrive(newest)
    await clock.advance(refreshMs)
    expect([picker.view().selected, picker.view().row?.session.id]).toEqual([1, before])
  })
})

test('sessions are counted where they are shown: this folder or all, filtered or not', () => {
  const { picker, press } = world()
  const counted = () => [picker.view().listing.total, picker.view().scope]
  const shop = sessions.filter(({ cwd }) => cwd === '/home/ada/shop').length
  expect(counted()).toEqual([shop, shop])
  for (const char of 'family') press(char)
  const family = sessions.filter(({ title, cwd }) => title.includes('family') && cwd === '/home/ada/shop').length
  expect(counted()).toEqual([family, shop])
  press('tab')
  expect(counted()[1]).toBe(90)
  press('tab')
  press('escape')
  expect(counted()).toEqual([shop, shop])
})

test('a title of any length is cut to one that lists can take, and that is said', () => {
  const { picker, press, index } = world()
  const id = picker.view().row?.session.id ?? ''
  press('ctrl+r')
  press('ctrl+u')
  picker.paste(`${'x'.repeat(4000)}`)
  press('return')
  expect(index.get(id)?.title).toBe('x'.repeat(200))
  expect(picker.view().said?.text).toBe('The title was cut: it may have 200 characters')
})

describe('what cannot be written', () => {
  const failing = (code: string) => () => {
    throw Object.assign(new Error(`${code}: x, open '/s/1/meta.json.1.tmp'`), { code, path: '/s/1/meta.json.1.tmp' })
  }

  test.each([
    [
      'EACCES',
      'ctrl+p',
      'The pin was not changed: permission denied. Change the permissions of /s/1, or set SLUICE_HOME to another folder.',
    ],
    [
      'EROFS',
      'ctrl+x',
      'Not deleted: the disk is read-only. Make /s/1 writable, or set SLUICE_HOME to another folder.',
    ],
    ['ENOSPC', 'ctrl+r', 'Not renamed: the disk is full. Free some space where /s/1 is, then try again.'],
    ['ENOSPC', 'ctrl+t', 'The tags were not changed: the disk is full. Free some space where /s/1 is, then try again.'],
  ])('%s after %s is said in words: what, why, and what to do', (code, key, text) => {
    const { picker, press, index } = world()
    index.pin = index.remove = index.rename = index.tag = failing(code)
    while (picker.view().row?.session.live !== false) press('down')
    press(key)
    if (picker.view().state.asking !== null) press('return')
    expect(picker.view().said).toEqual({ level: 'warn', text })
  })

  test('a deletion that cannot be taken back now can be later; one that is gone is not in the way', () => {
    const { picker, press, index } = world()
    const listed = picker.view().listing.total
    press('end')
    press('ctrl+x')
    press('ctrl+x')
    const { restore } = index
    index.restore = failing('EACCES')
    press('ctrl+z')
    expect(picker.view().said?.text).toContain('Not taken back: permission denied')
    index.restore = failing('ENOENT')
    press('ctrl+z')
    expect(picker.view().said?.text).toContain('it is not there')
    index.restore = restore
    press('ctrl+z')
    expect(picker.view().listing.total).toBe(listed - 1)
    press('ctrl+z')
    expect(picker.view().said?.text).toBe('There is nothing to undo')
  })
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
