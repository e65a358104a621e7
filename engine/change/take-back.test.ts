import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applySelection, diffHunks, takeBack } from './index.ts'

const lines = (n: number) => Array.from({ length: n }, (_, i) => `line ${i + 1}\n`).join('')
const before = lines(60)
const after = before.replace('line 5\n', 'five\n').replace('line 30\n', '').replace('line 55\n', 'line 55\nand more\n')
const hunks = diffHunks(before, after)
const none = {}

describe('taking back an applied change', () => {
  it('gives the old text when nothing changed since, and the kept part of it otherwise', () => {
    expect(takeBack(after, hunks, none, true)).toEqual({ text: before, conflicts: {} })
    expect(takeBack(after, hunks, { 0: true, 2: true }, true).text).toBe(
      after.replace('line 29\n', 'line 29\nline 30\n'),
    )
    expect(takeBack(after, hunks, { 0: true, 1: true, 2: true }, true).text).toBe(after)
  })

  it.each<[string, (text: string) => string]>([
    ['lines put in above', (text) => `mine\n\n${text}`],
    ['a line beside the context', (text) => text.replace('line 9\n', 'line nine\n')],
    ['a line of the context', (text) => text.replace('line 7\n', 'seven, by me\n')],
    ['a line right beside the change', (text) => text.replace('line 4\n', 'four, by me\n')],
    ['lines put in between', (text) => text.replace('line 20\n', 'line 20\nmine\nmine\n')],
    ['a line of its own at the end', (text) => `${text}mine\n`],
  ])('finds the lines again after %s', (_, mine) => {
    expect(takeBack(mine(after), hunks, none, false)).toEqual({ text: mine(before), conflicts: {} })
  })

  it('never guesses: lines that were edited, are gone or stand twice are conflicts, and nothing is taken back then', () => {
    const edited = after.replace('five\n', 'cinq\n')
    expect(takeBack(edited, hunks, none, false)).toEqual({
      text: edited,
      conflicts: { 0: 'the lines it made are not there any more' },
    })
    expect(takeBack(edited, hunks, { 0: true }, false).text).toBe(before.replace('line 5\n', 'cinq\n'))
    const twice = after + after
    expect(Object.keys(takeBack(twice, hunks, none, false).conflicts)).toEqual(['0', '1', '2'])
    expect(takeBack('', hunks, none, false).text).toBe('')
  })

  it('takes single lines back', () => {
    const [hunk] = diffHunks('a\nb\nc\n', 'a\nB\nX\nc\n')
    if (hunk === undefined) throw new Error('a hunk')
    const b = hunk.lines.findIndex((line) => line.text === 'X')
    const keep = hunk.lines.flatMap((line, i) => (line.kind !== 'context' && i !== b ? [i] : []))
    expect(takeBack('a\nB\nX\nc\n', [hunk], { 0: keep }, true).text).toBe('a\nB\nc\n')
    expect(takeBack('top\na\nB\nX\nc\n', [hunk], { 0: keep }, false).text).toBe('top\na\nB\nc\n')
  })

  it('agrees with applying the kept part, for any texts and selections', () => {
    const line = fc.constantFrom('a', 'b', 'ä', '你', '', 'c')
    const text = fc
      .tuple(fc.array(line, { maxLength: 14 }), fc.boolean())
      .map(([all, closed]) => all.join('\n') + (closed && all.length > 0 ? '\n' : ''))
    fc.assert(
      fc.property(text, text, fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }), (old, fresh, picks) => {
        const made = diffHunks(old, fresh, 1)
        const kept: Record<number, number[]> = {}
        for (const [i, hunk] of made.entries()) {
          kept[i] = hunk.lines.flatMap(({ kind }, n) => (kind !== 'context' && picks[(i * 7 + n) % 40] ? [n] : []))
        }
        expect(takeBack(fresh, made, kept, true)).toEqual({ text: applySelection(old, made, kept), conflicts: {} })
      }),
      { numRuns: 1000 },
    )
  })

  it('with other lines changed far away gives what both changes give together', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 59 }), fc.boolean(), (at, drop) => {
        const rows = after.split(/(?<=\n)/)
        const touched = rows[at] ?? ''
        fc.pre(!['five\n', 'and more\n'].includes(touched))
        const mine = rows.with(at, drop ? '' : 'mine\n').join('')
        const taken = takeBack(mine, hunks, none, false)
        if (Object.keys(taken.conflicts).length > 0) return
        const expected = before.split(/(?<=\n)/).map((row) => (row === touched ? (drop ? '' : 'mine\n') : row))
        expect(taken.text).toBe(expected.join(''))
      }),
    )
  })
})
