import { afterEach, expect, test } from 'vitest'
import { localTime } from './local-time.ts'

const zone = process.env.TZ
afterEach(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

test('a time is that of the clock on the wall, in ISO 8601 as in milliseconds', () => {
  process.env.TZ = 'Asia/Kolkata'
  const iso = '2026-11-30T20:00:00.000Z'
  expect([localTime(iso), localTime(Date.parse(iso))]).toEqual(['2026-12-01 01:30', '2026-12-01 01:30'])
  process.env.TZ = 'America/Los_Angeles'
  expect(localTime(iso)).toBe('2026-11-30 12:00')
  expect([localTime(''), localTime('yesterday'), localTime(Number.NaN)]).toEqual(['', '', ''])
})
