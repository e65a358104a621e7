import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffHunks } from './hunks.ts'
import { applySelection, type HunkSelection } from './select.ts'

const line = fc.constantFrom('a', 'b', 'c', 'größer', '你好', '', '  x', '$&', '😀', 'a\u2028b', 'lone\rcr')
const ending = fc.constantFrom('\n', '\r\n')
const text = fc
  .tuple(fc.array(fc.tuple(line, ending), { maxLength: 14 }), fc.option(line, { nil: '' }))
  .map(([lines, last]) => lines.map(([l, e]) => l + e).join('') + last)
const contexts = fc.constantFrom(0, 1, 3)

const allLines = (hunks: ReturnType<typeof diffHunks>): HunkSelection =>
  Object.fromEntries(hunks.map((hunk, i) => [i, hunk.lines.flatMap((l, at) => (l.kind === 'context' ? [] : [at]))]))

describe('applying a selection', () => {
  it('of everything gives the new text', () => {
    fc.assert(
      fc.property(text, text, contexts, (before, after, context) => {
        const hunks = diffHunks(before, after, context)
        const whole = Object.fromEntries(hunks.map((_, i) => [i, true as const]))
        expect(applySelection(before, hunks, whole)).toBe(after)
        expect(applySelection(before, hunks, allLines(hunks))).toBe(after)
      }),
      { numRuns: 1000 },
    )
  })

  it('of nothing gives the old text', () => {
    fc.assert(
      fc.property(text, text, contexts, (before, after, context) => {
        const hunks = diffHunks(before, after, context)
        expect(applySelection(before, hunks, {})).toBe(before)
        expect(applySelection(before, hunks, Object.fromEntries(hunks.map((_, i) => [i, []])))).toBe(before)
      }),
      { numRuns: 1000 },
    )
  })

  it('of some hunks leaves the rest for later: applying the rest then gives the new text', () => {
    fc.assert(
      fc.property(text, text, fc.array(fc.boolean(), { maxLength: 8 }), (before, after, picks) => {
        const hunks = diffHunks(before, after, 0)
        const some = applySelection(
          before,
          hunks,
          Object.fromEntries(hunks.flatMap((_, i) => (picks[i] ? [[i, true]] : []))),
        )
        const rest = diffHunks(some, after)
        expect(applySelection(some, rest, Object.fromEntries(rest.map((_, i) => [i, true as const])))).toBe(after)
      }),
    )
  })

  const before = 'one\ntwo\nthree\nfour\n'
  const after = 'ONE\nTWO\nthree\nfour\nfive\n'
  it.each<[string, HunkSelection, string]>([
    ['the first pair', { 0: [0, 2] }, 'ONE\ntwo\nthree\nfour\n'],
    ['the second pair', { 0: [1, 3] }, 'one\nTWO\nthree\nfour\n'],
    ['an added line only', { 0: [6] }, 'one\ntwo\nthree\nfour\nfive\n'],
    ['a deleted line only', { 0: [0] }, 'two\nthree\nfour\n'],
    ['an added line without its deleted one', { 0: [2] }, 'one\nONE\ntwo\nthree\nfour\n'],
    ['a context line, which means nothing', { 0: [4] }, before],
  ])('of lines: %s', (_, selection, result) => {
    const hunks = diffHunks(before, after)
    expect(hunks[0]?.lines.map((l) => `${l.kind[0]} ${l.text}`)).toEqual([
      'd one',
      'd two',
      'a ONE',
      'a TWO',
      'c three',
      'c four',
      'a five',
    ])
    expect(applySelection(before, hunks, selection)).toBe(result)
  })

  it.each<[string, string, string, HunkSelection, string]>([
    ['a line without ending gets one when a line follows', 'a', 'a\nb\n', { 0: [2] }, 'a\nb\n'],
    ['and the ending of its file', 'x\r\na', 'x\r\na\r\nb\r\n', { 0: [3] }, 'x\r\na\r\nb\r\n'],
    ['the final newline alone can be refused', 'a\nb', 'A\nb\n', { 0: [0, 2] }, 'A\nb'],
    ['a created file', '', 'a\nb\n', { 0: [1] }, 'b\n'],
    ['an emptied file', 'a\nb\n', '', { 0: [0] }, 'b\n'],
    ['CRLF lines', 'a\r\nb\r\n', 'A\r\nB\r\n', { 0: [1, 3] }, 'a\r\nB\r\n'],
  ])('keeps endings right: %s', (_, old, fresh, selection, result) => {
    expect(applySelection(old, diffHunks(old, fresh), selection)).toBe(result)
  })

  it('refuses hunks of another text', () => {
    expect(() => applySelection('x\ny\n', diffHunks(before, after), {})).toThrow('Hunk 1 was not made from this text')
  })
})
