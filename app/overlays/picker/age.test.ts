import { expect, test } from 'vitest'
import { age } from './age.ts'

const now = new Date(2026, 10, 30, 9, 0, 0)
const at = (...[month, day, hour, minute = 0]: [month: number, day: number, hour: number, minute?: number]) =>
  new Date(2026, month - 1, day, hour, minute).toISOString()

test.each([
  ['a moment ago', new Date(now.getTime() - 30_000).toISOString(), 'now', 'now'],
  ['a little ahead, as another clock says', at(11, 30, 9, 9), 'now', 'now'],
  ['hours ahead, from before the clock was put right', at(11, 30, 14), 'Nov 30', 'Nov 30'],
  ['a day ahead', at(12, 1, 9), 'Dec 1', 'Dec 1'],
  ['years ahead', new Date(2031, 1, 2).toISOString(), 'Feb 2031', 'Feb 2031'],
  ['minutes', at(11, 30, 8, 18), '42 min ago', '42 min'],
  ['hours', at(11, 30, 2), '7 h ago', '7 h'],
  ['last night', at(11, 29, 22), 'yesterday', '1 d'],
  ['just before midnight, four hours ago', at(11, 30, 5), '4 h ago', '4 h'],
  ['last week', at(11, 25, 9), '5 days ago', '5 d'],
  ['this year', at(3, 7, 9), 'Mar 7', 'Mar 7'],
  ['another year', new Date(2024, 1, 2).toISOString(), 'Feb 2024', 'Feb 2024'],
  ['no time', '', '', ''],
  ['no time at all', new Date(0).toISOString(), '', ''],
])('%s', (_, time, long, short) => {
  expect([age(time, now.getTime()), age(time, now.getTime(), true)]).toEqual([long, short])
})
