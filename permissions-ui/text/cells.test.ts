import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { cellWidth, fitCells, graphemes, padCells, sliceCells, truncateCells, wrapCells } from './cells.ts'
import { sanitizeForTerminal } from './sanitize.ts'

const text = fc
  .string({
    unit: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('a', 'b', ' ', '  ', 'word', 'é', 'e\u0301') },
      { weight: 1, arbitrary: fc.constantFrom('世', '界', '🌊', '⛴️', '👨‍👩‍👧', '한', 'ｶﾞ', 'क्ष', '─', '…', '1️⃣', '🇩🇪') },
    ),
    maxLength: 60,
  })
  .map((value) => sanitizeForTerminal(value, 'output'))

describe('cellWidth', () => {
  test('is the width that Ink uses, for every single character', () => {
    const different: string[] = []
    for (let code = 0x20; code <= 0xffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const char = String.fromCharCode(code)
      if (cellWidth(char) !== stringWidth(char)) different.push(code.toString(16))
    }
    expect(different).toEqual([])
  })

  test('is the width that Ink uses, for texts', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'grapheme' })), (value) => {
        expect(cellWidth(value)).toBe(stringWidth(value))
      }),
    )
  })
})

describe('wrapCells', () => {
  test.each([
    { name: 'breaks at spaces', input: 'the quick brown fox', width: 10, lines: ['the quick', 'brown fox'] },
    { name: 'keeps line feeds', input: 'a\n\nb', width: 10, lines: ['a', '', 'b'] },
    { name: 'keeps indentation', input: '    if x then y', width: 10, lines: ['    if x', 'then y'] },
    { name: 'cuts long words', input: 'abcdefghij klm', width: 4, lines: ['abcd', 'efgh', 'ij', 'klm'] },
    { name: 'starts a long word on the line', input: 'see abcdefghijkl', width: 8, lines: ['see abcd', 'efghijkl'] },
    { name: 'cuts wide characters whole', input: '世界世界', width: 3, lines: ['世', '界', '世', '界'] },
    { name: 'gives a too wide character a line', input: 'a世', width: 1, lines: ['a', '世'] },
    { name: 'drops blanks at a break', input: 'aaaa     bbbb', width: 6, lines: ['aaaa', 'bbbb'] },
  ])('$name', ({ input, width, lines }) => {
    expect(wrapCells(input, width)).toEqual(lines)
  })

  test('drops nothing when it wraps hard', () => {
    expect(wrapCells('ab    cd', 3, { hard: true })).toEqual(['ab ', '   ', 'cd'])
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 20 }), (value, width) => {
        const lines = wrapCells(value, width, { hard: true })
        expect(lines.join('')).toBe(value)
        for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(width)
      }),
    )
  })

  test('never makes a line too wide, splits a grapheme or loses a word', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 20 }), (value, width) => {
        const lines = wrapCells(value, width)
        for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(width)
        expect(lines.flatMap(graphemes).filter((g) => g !== ' ')).toEqual(graphemes(value).filter((g) => g !== ' '))
      }),
    )
  })
})

describe('cutting', () => {
  test.each([
    { input: 'hello', width: 5, cut: 'hello' },
    { input: 'hello!', width: 5, cut: 'hell…' },
    { input: '世界世', width: 5, cut: '世界…' },
    { input: '世界世', width: 4, cut: '世…' },
    { input: 'hello', width: 1, cut: '…' },
    { input: 'hello', width: 0, cut: '' },
    { input: '👨‍👩‍👧👨‍👩‍👧', width: 3, cut: '👨‍👩‍👧…' },
  ])('$input in $width cells is $cut', ({ input, width, cut }) => {
    expect(truncateCells(input, width)).toBe(cut)
  })

  test('a megabyte is cut without being measured', () => {
    expect(truncateCells('世'.repeat(1_000_000), 9)).toBe('世世世世…')
  })

  test('fills and fits to exact widths', () => {
    expect(padCells('世', 4)).toBe('世  ')
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 30 }), (value, width) => {
        expect(cellWidth(fitCells(value, width))).toBe(width)
      }),
    )
  })

  test('slices columns, with blanks for halves of wide characters', () => {
    expect(sliceCells('a世b界c', 2, 5)).toBe(' b ')
    expect(sliceCells('abcdef', 2, 4)).toBe('cd')
    fc.assert(
      fc.property(text, fc.nat(20), fc.nat(20), (value, from, size) => {
        const cut = sliceCells(value, from, from + size)
        expect(cellWidth(cut)).toBe(Math.max(0, Math.min(cellWidth(value), from + size) - from))
      }),
    )
  })
})
