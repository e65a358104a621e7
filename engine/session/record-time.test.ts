import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordTime } from './record-time.ts'

test('a record’s time is what a clock reads it as', () => {
  const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(date, (at) => {
      expect(recordTime(at.toISOString())).toBe(at.getTime())
    }),
  )
  expect(recordTime('2026-11-30T17:00:05Z')).toBe(Date.UTC(2026, 10, 30, 17, 0, 5))
})

test.each(['', 'yesterday', '2026-11-30', '2026-11-30T17:00:05+01:00'])('%j is none', (time) =>
  expect(recordTime(time)).toBeNaN(),
)
