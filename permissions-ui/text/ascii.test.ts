import { expect, test } from 'vitest'
import { rowText, styledRow } from '../blocks/styled-row.ts'
import { asciiRow } from './ascii.ts'

test.each([
  ['2/4 plan · +2 −1 · 1 needs you', '2/4 plan | +2 -1 | 1 needs you'],
  ['── cleared ──', '-- cleared --'],
  ['✗ “no” …', 'x "no" ~'],
  ['⏎ deny   esc back        ', 'enter deny   esc back    '],
  ['⏎', 'enter'],
  ['nothing but letters', 'nothing but letters'],
])('%j becomes %j', (before, after) => {
  expect(rowText(asciiRow(styledRow({ text: before })))).toBe(after)
})

test('a row without signs stays the same object, and styles stay with their words', () => {
  const plain = styledRow({ text: 'a' }, { text: 'b', bold: true })
  expect(asciiRow(plain)).toBe(plain)
  expect(asciiRow(styledRow({ text: '✓ ', color: 'green' }, { text: 'done', bold: true }))).toEqual({
    spans: [
      { text: '+ ', color: 'green' },
      { text: 'done', bold: true },
    ],
  })
})
