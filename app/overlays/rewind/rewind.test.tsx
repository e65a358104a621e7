import { diffHunks } from '@sluice/engine/change'
import type { Rewind, RewindFile, RewindPreview, RewindTurn, Rewound } from '@sluice/engine/protocol'
import { describe, expect, test } from 'vitest'
import { startSession, teller } from '../../../fixtures/screen/event-streams.ts'
import { showScreen } from '../../../fixtures/screen/show-screen.tsx'
import { createStore } from '../../state/index.ts'
import { RewindOverlay } from './RewindOverlay.tsx'

const golden = (name: string, size: string) => `../../../fixtures/golden/rewind/${name}-${size}.txt`
const now = Date.UTC(2026, 10, 30, 12, 0, 0)
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString()

const turns: RewindTurn[] = [
  { turnId: 't1', input: 'why does the total drift by a cent?', time: ago(31), files: [], gaps: [] },
  {
    turnId: 't2',
    input: 'round once, at the end,\nand run the tests',
    time: ago(12),
    files: [
      { path: 'src/cart.ts', additions: 2, deletions: 1 },
      { path: 'test/cart.test.ts', additions: 12, deletions: 0 },
    ],
    gaps: [],
  },
  {
    turnId: 't3',
    input: '価格を整形する関数も直してください、それから文書も新しくして、テストを全部走らせて',
    time: ago(2),
    files: [{ path: 'src/format.ts', additions: 40, deletions: 33 }],
    gaps: ['2 files (video.mp4, dump.sql) over 5 MB or not readable', 'what is in 1 repository of its own (vendor/x)'],
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
    async preview(turnId) {
      asked.push(['preview', turnId])
      return { ...preview, turnId, ...known }
    },
    async apply({ preview: { turnId }, conversation, restore }) {
      asked.push(['apply', turnId, conversation, restore])
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
  expect(screen.screen()).toMatch(/cart\.ts +stays as it is/)
  await screen.press('y')
  expect(one.asked[1]).toEqual(['apply', 't2', true, []])
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
