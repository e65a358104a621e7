import { diffHunks } from '@sluice/engine/change'
import type { Rewind, RewindFile, RewindPreview, RewindTurn, Rewound } from '@sluice/engine/protocol'
import { describe, expect, test } from 'vitest'
import { startSession, teller } from '../../../fixtures/screen/event-streams.ts'
import { showScreen } from '../../../fixtures/screen/show-screen.tsx'
import { spokenRewind } from '../../session/rewind-words.ts'
import { createStore } from '../../state/index.ts'
import { RewindOverlay } from './RewindOverlay.tsx'

const golden = (name: string, size: string) => `../../../fixtures/golden/rewind/${name}-${size}.txt`
const now = Date.UTC(2026, 10, 30, 12, 0, 0)
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString()

const turns: RewindTurn[] = [
  { turnId: 't1', input: 'why does the total drift by a cent?', time: ago(31), files: [], gaps: [], calls: [] },
  {
    turnId: 't2',
    input: 'round once, at the end,\nand run the tests',
    time: ago(12),
    files: [
      { path: 'src/cart.ts', additions: 2, deletions: 1 },
      { path: 'test/cart.test.ts', additions: 12, deletions: 0 },
    ],
    gaps: [],
    calls: [
      {
        ...{ callId: 'e1', tool: 'edit_file', title: 'src/cart.ts', gaps: [], undone: false },
        files: [{ path: 'src/cart.ts', additions: 2, deletions: 1 }],
      },
      {
        ...{ callId: 'b1', tool: 'bash', gaps: [], undone: false },
        title: 'npx cart-tests --write test/cart.test.ts && npm test -- --reporter=dot … +3 lines',
        files: [{ path: 'test/cart.test.ts', additions: 12, deletions: 0 }],
      },
      {
        ...{ callId: 'b2', tool: 'bash', title: 'rm -r coverage', gaps: [], undone: true },
        files: [{ path: 'coverage/index.html', additions: 0, deletions: 80 }],
      },
    ],
  },
  {
    turnId: 't3',
    input: '価格を整形する関数も直してください、それから文書も新しくして、テストを全部走らせて',
    time: ago(2),
    files: [{ path: 'src/format.ts', additions: 40, deletions: 33 }],
    gaps: ['2 files (video.mp4, dump.sql) over 5 MB or not readable', 'what is in 1 repository of its own (vendor/x)'],
    calls: [
      {
        ...{ callId: 'w1', tool: 'write_file', title: 'src/format.ts', gaps: [], undone: false },
        files: [{ path: 'src/format.ts', additions: 40, deletions: 33 }],
      },
    ],
  },
]

const diff = (path: string, from: string, to: string): RewindFile['diff'] => {
  const hunks = diffHunks(from, to)
  const count = (kind: string) => hunks.flatMap(({ lines }) => lines).filter((line) => line.kind === kind).length
  const change = from === '' ? 'create' : to === '' ? 'delete' : 'edit'
  return { path, change, hunks, additions: count('add'), deletions: count('del'), oldHash: null, newHash: null }
}

const numbered = (lines: number) => Array.from({ length: lines }, (_, i) => `line ${i + 1}\n`).join('')
const files: RewindFile[] = [
  {
    ...{ path: '/w/src/cart.ts', shown: 'src/cart.ts', state: 'conflict', why: 'somebody changed it since' },
    diff: diff(
      'src/cart.ts',
      'const total = items.reduce((sum, i) => sum + i.price * i.qty, 0)\nreturn round(total)\n// mine\n',
      'const total = items.reduce((sum, i) => sum + round(i.price * i.qty), 0)\nreturn total\n',
    ),
  },
  {
    ...{ path: '/w/out/made.txt', shown: 'out/made.txt', state: 'restore', why: '' },
    diff: diff('out/made.txt', '', numbered(60)),
  },
  {
    ...{ path: '/w/dump.bin', shown: 'dump.bin', state: 'lost', why: 'its earlier content was too large to be kept' },
    diff: diff('dump.bin', 'a', 'b'),
  },
]

const callFiles: RewindFile[] = files
  .slice(0, 2)
  .map((file, i) => (i === 0 ? { ...file, why: 'a later call changed it since (npm run format)' } : file))

const preview: RewindPreview = {
  ...{ turnId: 't2', input: turns[1]?.input ?? '', turns: 2, conversation: true, files, digest: 'd' },
  gaps: turns[2]?.gaps ?? [],
}

const rewound: Rewound = {
  ...{ id: 'r', toTurnId: 't2', input: 'round once', conversation: true, turns: 2, files: [], kept: [] },
}

function world(known: Partial<RewindPreview> = {}, undo: Rewound | null = null, list = turns) {
  const asked: unknown[][] = []
  const answers = [{ ok: true, rewound } as const]
  const rewind: Rewind = {
    turns: async () => list,
    undoable: () => undo,
    async preview(turnId, callId) {
      asked.push(callId === undefined ? ['preview', turnId] : ['preview', turnId, callId])
      const call = list.flatMap(({ calls }) => calls).find((one) => one.callId === callId)
      return { ...preview, turnId, ...(call ? { call, conversation: false, turns: 0, gaps: [] } : {}), ...known }
    },
    async apply({ preview: { turnId, call }, conversation, restore }) {
      asked.push(['apply', turnId, ...(call ? [call.callId] : []), conversation, restore])
      return answers[0] ?? { ok: true, rewound }
    },
  }
  return { asked, rewind }
}

async function open(columns: number, rows: number, { asked, rewind }: ReturnType<typeof world>) {
  const store = createStore()
  const own = teller('s1')
  startSession(own)
  const screen = await showScreen(columns, rows, own.events, {
    store,
    renderOverlay: (overlay, size) =>
      overlay.name !== 'rewind' ? null : (
        <RewindOverlay
          {...size}
          rewind={rewind}
          clock={() => now}
          onDone={(done) => asked.push(['done', done.id])}
          onFork={async (turnId) => {
            asked.push(['fork', turnId])
            return turnId === 't1' ? 'the disk is full' : null
          }}
          onClose={() => store.dispatch({ type: 'ui_overlay', overlay: null })}
          onTyped={(text) => asked.push(['typed', text])}
        />
      ),
  })
  store.dispatch({ type: 'ui_overlay', overlay: { name: 'rewind' } })
  await screen.settled()
  return { ...screen, asked }
}

describe.each([
  [80, 24],
  [120, 36],
  [46, 16],
])('at %i×%i', (columns, rows) => {
  const size = `${columns}x${rows}`

  test('the turns, newest first, each with what it changed', async () => {
    const screen = await open(columns, rows, world())
    await expect(screen.screen()).toMatchFileSnapshot(golden('turns', size))
    for (const row of screen.screen().split('\n')) expect(row.length).toBeLessThanOrEqual(columns)
  })

  test('what going back would do, with conflicts first', async () => {
    const screen = await open(columns, rows, world())
    await screen.press('down', 'return')
    await screen.settled()
    await expect(screen.screen()).toMatchFileSnapshot(golden('preview', size))
    await screen.press('down')
    await expect(screen.screen()).toMatchFileSnapshot(golden('preview-second', size))
  })

  test('the calls of a turn below it, and what undoing one of them would do', async () => {
    const one = world({ files: callFiles })
    const screen = await open(columns, rows, one)
    await screen.press('down', 'right', 'down', 'down')
    await expect(screen.screen()).toMatchFileSnapshot(golden('calls', size))
    for (const row of screen.screen().split('\n')) expect(row.length).toBeLessThanOrEqual(columns)
    await screen.press('return')
    await screen.settled()
    await expect(screen.screen()).toMatchFileSnapshot(golden('call-preview', size))
  })
})

describe('the calls of a turn', () => {
  test('are shown and hidden by the arrows and by space; where there are none nothing happens', async () => {
    const screen = await open(80, 24, world())
    const row = (words: string) =>
      screen
        .screen()
        .split('\n')
        .find((line) => line.includes(words)) ?? ''
    expect(screen.screen()).toContain('→ 1 call')
    await screen.press('right')
    expect(row('write_file  src/format.ts')).toContain('1 file  +40 −33')
    expect(screen.screen()).toContain('← hide calls')
    await screen.press('right')
    expect(row('write_file')).toMatch(/^ ▸ /)
    expect(screen.screen()).toContain('← its turn')
    await screen.press('left')
    expect([row('write_file'), row('価格')]).toEqual(['', expect.stringMatching(/^ ▸ /)])
    await screen.press('down', 'space')
    expect(row('rm -r coverage')).toMatch(/undone$/)
    await screen.press('down', 'space')
    expect([row('rm -r coverage'), row('round once')]).toEqual(['', expect.stringMatching(/^ ▸ /)])
    await screen.press('end', 'right', 'space')
    expect(row('why does the total')).toMatch(/^ ▸ /)
    expect(screen.screen()).not.toContain('→')
  })

  test('are scrolled through where a turn has more of them than there are rows', async () => {
    const changed = [{ path: 'a', additions: 1, deletions: 0 }]
    const calls = Array.from({ length: 40 }, (_, i) => ({
      ...{
        callId: `c${i}`,
        tool: 'mcp__a_long_server__tool',
        title: `file-${i}`,
        files: changed,
        gaps: [],
        undone: false,
      },
    }))
    const many = turns.map((turn) => (turn.turnId === 't1' ? { ...turn, files: changed, calls } : turn))
    const screen = await open(46, 16, world({}, null, many))
    await screen.press('end', 'right')
    const marked = () =>
      screen
        .screen()
        .split('\n')
        .find((line) => line.startsWith(' ▸ ')) ?? ''
    expect(marked()).toContain('why does the total')
    expect(screen.screen()).toContain('file-5')
    await screen.press('pagedown')
    expect(marked()).toMatch(/mcp__a_long_ser. {2}file-7/)
    await screen.press('end')
    expect(marked()).toContain('file-39')
    await screen.press('left')
    expect(marked()).toContain('why does the total')
  })

  test('are undone in files alone: neither conversation nor fork is offered, and conflicts stay unless chosen', async () => {
    const one = world({ files: callFiles })
    const screen = await open(80, 24, one)
    await screen.press('down', 'space', 'down', 'f', 'return')
    await screen.settled()
    expect(screen.screen()).toContain('Undo one call   edit_file: src/cart.ts')
    expect(screen.screen()).toContain('y undo 1 file')
    await screen.press('tab', 'right', 'y')
    expect(one.asked).toEqual([
      ['preview', 't2', 'e1'],
      ['apply', 't2', 'e1', false, ['/w/out/made.txt']],
      ['done', 'r'],
    ])
  })

  test('are looked at again as what they are when something was wrong', async () => {
    const one = world({ files: callFiles })
    one.rewind.apply = async () => ({ ok: false, problem: 'it was changed just now' })
    const screen = await open(80, 24, one)
    await screen.press('right', 'down', 'return', 'y')
    await screen.settled()
    expect(one.asked).toEqual([
      ['preview', 't3', 'w1'],
      ['preview', 't3', 'w1'],
    ])
    await screen.press('escape')
    expect(screen.screen()).toMatch(/ ▸ +write_file {2}src\/format\.ts/)
  })

  test('of which nothing is left are no work, and y does nothing', async () => {
    const one = world({ files: [] })
    const screen = await open(80, 24, one)
    await screen.press('right', 'down', 'return')
    await screen.settled()
    expect(screen.screen()).toContain('nothing of it is left to undo')
    expect(screen.screen()).not.toContain('y undo')
    await screen.press('y')
    expect(screen.screen()).toContain('No file is chosen.')
    expect(one.asked).toEqual([['preview', 't3', 'w1']])
  })

  test('that were undone last are named in the first row', async () => {
    const call = { callId: 'b1', tool: 'bash', title: 'npm run gen' }
    const screen = await open(80, 24, world({ call, conversation: false }, { ...rewound, conversation: false, call }))
    expect(screen.screen()).toMatch(/undo the last rewind {2}bash: npm run gen/)
    await screen.press('up', 'return')
    await screen.settled()
    expect(screen.screen()).toContain('Undo the rewind   bash: npm run gen')
  })
})

test('y goes back as it is shown: what somebody else changed stays unless it is chosen, what was not kept is no choice', async () => {
  const one = world()
  const screen = await open(80, 24, one)
  await screen.press('down', 'return')
  await screen.press('y')
  expect(one.asked).toEqual([
    ['preview', 't2'],
    ['apply', 't2', true, ['/w/out/made.txt']],
    ['done', 'r'],
  ])
  const two = world()
  const again = await open(80, 24, two)
  await again.press('down', 'return', 'space', 'down', 'space', 'down', 'space', 'tab', 'tab')
  expect(again.screen()).toContain('y rewind 1 file')
  await again.press('y')
  expect(two.asked.slice(1)).toEqual([
    ['apply', 't2', false, ['/w/src/cart.ts']],
    ['done', 'r'],
  ])
})

test('the conversation alone leaves files as they are', async () => {
  const one = world()
  const screen = await open(80, 24, one)
  await screen.press('down', 'return', 'tab')
  expect(screen.screen()).toMatch(/\[ \] src\/cart\.ts +stays as it is/)
  expect(screen.screen()).toMatch(/\[ \] out\/made\.txt +stays as it is/)
  expect(screen.screen()).not.toContain('[x]')
  await screen.press('y')
  expect(one.asked[1]).toEqual(['apply', 't2', true, []])
})

describe('many files', () => {
  const small = (count: number): RewindFile[] =>
    Array.from({ length: count }, (_, n) => ({
      ...{ path: `/w/f${n}`, shown: `f${n}.txt`, state: 'restore', why: '' },
      diff: diff(`f${n}.txt`, 'one\n', 'two\n'),
    }))
  const shown = (text: string) => text.split('\n').filter((row) => /\[x\] f\d+\.txt/.test(row)).length

  test('are all shown where the diffs leave room for them', async () => {
    const screen = await open(120, 36, world({ files: small(14), gaps: [] }))
    await screen.press('return')
    await screen.settled()
    expect(shown(screen.screen())).toBe(14)
    expect(screen.screen()).not.toMatch(/\d more/)
    expect(screen.screen()).toContain('1 + two')
  })

  test('are scrolled through, and how many more there are is said', async () => {
    const screen = await open(120, 36, world({ files: small(40), gaps: [] }))
    await screen.press('return')
    await screen.settled()
    const rows = shown(screen.screen())
    expect(rows).toBeGreaterThan(20)
    expect(screen.screen()).toContain(`${40 - rows} more below`)
    await screen.press('end')
    expect(screen.screen()).toContain(`${40 - rows} more above`)
    expect(screen.screen()).toContain('▸ [x] f39.txt')
    const low = await open(46, 16, world({ files: small(9) }))
    await low.press('return')
    await low.settled()
    expect(shown(low.screen())).toBeGreaterThan(1)
    expect(low.screen()).toMatch(/\d more below/)
    for (const row of low.screen().split('\n')) expect(row.length).toBeLessThanOrEqual(46)
  })

  test('that could not all be compared have no counts that are less than the truth', async () => {
    const files = small(3).map((file) => ({ ...file, uncounted: true as const, diff: diff('f', '', '') }))
    const some = { path: 'a', additions: 64, deletions: 5 }
    const list = turns.map((turn) => ({ ...turn, files: [some, { ...some, path: 'b', uncounted: true as const }] }))
    const screen = await open(80, 24, world({ files, gaps: [] }, null, list))
    expect(screen.screen()).toContain('2 files  ≥ +128 −10')
    expect(screen.screen()).toContain('a +64 −5   b ≥ +64 −5')
    await screen.press('return')
    await screen.settled()
    expect(screen.screen()).toMatch(/f0\.txt +not compared/)
    expect(screen.screen()).not.toContain('+0')
  })
})

test('a file without changed lines says what changes: its permissions, or that it is no text', async () => {
  const changed = ['permissions 644 → 600', 'not text, or too long to show: 2 bytes → 3 bytes'].map(
    (note, n): RewindFile => ({
      ...{ path: `/w/f${n}`, shown: `f${n}`, state: 'restore', why: '' },
      diff: { ...diff(`f${n}`, 'a', 'a'), note },
    }),
  )
  const one = world({ files: changed, gaps: [] })
  expect(await spokenRewind(one.rewind, '1')).toContain(
    'f0: permissions 644 → 600\nf1: not text, or too long to show: 2 bytes → 3 bytes\n',
  )
  const screen = await open(80, 24, one)
  await screen.press('return')
  await screen.settled()
  expect(screen.screen()).toMatch(/f0 +permissions 644 → 600/)
  expect(screen.screen()).toMatch(/f1 +not text, or too long to show/)
  expect(screen.screen()).not.toContain('+0')
})

test('what was not captured has a row each, and the last one says how many more there are', async () => {
  const gaps = Array.from({ length: 6 }, (_, n) => `thing ${n}`)
  const screen = await open(120, 36, world({ gaps }))
  await screen.press('return')
  await screen.settled()
  const rows = screen
    .screen()
    .split('\n')
    .filter((row) => row.includes('not captured'))
  expect(rows.map((row) => row.trim())).toEqual([
    '! not captured: thing 0',
    '! not captured: thing 1',
    '! not captured: thing 2',
    '! not captured: thing 3 (and 2 things more)',
  ])
})

test('a rewind of which nothing is left can be undone all the same, so that the one before it can be', async () => {
  const one = world({ files: [], gaps: [], conversation: false }, { ...rewound, conversation: false })
  const screen = await open(80, 24, one)
  await screen.press('up', 'return')
  await screen.settled()
  expect(screen.screen()).toContain('y undo')
  await screen.press('y')
  expect(one.asked[1]).toEqual(['apply', null, false, []])
})

test('a problem is said, and what is there now is shown before another yes', async () => {
  const one = world()
  one.rewind.apply = async () => ({ ok: false, problem: 'Files have changed since this was shown: look at it again.' })
  const screen = await open(80, 24, one)
  await screen.press('return', 'y')
  await screen.settled()
  expect(screen.screen()).toContain('! Files have changed since this was shown')
  expect(one.asked).toEqual([
    ['preview', 't3'],
    ['preview', 't3'],
  ])
  await screen.press('escape')
  expect(screen.screen()).toContain('see what it would do')
  await screen.press('escape')
  expect(screen.screen()).not.toContain('see what it would do')
})

test('the last rewind can be undone from the first row', async () => {
  const one = world({ files: [], gaps: [] }, rewound)
  const screen = await open(80, 24, one)
  expect(screen.screen()).toMatch(/ {3}undo the last rewind {2}round once/)
  await screen.press('up')
  expect(screen.screen()).toMatch(/▸ undo the last rewind/)
  await screen.press('return')
  await screen.settled()
  expect(screen.screen()).toContain('no file would change')
  await screen.press('y')
  expect(one.asked).toEqual([
    ['preview', null],
    ['apply', null, true, []],
    ['done', 'r'],
  ])
})

test('f forks from before the marked turn; why it cannot is said', async () => {
  const one = world()
  const screen = await open(80, 24, one)
  await screen.press('end', 'f')
  await screen.settled()
  expect(screen.screen()).toContain('! the disk is full')
  await screen.press('up', 'f')
  await screen.settled()
  expect(one.asked).toEqual([
    ['fork', 't1'],
    ['fork', 't2'],
  ])
  expect(screen.screen()).not.toContain('nothing is lost')
})

test('a session in which nothing was said has nothing to go back to', async () => {
  const screen = await open(80, 24, world({}, null, []))
  expect(screen.screen()).toContain('nothing was said yet')
  await screen.press('return', 'f', 'y')
  expect(screen.screen()).toContain('nothing was said yet')
})

describe('a letter that is no key there', () => {
  test('is for the draft in the list, where two Escs may have led', async () => {
    const one = world()
    const screen = await open(80, 24, one)
    await screen.press('w')
    expect(one.asked).toEqual([['typed', 'w']])
  })

  test('does nothing in the preview: what was chosen stays, and the keys are shown', async () => {
    const one = world()
    one.rewind.apply = async () => ({ ok: false, problem: 'it was changed just now' })
    const screen = await open(80, 24, one)
    await screen.press('down', 'return', 'down', 'space', 'w')
    expect(screen.screen()).toMatch(/▸ \[ \] out\/made\.txt/)
    await screen.press('y')
    await screen.until((now) => now.includes('! it was changed just now'))
    await screen.press('w')
    expect(screen.screen()).toContain('y rewind 2 turns')
    expect(one.asked.filter(([what]) => what === 'typed')).toEqual([])
  })

  test('does nothing where the calls of a turn are looked at', async () => {
    const one = world()
    const screen = await open(80, 24, one)
    await screen.press('right', 'w')
    expect(screen.screen()).toContain('← hide calls')
    expect(one.asked).toEqual([])
  })
})

test.each([
  [80, 24],
  [60, 20],
])('at %i×%i the preview shows all its keys, and none of them cut', async (columns, rows) => {
  const screen = await open(columns, rows, world())
  await screen.press('down', 'return')
  await screen.settled()
  for (const hint of [
    'y rewind 2 turns, 1 file',
    'space restore or keep',
    'a all',
    'esc back',
    '↑↓ file',
    'pagedown diff',
  ])
    expect(screen.screen()).toMatch(new RegExp(`${hint}(?: {3}| *$)`, 'm'))
})
