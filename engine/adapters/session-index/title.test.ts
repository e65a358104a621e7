import { cellWidth } from '@sluice/permissions-ui'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { titleCells, titleOf } from './title.ts'

test.each([
  ['why does the cart total drift by a cent?', 'Why does the cart total drift by a cent?'],
  ['Add retry to the exporter. It should back off. Then test it.', 'Add retry to the exporter'],
  ['Please port the config to zod, e.g. the limits. Thanks!', 'Port the config to zod, e.g. the limits'],
  ['hi! can you please help me to fix the flaky test?', 'Fix the flaky test?'],
  ['hello world in rust', 'Hello world in rust'],
  ['hey sluice, now add tests', 'Now add tests'],
  ['I want you to rename `total` to **sum** in @src/cart.ts', 'Rename total to sum in src/cart.ts'],
  ['# Bug report\n\nThe total is wrong', 'Bug report'],
  ['- [ ] look at [the docs](https://example.org/x) first', 'Look at the docs first'],
  ['```\nTypeError: x is undefined\n    at a.js:12\n```\nwhat is this?', 'What is this?'],
  ['```\nonly code\n```', 'Only code'],
  ['> as they said\n2026-11-30T10:00:00Z GET /\nwhy is it slow', 'Why is it slow'],
  ['/plan rewrite the parser', 'Rewrite the parser'],
  ['用一次舍入修复购物车的总数。然后测试。', '用一次舍入修复购物车的总数'],
  ['package.json: pin react', 'package.json: pin react'],
  ['\x1b[31mred\x1b[0m words\u202e here', 'Red words here'],
  ['bump to 2.0.1 and publish. ok?', 'Bump to 2.0.1 and publish'],
])('%j is called %j', (input, title) => {
  expect(titleOf(input)).toEqual({ text: title, weight: 2 })
})

test.each([
  ['hello', { text: 'hello', weight: 1 }],
  ['thanks!', { text: 'thanks!', weight: 1 }],
  ['!npm test', { text: '! npm test', weight: 1 }],
  ['/review', { text: '/review', weight: 1 }],
  ['\n🎉 🎉\n', { text: '🎉 🎉', weight: 1 }],
  ['   \n ', { text: '', weight: 0 }],
])('%j says little: a later input may give a better title', (input, title) => {
  expect(titleOf(input)).toEqual(title)
})

test('a long sentence is cut between words; one long word anywhere', () => {
  expect(titleOf(`make ${'the quick brown fox '.repeat(10)}`).text).toBe(
    'Make the quick brown fox the quick brown fox the quick…',
  )
  expect(titleOf('x'.repeat(100)).text).toBe(`X${'x'.repeat(58)}…`)
})

test('whatever was typed, a title is one line of at most 60 cells without control characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (input) => {
      const { text } = titleOf(input)
      expect(cellWidth(text)).toBeLessThanOrEqual(titleCells)
      expect(text).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
    }),
  )
})
