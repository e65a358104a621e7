import { expect, test } from 'vitest'
import { mergedSpans, type StyledSpan } from './styled-row.ts'

test.each<[string, StyledSpan[], StyledSpan[]]>([
  [
    'neighbours of one style',
    [
      { text: 'a', color: 'red' },
      { text: 'b', color: 'red' },
    ],
    [{ text: 'ab', color: 'red' }],
  ],
  [
    'blanks behind letters, whatever their colour',
    [{ text: 'a', bold: true }, { text: '  ' }, { text: 'b', color: 'red' }],
    [
      { text: 'a  ', bold: true },
      { text: 'b', color: 'red' },
    ],
  ],
  [
    'blanks that show stay by themselves',
    [
      { text: 'a' },
      { text: ' ', inverse: true },
      { text: ' ', backgroundColor: 'blue' },
      { text: 'b', underline: true },
      { text: ' ' },
    ],
    [
      { text: 'a' },
      { text: ' ', inverse: true },
      { text: ' ', backgroundColor: 'blue' },
      { text: 'b', underline: true },
      { text: ' ' },
    ],
  ],
  ['nothing', [{ text: '' }], []],
])('%s', (_what, spans, merged) => {
  expect(mergedSpans(spans)).toEqual(merged)
})
