import { expect, test } from 'vitest'
import { ago, clock, duration, grouped, money, plural, tokens, wordCount } from './format.ts'

test.each([
  [duration(0), '0.0 s'],
  [duration(1_440), '1.4 s'],
  [duration(14_200), '14 s'],
  [duration(59_600), '1 min 0 s'],
  [duration(185_000), '3 min 5 s'],
  [duration(3_840_000), '1 h 4 min'],
  [clock(-5), '0 s'],
  [clock(9_999), '9 s'],
  [clock(14_999), '14 s'],
  [ago(-5), 'just now'],
  [ago(12 * 60_000), '12 min ago'],
  [ago(47 * 3_600_000), '47 h ago'],
  [ago(72 * 3_600_000), '3 days ago'],
  [tokens(940), '940'],
  [tokens(18_240), '18.2k'],
  [tokens(999_949), '999.9k'],
  [tokens(999_950), '1.0M'],
  [money(0), '$0.00'],
  [money(0.0042), '$0.004'],
  [money(3.1), '$3.10'],
  [money(3.1, false), '≥$3.10'],
  [plural(1, 'call'), '1 call'],
  [plural(2_000, 'call'), '2,000 calls'],
  [grouped(999), '999'],
  [grouped(1_234_567), '1,234,567'],
  [`${wordCount('  a b\n c ')} ${wordCount(' ')}`, '3 0'],
])('%s', (said, expected) => {
  expect(said).toBe(expected)
})
