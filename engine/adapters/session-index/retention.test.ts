import { expect, test } from 'vitest'
import { dayMs, type Kept, planRetention, type Retention } from './retention.ts'

const now = Date.UTC(2026, 10, 30)
const aged = (id: string, days: number, extra: Partial<Kept> = {}): Kept => ({
  id,
  title: id,
  updatedAt: new Date(now - days * dayMs).toISOString(),
  turns: 1,
  pinned: false,
  live: false,
  bytes: 1_000_000,
  ...extra,
})
const sessions = [
  aged('new', 0.5),
  aged('old', 40),
  aged('older', 90),
  aged('pinned', 200, { pinned: true }),
  aged('live', 300, { live: true }),
  aged('empty', 3, { turns: 0 }),
  aged('just opened', 0.2, { turns: 0 }),
  aged('damaged', 0, { updatedAt: '' }),
]

const cases: [Retention, [string, string][]][] = [
  [{}, [['empty', 'empty']]],
  [
    { maxAgeDays: 60 },
    [
      ['older', 'age'],
      ['empty', 'empty'],
    ],
  ],
  [
    { maxAgeDays: 30 },
    [
      ['older', 'age'],
      ['old', 'age'],
      ['empty', 'empty'],
    ],
  ],
  [
    { maxAgeDays: 30, keepPinned: false },
    [
      ['pinned', 'age'],
      ['older', 'age'],
      ['old', 'age'],
      ['empty', 'empty'],
    ],
  ],
  [
    { maxTotalMb: 6 },
    [
      ['older', 'size'],
      ['old', 'size'],
      ['empty', 'empty'],
    ],
  ],
  [
    { maxTotalMb: 7 },
    [
      ['older', 'size'],
      ['empty', 'empty'],
    ],
  ],
  [
    { maxTotalMb: 0.5 },
    [
      ['older', 'size'],
      ['old', 'size'],
      ['empty', 'empty'],
      ['new', 'size'],
      ['just opened', 'size'],
    ],
  ],
]

test.each(cases)('with %j goes %j', (limits, gone) => {
  expect(planRetention(sessions, limits, now).map(({ session, why }) => [session.id, why])).toEqual(gone)
})

test('a session without a turn that was given a name, or holds a draft, is not an empty one', () => {
  expect(planRetention([aged('named', 3, { turns: 0, used: true })], {}, now)).toEqual([])
})
