import { diffHunks } from '@sluice/engine/change'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pairLines, wordDiff } from './word-diff.ts'

const marked = (text: string, ranges: [number, number][]) => ranges.map(([from, to]) => text.slice(from, to))

describe('wordDiff', () => {
  test.each([
    {
      del: '(sum, i) => sum + round(i.price * i.qty), 0)',
      add: '(sum, i) => sum + i.price * i.qty, 0)',
      gone: ['round(', ')'],
      come: [],
    },
    { del: 'return n.toFixed(2)', add: 'return n.toLocaleString()', gone: ['toFixed', '2'], come: ['toLocaleString'] },
    { del: 'const total = 1', add: 'const sum = 1', gone: ['total'], come: ['sum'] },
  ])('finds what changed in $del', ({ del, add, gone, come }) => {
    const words = wordDiff(del, add)
    expect(words && { gone: marked(del, words.del), come: marked(add, words.add) }).toEqual({ gone, come })
  })

  test.each([
    { name: 'unlike lines', del: 'import a', add: 'export function total() {' },
    { name: 'long lines', del: 'a '.repeat(1_500), add: 'b '.repeat(1_500) },
    { name: 'equal lines', del: 'a', add: 'a' },
  ])('says nothing about $name', ({ del, add }) => {
    expect(wordDiff(del, add)).toBeNull()
  })

  test('what it leaves unmarked is the same on both sides', () => {
    const line = fc
      .array(fc.constantFrom('a', 'bb', ' ', '(', ')', '世', '  '), { maxLength: 30 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(line, line, (del, add) => {
        const words = wordDiff(del, add)
        if (!words) return
        const rest = (text: string, ranges: [number, number][]) =>
          [...text].filter((_, i) => !ranges.some(([from, to]) => i >= from && i < to)).join('')
        expect(rest(del, words.del)).toBe(rest(add, words.add))
      }),
    )
  })
})

describe('pairLines', () => {
  test('pairs runs of equal length in order', () => {
    const [hunk] = diffHunks('a1\nb1\n', 'a2\nb2\n')
    expect([...(hunk ? pairLines(hunk) : [])]).toEqual([
      [0, 2],
      [1, 3],
      [2, 0],
      [3, 1],
    ])
  })

  test('pairs lines that look alike when one side has more', () => {
    const [hunk] = diffHunks('const total = price * qty\n', 'start()\nconst sum = price * qty\n')
    expect([...(hunk ? pairLines(hunk) : [])]).toEqual([
      [0, 2],
      [2, 0],
    ])
  })
})
