import { cellWidth, darkTheme, rowText } from '@sluice/permissions-ui'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shopAsking } from '../../fixtures/screen/shop-session.ts'
import { counts, focused, initialState, reduce } from '../state/index.ts'
import { headerRow } from './header.ts'

const state = [...shopAsking('s1').events, ...shopAsking('s2').events].reduce(reduce, initialState)
const facts = { view: focused(state), counts: counts(state), branch: 'main ±2', home: '/home/ada' }

test.each([
  [
    130,
    ' sluice   ~/shop   main ±2                                 gpt-5.2   default   ctx ━╌╌╌╌╌╌╌╌╌ 4%   $0.28   2 sessions: 2 need you',
  ],
  [90, ' sluice   ~/shop   main ±2        gpt-5.2   default   4%   $0.28   2 sessions: 2 need you'],
  [60, ' sluice   ~/shop           default   2 sessions: 2 need you'],
  [44, ' sluice    default   2 sessions: 2 need you'],
  [20, ' sluice     default'],
  [7, ' sluice'],
])('at %i columns', (width, text) => {
  expect(rowText(headerRow(facts, width, darkTheme)).trimEnd()).toBe(text)
})

test('is exactly as wide as asked, and says the mode wherever it fits', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 220 }), (width) => {
      const text = rowText(headerRow(facts, width, darkTheme))
      expect(cellWidth(text)).toBe(width)
      if (width >= 20) expect(text).toContain('default')
    }),
  )
})
