import { join } from 'node:path'
import { asciiGlyphs, cellWidth, darkTheme, type Theme, ThemeContext } from '@sluice/permissions-ui'
import { afterEach, describe, expect, test } from 'vitest'
import { createFakeClock } from '../../../fixtures/fake-clock.ts'
import {
  type MemoryIndex,
  type MemorySession,
  memorySessionIndex,
  summaryOf,
} from '../../../fixtures/memory-session-index.ts'
import { checkout } from '../../../fixtures/run-sluice.ts'
import { type RenderedScreen, renderAt } from '../../../fixtures/screen/render-at.tsx'
import { defaultKeys } from '../../keymap.ts'
import { KeyProvider } from '../../terminal/key-source.tsx'
import { createPicker, refreshMs, searchRestMs } from './create-picker.ts'
import { saidMs } from './deletions.ts'
import { previewRestMs } from './looks.ts'
import { Picker } from './Picker.tsx'
import type { HereSession } from './picker-row.ts'
import type { PickerActions } from './picker-view.ts'

/** Noon, so that no time zone makes another day of it. */
const now = new Date(2026, 10, 30, 12, 0, 0).getTime()
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
const daysAgo = (days: number) => minutesAgo(days * 24 * 60)

const shop = '/home/ada/code/shop'
const tools = '/home/ada/code/release-tools'

const stored: MemorySession[] = [
  summaryOf({
    id: 's_zod',
    title: 'Port config to zod',
    updatedAt: new Date(2026, 10, 21, 12).toISOString(),
    additions: 88,
    deletions: 120,
    costUsd: 1.95,
    checks: 'verified',
    pinned: true,
    tags: ['config'],
    turns: 4,
    content: 'I moved the schema of the config to zod and kept the messages.',
    preview: {
      lastInput: 'and now the tests, please',
      lastAnswer: 'All 42 tests pass. The schema of the config is in src/config/schema.ts; the old checks are gone.',
      files: ['src/config/schema.ts', 'src/config/load.ts', 'test/config.test.ts'],
      todo: [
        { text: 'write the schema', status: 'done' },
        { text: 'port the tests', status: 'done' },
      ],
      stopReason: 'final_answer',
    },
  }),
  summaryOf({
    id: 's_retry',
    title: 'Add retry to the exporter',
    updatedAt: daysAgo(1),
    additions: 210,
    deletions: 33,
    costUsd: 3.1,
    pendingApprovals: 1,
    next: 'bash npm publish',
    stopReason: null,
    turns: 9,
    content: 'The exporter retries three times, then it says why.',
    preview: {
      lastInput: 'publish it',
      lastAnswer: 'I will publish the package now.',
      files: ['src/exporter.ts'],
      todo: [
        { text: 'retry', status: 'done' },
        { text: 'publish', status: 'in_progress' },
      ],
      stopReason: null,
    },
  }),
  summaryOf({
    id: 's_live',
    title: 'Watch the build',
    updatedAt: minutesAgo(3),
    live: true,
    stopReason: null,
    costUsd: 0.02,
    next: 'run the whole suite',
  }),
  summaryOf({
    id: 's_damaged',
    title: 'Draw the chart with fewer colours',
    updatedAt: daysAgo(3),
    additions: 5,
    deletions: 1,
    costUsd: 0.08,
    checks: 'failing',
    lostRecords: 2,
    stopReason: 'user_abort',
    preview: {
      lastInput: 'fewer colours, please',
      lastAnswer: '',
      files: ['chart.ts'],
      todo: [],
      stopReason: 'user_abort',
    },
  }),
  summaryOf({
    id: 's_wide',
    title: '日本語の題名 that is much longer than any column of this list can be, \u001b[31mred\u001b[0m',
    updatedAt: daysAgo(40),
    cwd: tools,
    additions: 12_345,
    costUsd: 12.5,
    checks: 'unverified',
    tags: ['release', 'later'],
    stopReason: 'budget_exceeded',
  }),
  summaryOf({ id: 's_silent', updatedAt: daysAgo(400), cwd: tools, turns: 0, stopReason: null }),
]

const here: HereSession[] = [
  {
    number: 1,
    state: 'works',
    front: true,
    session: summaryOf({
      id: 's_here',
      title: 'Round cart totals once',
      updatedAt: minutesAgo(2),
      additions: 14,
      deletions: 6,
      costUsd: 0.42,
      live: true,
      next: 'run the whole suite',
    }),
    preview: () => ({
      lastInput: 'why does the cart total drift by a cent?',
      lastAnswer: "I'll run the failing test first.",
      files: ['src/cart.ts'],
      todo: [
        { text: 'find the rounding', status: 'done' },
        { text: 'run the whole suite', status: 'in_progress' },
      ],
      stopReason: null,
    }),
  },
]

let view: RenderedScreen | undefined
afterEach(async () => {
  await view?.unmount()
  view = undefined
})

type World = {
  sessions?: MemorySession[]
  here?: HereSession[]
  query?: string
  theme?: Theme
  actions?: Partial<PickerActions>
  index?: MemoryIndex
}

async function show(columns: number, rows: number, world: World = {}) {
  const index = world.index ?? memorySessionIndex(world.sessions ?? stored)
  const clock = createFakeClock()
  const asked: unknown[][] = []
  const picker = createPicker({
    index,
    here: () => world.here ?? here,
    cwd: () => shop,
    table: defaultKeys,
    after: clock.after,
    ...(world.query === undefined ? {} : { query: world.query }),
    actions: {
      async resume(id) {
        asked.push(['resume', id])
        return null
      },
      front: (id) => asked.push(['front', id]),
      leave: () => asked.push(['leave']),
      where: () => ' (process 4711)',
      ...world.actions,
    },
  })
  const rendered = await renderAt(
    columns,
    rows,
    <KeyProvider table={defaultKeys}>
      <ThemeContext value={world.theme ?? darkTheme}>
        <Picker picker={picker} width={columns} height={rows} home="/home/ada" leave="close" clock={() => now} />
      </ThemeContext>
    </KeyProvider>,
  )
  view = rendered
  await rendered.settled()
  return {
    ...rendered,
    index,
    asked,
    picker,
    async pass(ms: number) {
      await clock.advance(ms)
      await rendered.settled()
    },
    /** Ids of the rows that are shown, the marked one with a star. */
    shown() {
      const all = [...stored, ...here.map(({ session }) => session)]
      return rendered
        .screen()
        .split('\n')
        .flatMap((row) => {
          const one = all.find(({ title }) => title !== '' && row.includes(title.slice(0, 12)))
          return one !== undefined && /^ ?[ ▸] /.test(row) ? [/^ ?▸/.test(row) ? `*${one.id}` : one.id] : []
        })
    },
  }
}

describe('the screens', () => {
  test.each([
    [40, 12],
    [80, 24],
    [120, 36],
    [160, 40],
  ])('%i × %i: this folder, all folders, a search, a question, a deletion', async (columns, rows) => {
    const screen = await show(columns, rows, {
      actions: { fork: async () => null, export: async () => 'written' },
    })
    const golden = (name: string) => {
      for (const row of screen.screen().split('\n')) expect(cellWidth(row)).toBeLessThanOrEqual(columns)
      expect(screen.screen()).not.toContain('\u001b')
      return expect(`${screen.screen()}\n`).toMatchFileSnapshot(
        join(checkout, 'fixtures/golden/picker', `${name}-${columns}x${rows}.txt`),
      )
    }
    await screen.pass(previewRestMs)
    await golden('folder')
    await screen.press('tab', 'down')
    await screen.pass(previewRestMs)
    await golden('everywhere')
    await screen.press('/')
    await screen.type('config')
    await screen.pass(searchRestMs)
    await screen.pass(previewRestMs)
    await golden('content')
    await screen.press('escape')
    await screen.type('chart')
    await screen.pass(previewRestMs)
    await golden('damaged')
    await screen.press('ctrl+r')
    await golden('renaming')
    await screen.press('escape', 'ctrl+x')
    await golden('deleted')
  })
})

describe('moving and choosing', () => {
  test('the sessions of this process come first, then pinned ones, then by age', async () => {
    const screen = await show(120, 36)
    expect(screen.shown()).toEqual(['*s_here', 's_zod', 's_live', 's_retry', 's_damaged'])
  })

  test('arrows, pages, home and end move the mark; enter resumes, or switches to what runs here', async () => {
    const screen = await show(80, 12)
    await screen.press('return')
    await screen.press('down', 'return', 'end', 'return', 'home', 'pagedown', 'up', 'return')
    expect(screen.asked).toEqual([
      ['front', 's_here'],
      ['resume', 's_zod'],
      ['resume', 's_damaged'],
      ['resume', 's_retry'],
    ])
  })

  test('the window follows the mark through a long list, and shows no row twice', async () => {
    const many = Array.from({ length: 300 }, (_, i) =>
      summaryOf({ id: `s_${i}`, title: `number ${i} of many`, updatedAt: minutesAgo(10 + i) }),
    )
    const screen = await show(80, 24, { sessions: many })
    const seen = new Set<string>()
    for (let page = 0; page < 40; page++) {
      for (const [found] of screen.screen().matchAll(/number \d+ of many/g)) seen.add(found)
      await screen.press('pagedown')
    }
    expect(seen.size).toBe(300)
    expect(screen.screen()).toContain('▸   number 299 of many')
    await screen.press('home')
    expect(screen.screen()).toContain('▸ 1 Round cart totals once')
  })

  test('only what can be seen is asked for', async () => {
    const many = Array.from({ length: 5000 }, (_, i) =>
      summaryOf({ id: `s_${i}`, title: `number ${i}`, updatedAt: minutesAgo(10 + i) }),
    )
    const screen = await show(80, 24, { sessions: many })
    expect(screen.index.calls.filter((call) => call === 'list')).toHaveLength(1)
    expect(screen.screen()).toContain('5,001 sessions')
    screen.index.calls.length = 0
    await screen.type('7')
    expect([...screen.index.calls].sort()).toEqual(['count', 'list'])
  })

  test('one that runs in another process is not resumed, and it is said where it runs', async () => {
    const screen = await show(120, 36)
    await screen.press('down', 'down')
    await screen.pass(previewRestMs)
    expect(screen.screen()).toContain('runs in another sluice (process 4711): it cannot be resumed here')
    expect(screen.screen()).not.toMatch(/⏎ resume|ctrl\+x delete/)
    await screen.press('return')
    expect(screen.screen()).toContain('It runs in another sluice (process 4711): close it there first')
    await screen.press('ctrl+x')
    expect(screen.screen()).toContain('It runs in another sluice (process 4711): close it there first')
    expect(screen.asked).toEqual([])
  })

  test('why one cannot be resumed is said, and the list stays', async () => {
    const screen = await show(100, 24, { actions: { resume: async () => 'Its folder is gone.' } })
    await screen.press('down', 'return')
    await screen.until((now) => now.includes('Its folder is gone.'))
    await screen.press('up')
    expect(screen.screen()).not.toContain('Its folder is gone.')
  })
})

describe('typing', () => {
  test('filters at once, by title, tag and id, all words wanted', async () => {
    const screen = await show(120, 36)
    await screen.type('add')
    expect(screen.shown()).toEqual(['*s_retry'])
    await screen.press('escape')
    await screen.type('config zod')
    expect(screen.shown()).toEqual(['*s_zod'])
    expect(screen.screen()).toContain('1 of 5')
    const at = screen.row(3).indexOf('config')
    expect(screen.cellAt(at, 3)).toMatchObject({ char: 'c', color: darkTheme.accent })
    expect(screen.cellAt(at - 2, 3)).toMatchObject({ char: 't', color: undefined })
    await screen.press('ctrl+u')
    await screen.type('s_dam')
    expect(screen.shown()).toEqual(['*s_damaged'])
    await screen.type('zzz')
    expect(screen.screen()).toContain('No session has all of these words in this folder.')
  })

  test('digits and letters belong to the filter; a paste too', async () => {
    const screen = await show(80, 24)
    await screen.type('1y')
    await screen.paste('two\nlines')
    expect(screen.screen()).toContain(' ❯ 1ytwo lines')
    expect(screen.asked).toEqual([])
  })

  test('esc gives the whole list back, then closes', async () => {
    const screen = await show(80, 24)
    await screen.type('cart')
    await screen.press('escape')
    expect(screen.asked).toEqual([])
    expect(screen.shown()).toHaveLength(5)
    await screen.press('escape')
    expect(screen.asked).toEqual([['leave']])
  })

  test('a slash is the first key of a search in content, and later a character', async () => {
    const screen = await show(100, 30)
    await screen.type('/three times')
    expect(screen.index.calls).not.toContain('search')
    await screen.pass(searchRestMs)
    expect(screen.index.calls.filter((call) => call === 'search')).toHaveLength(1)
    expect(screen.screen()).toContain('The exporter retries three times, then it says why.')
    expect(screen.screen()).toContain('1 match')
    const row = screen
      .screen()
      .split('\n')
      .findIndex((line) => line.includes('three times, then'))
    const at = screen.row(row).indexOf('three')
    expect(screen.cellAt(at, row)).toMatchObject({ color: darkTheme.accent, bold: true })
    expect(screen.cellAt(at - 2, row)).toMatchObject({ color: darkTheme.muted, bold: false })
    await screen.press('escape')
    await screen.type('a/')
    expect(screen.screen()).toContain(' ❯ a/')
  })

  test('backspace on nothing leaves the search in content', async () => {
    const screen = await show(100, 30)
    await screen.press('/')
    expect(screen.screen()).toContain('search in content:')
    await screen.press('backspace')
    expect(screen.screen()).not.toContain('search in content:')
  })

  test('tab shows the sessions of all folders, and back', async () => {
    const screen = await show(120, 36)
    expect(screen.screen()).toContain('5 sessions')
    await screen.press('tab')
    expect(screen.screen()).toContain('7 sessions')
    expect(screen.screen()).toContain('release-tools')
    await screen.type('zod')
    expect(screen.screen()).toContain('1 of 7')
    await screen.press('tab')
    expect(screen.screen()).toContain('1 of 5')
  })
})

describe('what is changed', () => {
  test('ctrl+r names a session in its row, esc keeps the old name', async () => {
    const renamed: string[][] = []
    const screen = await show(100, 30, { actions: { renamed: (...words) => renamed.push(words) } })
    await screen.press('down', 'ctrl+r', 'ctrl+u')
    await screen.type('Zod all over')
    await screen.press('escape')
    expect(screen.index.get('s_zod')?.title).toBe('Port config to zod')
    await screen.press('ctrl+r', 'ctrl+u')
    await screen.type('Zod  all over ')
    await screen.press('return')
    expect(screen.index.get('s_zod')?.title).toBe('Zod all over')
    expect(screen.screen()).toContain('▸ ★ Zod all over')
    expect([screen.asked, renamed]).toEqual([[], []])
  })

  test('ctrl+t writes tags, by which is filtered', async () => {
    const screen = await show(100, 30)
    await screen.press('down', 'down', 'down', 'ctrl+t')
    await screen.type('#later, big later')
    await screen.press('return')
    expect(screen.index.get('s_retry')?.tags).toEqual(['later', 'big'])
    await screen.type('later')
    expect(screen.shown()).toEqual(['*s_retry'])
  })

  test('ctrl+p pins and lets go, and the mark stays on the session', async () => {
    const screen = await show(100, 30)
    await screen.press('end', 'ctrl+p')
    expect(screen.shown()).toEqual(['s_here', '*s_damaged', 's_zod', 's_live', 's_retry'])
    await screen.press('ctrl+p')
    expect(screen.shown()).toEqual(['s_here', 's_zod', 's_live', 's_retry', '*s_damaged'])
  })

  test('ctrl+x deletes at once and says so for a moment; ctrl+z takes it back as long as the list is open', async () => {
    const screen = await show(100, 30)
    await screen.press('down', 'ctrl+x')
    expect(screen.shown()).toEqual(['s_here', '*s_live', 's_retry', 's_damaged'])
    expect(screen.screen()).toMatch(/Deleted: “Port config to zod” +ctrl\+z undo/)
    await screen.pass(saidMs)
    expect(screen.screen()).not.toContain('undo')
    await screen.press('up', 'ctrl+z')
    expect(screen.shown()).toEqual(['s_here', '*s_zod', 's_live', 's_retry', 's_damaged'])
    expect(screen.screen()).toContain('Back again: “Port config to zod”')
    expect(screen.screen()).not.toContain('undo')
    await screen.press('ctrl+z')
    expect(screen.screen()).toContain('There is nothing to undo')
  })

  test('several deletions are taken back one by one, the last first', async () => {
    const screen = await show(100, 30)
    await screen.press('end', 'ctrl+x', 'ctrl+x')
    expect(screen.shown()).toEqual(['s_here', 's_zod', '*s_live'])
    await screen.pass(saidMs)
    await screen.press('ctrl+z')
    expect(screen.screen()).toMatch(/Back again: “Add retry to the exporter” +ctrl\+z one more/)
    await screen.press('ctrl+_')
    expect(screen.shown()).toEqual(['s_here', 's_zod', 's_live', 's_retry', '*s_damaged'])
  })

  test('what runs here is not deleted', async () => {
    const screen = await show(100, 30)
    await screen.press('ctrl+x')
    expect(screen.screen()).toContain('“Round cart totals once” is open here: /close it first')
    expect(screen.shown()).toHaveLength(5)
  })

  test('fork and export are offered only where there are any', async () => {
    const bare = await show(120, 36)
    expect(bare.screen()).not.toMatch(/ctrl\+[fe]/)
    await bare.press('ctrl+f', 'ctrl+e')
    expect(bare.screen()).toContain(' ❯  type to filter')
    await bare.unmount()

    const asked: string[][] = []
    const screen = await show(120, 36, {
      actions: {
        async fork(id) {
          asked.push(['fork', id])
          return null
        },
        async export(id, format) {
          asked.push(['export', id, format])
          return 'Written: ./port-config-to-zod.md'
        },
      },
    })
    await screen.press('down', 'ctrl+f')
    await screen.press('ctrl+e')
    expect(screen.screen()).toMatch(/export as {3}m Markdown {3}h HTML {3}j JSON {3}esc cancel/)
    await screen.press('escape', 'ctrl+e', 'm')
    await screen.until((now) => now.includes('Written: ./port-config-to-zod.md'))
    expect(asked).toEqual([
      ['fork', 's_zod'],
      ['export', 's_zod', 'md'],
    ])
  })
})

describe('the preview', () => {
  test('is read once the mark rests, never on the way of a key, and once for each session', async () => {
    const screen = await show(120, 36)
    const previews = () => screen.index.calls.filter((call) => call === 'preview').length
    await screen.press('down', 'down', 'down')
    expect(previews()).toBe(0)
    await screen.pass(previewRestMs - 1)
    expect(previews()).toBe(0)
    await screen.pass(1)
    expect(previews()).toBe(1)
    expect(screen.screen()).toContain('❯ publish it')
    await screen.press('up', 'down')
    await screen.pass(previewRestMs)
    expect(previews()).toBe(1)
  })

  test('says what it can say at once, and why the rest cannot be read', async () => {
    const index = memorySessionIndex(stored)
    index.preview = () => {
      throw new Error('no permission to read it')
    }
    const screen = await show(120, 36, { index })
    await screen.press('down')
    expect(screen.screen()).toContain('~/code/shop · gpt-5.2 · 4 turns · $1.95 · s_zod')
    await screen.pass(previewRestMs)
    expect(screen.screen()).toContain('! it cannot be read: no permission to read it')
  })
})

describe('news', () => {
  test('records that came meanwhile are listed, and the mark stays where it was', async () => {
    const index = memorySessionIndex(stored)
    index.arrive(summaryOf({ id: 's_new', title: 'Brand new one', updatedAt: minutesAgo(0) }))
    const screen = await show(100, 30, { sessions: stored, index })
    expect(index.calls).not.toContain('refresh')
    await screen.pass(refreshMs)
    await screen.until((now) => now.includes('Brand new one'))
    expect(screen.screen()).toContain('▸ 1 Round cart')
  })
})

test('in ASCII every sign stays in its cell', async () => {
  const screen = await show(100, 24, { theme: { ...darkTheme, glyphs: asciiGlyphs } })
  await screen.pass(previewRestMs)
  expect(screen.screen()).toMatch(/^[ -~]*$/m)
  for (const row of screen.screen().split('\n')) expect(row).toMatch(/^[ -~]*$/)
})

describe('every key can be found', () => {
  test.each([
    [40, 12],
    [80, 24],
    [120, 36],
  ])('%i × %i: ? shows all keys of the list, whatever the foot has room for', async (columns, rows) => {
    const screen = await show(columns, rows, { actions: { fork: async () => null, export: async () => 'written' } })
    expect(screen.screen().split('\n').at(-1)).toContain('? keys')
    await screen.press('?')
    let seen = ''
    for (let page = 0; page < 5; page++) {
      seen += `${screen.screen()}\n`
      for (const row of screen.screen().split('\n')) expect(cellWidth(row)).toBeLessThanOrEqual(columns)
      await screen.press('pagedown')
    }
    for (const key of [
      'ctrl+f',
      'ctrl+r',
      'ctrl+t',
      'ctrl+p',
      'ctrl+x',
      'ctrl+z',
      'ctrl+e',
      'tab',
      '/',
      'esc',
      'ctrl+c',
    ])
      expect(seen).toMatch(new RegExp(`^  .*${key.replace('+', '\\+')}`, 'm'))
    await screen.press('escape')
    expect(screen.shown()[0]).toBe('*s_here')
    expect(screen.asked).toEqual([])
  })
})

describe('room', () => {
  const long = 'Refactor the whole of the exporter module so it retries'
  const plain = Array.from({ length: 6 }, (_, i) =>
    summaryOf({ id: `s_${i}`, title: i === 1 ? long : `Short ${i}`, updatedAt: minutesAgo(10 + i) }),
  )

  test.each([
    [80, 24],
    [120, 30],
    [200, 40],
  ])('%i × %i: a long title is shown whole where little stands beside it', async (columns, rows) => {
    const screen = await show(columns, rows, { sessions: plain, here: [] })
    expect(screen.screen()).toContain(`${long}  `)
    expect(screen.screen()).toMatch(/10 min( ago)? +.*done/)
  })

  test('beside long next steps it has most of the room', async () => {
    const sessions = plain.map((one) => ({ ...one, next: 'do what was said at the end of the last turn, and more' }))
    const screen = await show(120, 30, { sessions, here: [] })
    expect(screen.screen()).toMatch(/Refactor the whole of the exporter modu.*… +10|Refactor the whole.*…/)
    expect(screen.screen()).toContain('next: do what was said')
  })

  test.each<[string, Partial<MemorySession>]>([
    ['· not verified', { checks: 'unverified' }],
    ['! damaged', { lostRecords: 3 }],
    ['! 1 asks', { pendingApprovals: 1, live: true }],
  ])('%s is said in the row', async (words, part) => {
    const screen = await show(80, 24, { sessions: [summaryOf({ id: 's_1', title: 'One', ...part })], here: [] })
    expect(screen.screen()).toContain(words)
  })

  test('what is said takes the lines that it needs, and the list gives them', async () => {
    const path = `/home/ada/${'very/'.repeat(14)}long/port-config-to-zod.md`
    const screen = await show(80, 24, { actions: { export: async () => `Written, for your eyes only: ${path}` } })
    await screen.press('down', 'ctrl+e', 'm')
    await screen.until((now) => now.includes('for your eyes only'))
    expect(screen.screen().replace(/\s+/g, '')).toContain(path)
    expect(screen.screen().split('\n')).toHaveLength(24)
    expect(screen.shown()).toHaveLength(5)
  })

  test('the preview cuts between words, says that it did, and only where there is no room', async () => {
    const preview = {
      ...{ files: [], todo: [], stopReason: 'final_answer' },
      lastInput: 'Write\nthe module65 tests and then the others and then the last ones of them all, and go on',
      lastAnswer: 'Done.',
    }
    const session = summaryOf({ id: 's_1', title: 'Write', preview })
    const roomy = await show(80, 24, { sessions: [session], here: [] })
    await roomy.pass(previewRestMs)
    expect(roomy.screen()).toContain(' ❯ Write\n   the module65 tests')
    expect(roomy.screen()).toContain('Done.')
    expect(roomy.screen()).not.toContain('…')
    await roomy.unmount()
    const told = { ...session, preview: { ...preview, lastAnswer: 'word '.repeat(300) } }
    const full = await show(80, 24, { sessions: [told], here: [] })
    await full.pass(previewRestMs)
    expect(full.screen()).toMatch(/word …$/m)
    expect(full.screen()).not.toMatch(/wor…|Writ…/)
  })
})
