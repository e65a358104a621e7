import { expect, test } from 'vitest'
import { marksIn, matchOf, snippetOf, termsOf } from './words.ts'

test.each([
  ['round cart', ['"round"', '"cart"*']],
  ['round cart ', ['"round"', '"cart"']],
  ['"npm publish" src/cart.ts', ['"npm publish"', '"src/cart.ts"*']],
  ['"npm pub', ['"npm pub"*']],
  ['a - ? * "" ca', ['"a"', '"ca"']],
  ['say "hi', ['"say"', '"hi"']],
  ["DROP TABLE 'x'; --", ['"DROP"', '"TABLE"', '"\'x\';"']],
  ['四捨', ['"四  捨"*']],
  ['🎉', ['"emoji1f389z"']],
  ['done🎉👍🏽 ok', ['"done emoji1f389z  emoji1f44dz 🏽"', '"ok"']],
])('%j is looked up as %j', (query, match) => {
  expect(termsOf(query).map(matchOf)).toEqual(match)
})

test.each([
  [
    'Rounding the round total',
    'round',
    [
      [0, 5],
      [13, 18],
    ],
  ],
  ['Rounding the round total', 'round ', [[13, 18]]],
  ['look at src/cart.ts now', 'src/cart.ts', [[8, 19]]],
  ['Café au lait', 'cafe ', [[0, 4]]],
  ['İstanbul STRASSE', 'strasse ', [[9, 16]]],
  ['合計を四捨五入する', '四捨', [[3, 5]]],
  ['nothing', 'else', []],
  ['ship it 🎉 now', '🎉', [[8, 10]]],
  ['done!🎉', 'done🎉', [[0, 7]]],
])('in %j the words %j are marked', (text, query, marks) => {
  expect(marksIn(text, termsOf(query))).toEqual(marks)
})

test('a snippet is one line around the first match, with its marks', () => {
  const before = 'word '.repeat(40)
  const after = ' end'.repeat(60)
  const snippet = snippetOf(`${before}\n\nthe needle\tis here${after}`, termsOf('needle '))
  expect(snippet?.text).toMatch(/^…(word )+the needle is here( end)+…$/)
  expect(snippet?.marks.map(([from, to]) => snippet.text.slice(from, to))).toEqual(['needle'])
  expect(snippetOf('hay', termsOf('needle'))).toBeNull()
})
