import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applySelection, diffHunks, editHunks, type HunkSelection, proposedText } from './index.ts'

const whole = (hunks: readonly unknown[]): HunkSelection => Object.fromEntries(hunks.map((_, i) => [i, true as const]))
const edit = (before: string, after: string, texts: Record<number, string>) => {
  const hunks = editHunks(diffHunks(before, after), texts)
  return applySelection(before, hunks, whole(hunks))
}
const lines = (n: number) => Array.from({ length: n }, (_, i) => `line ${i + 1}\n`).join('')

describe('a hunk that a person edited', () => {
  it('holds their text, and the others stay what they were', () => {
    const before = lines(40)
    const after = before.replace('line 3\n', 'three\n').replace('line 30\n', 'thirty\n')
    const hunks = diffHunks(before, after)
    const text = proposedText(hunks[0] as (typeof hunks)[0]).replace('three', 'drei\nvier')
    const edited = editHunks(hunks, { 0: text })
    expect(applySelection(before, edited, whole(edited))).toBe(after.replace('three\n', 'drei\nvier\n'))
    expect(applySelection(before, edited, { 0: true })).toBe(before.replace('line 3\n', 'drei\nvier\n'))
    expect(edited.map((hunk) => [hunk.newStart, hunk.newLines])).toEqual([
      [1, 7],
      [28, 7],
    ])
  })

  it.each<[string, string, string, string, string]>([
    ['CRLF stays', 'a\r\nb\r\n', 'a\r\nB\r\n', 'a\nC\nD', 'a\r\nC\r\nD\r\n'],
    ['a missing last line end stays missing', 'a\nb', 'a\nB', 'a\nC\n', 'a\nC'],
    ['a new file', '', 'x\n', 'y\nz', 'y\nz\n'],
    ['a deletion that becomes a line', 'a\n', '', 'b', 'b\n'],
    ['the old text again changes nothing', 'a\nb\n', 'a\nB\n', 'a\nb', 'a\nb\n'],
    ['an emptied text', 'a\nb\n', 'a\nB\n', '', ''],
  ])('%s', (_, before, after, text, result) => {
    expect(edit(before, after, { 0: text })).toBe(result)
  })

  it('with the proposed text itself is the proposal, whatever the endings', () => {
    const line = fc.constantFrom('a', 'b', 'ä', '你', '  x', '$&', 'x\ry', '')
    const text = fc
      .tuple(fc.array(line, { maxLength: 14 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
      .map(([all, end, closed]) => all.join(end) + (closed && all.length > 0 ? end : ''))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = diffHunks(before, after, 1)
        // The line end that editors leave at the end makes it another text, which is compared anew.
        const texts = Object.fromEntries(
          hunks.map((hunk, i) => [i, proposedText(hunk) === '' ? '' : `${proposedText(hunk)}\n`]),
        )
        const edited = editHunks(hunks, texts)
        expect(applySelection(before, edited, whole(edited))).toBe(after)
      }),
      { numRuns: 1000 },
    )
  })
})
