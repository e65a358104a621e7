import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { diffHunks, editShares } from './index.ts'

const base = Array.from({ length: 40 }, (_, i) => `line ${i + 1}\n`).join('')
const steps = (...texts: string[]) => texts.slice(1).map((text, i) => diffHunks(texts[i] ?? '', text))
const first = base.replace('line 5\n', 'five\n').replace('line 30\n', 'thirty\nand a half\n')
const second = `top\n${first.replace('thirty\n', '30!\n').replace('line 20\n', '')}`
const whole = diffHunks(base, second)

test.each([
  ['everything', { 0: true, 1: true, 2: true }, ['applied|applied', 'applied|applied|applied'], [false, false]],
  ['nothing', {}, ['NOT applied|NOT applied', 'NOT applied|NOT applied|NOT applied'], [true, true]],
  ['the last hunk', { 2: true }, ['NOT applied|applied', 'NOT applied|NOT applied|applied'], [false, false]],
  ['the middle one', { 1: true }, ['NOT applied|NOT applied', 'NOT applied|applied|NOT applied'], [true, false]],
] as const)('%s', (_, selection, words, none) => {
  expect(whole).toHaveLength(3)
  const shares = editShares(steps(base, first, second), { hunks: whole, selection, edited: [] })
  expect(shares.map((share) => share.words.replace(/hunk \d+ \(.*?\): /g, '').replaceAll('\n', '|'))).toEqual(words)
  expect(shares.map((share) => share.none)).toEqual(none)
})

test('a hunk that the person wrote anew says so, and one that was written over as well', () => {
  const last = first.replace('thirty\nand a half\n', 'XXX\n')
  const shares = editShares(steps(base, first.replace('five\n', 'line 5\n'), last), {
    hunks: diffHunks(base, last),
    selection: { 0: true, 1: true },
    edited: [1],
  })
  expect(shares[0]?.words).toContain('wrote anew')
  const over = editShares(steps('a\n', 'a\nb\n', 'a\nc\n'), {
    hunks: diffHunks('a\n', 'a\nc\n'),
    selection: { 0: true },
    edited: [],
  })
  expect(over.map(({ words }) => words.replace(/^.*: /, ''))).toEqual([
    'replaced by another edit of this reply',
    'applied',
  ])
})

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '{', '}', ''), { maxLength: 12 }).map((all) => all.join('\n'))

it('all of a change is all of each edit, and none of it nothing of any', () => {
  fc.assert(
    fc.property(fc.array(lines, { minLength: 2, maxLength: 5 }), (texts) => {
      const hunks = diffHunks(texts[0] ?? '', texts.at(-1) ?? '')
      const edits = steps(...texts)
      const all = Object.fromEntries(hunks.map((_, i) => [i, true as const]))
      for (const { none, words } of editShares(edits, { hunks, selection: all, edited: [] })) {
        expect([none, words.includes('NOT applied') || words.includes('in part')]).toEqual([false, false])
      }
      for (const { words } of editShares(edits, { hunks, selection: {}, edited: [] })) {
        expect(words.includes('in part')).toBe(false)
      }
    }),
  )
})
