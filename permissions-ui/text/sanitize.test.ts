import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cellWidth } from './cells.ts'
import { hasHidden, sanitizeForTerminal } from './sanitize.ts'

const rows: { name: string; input: string; output: string; visible: string; hidden: boolean }[] = [
  { name: 'plain text', input: 'héllo 世界\nok', output: 'héllo 世界\nok', visible: 'héllo 世界\nok', hidden: false },
  { name: 'colours', input: '\x1b[31mred\x1b[0m', output: 'red', visible: '\\x1b[31mred\\x1b[0m', hidden: true },
  {
    name: 'a clipboard write',
    input: 'a\x1b]52;c;aGk=\x07b',
    output: 'ab',
    visible: 'a\\x1b]52;c;aGk=\\x07b',
    hidden: true,
  },
  { name: 'a title ended by ST', input: 'a\x1b]0;t\x1b\\b', output: 'ab', visible: 'a\\x1b]0;t\\x1b\\b', hidden: true },
  {
    name: 'an unterminated string',
    input: 'a\x1b]0;title\nnext',
    output: 'a\nnext',
    visible: 'a\\x1b]0;title\nnext',
    hidden: true,
  },
  { name: 'an unterminated DCS', input: 'a\x1bPq#0', output: 'a', visible: 'a\\x1bPq#0', hidden: true },
  {
    name: 'a string over lines',
    input: 'a\x1b_x\ny\x1b\\b',
    output: 'ab',
    visible: 'a\\x1b_x\ny\\x1b\\b',
    hidden: true,
  },
  { name: '8-bit CSI', input: 'a\x9b2Jb', output: 'ab', visible: 'a\\x9b2Jb', hidden: true },
  { name: '8-bit OSC', input: 'a\x9d0;t\x9cb', output: 'ab', visible: 'a\\x9d0;t\\x9cb', hidden: true },
  { name: 'a CSI cut by a newline', input: 'a\x1b[3\nb', output: 'a\nb', visible: 'a\\x1b[3\nb', hidden: true },
  { name: 'a charset switch', input: 'a\x1b(0b', output: 'ab', visible: 'a\\x1b(0b', hidden: true },
  { name: 'a lone escape at the end', input: 'a\x1b', output: 'a', visible: 'a\\x1b', hidden: true },
  {
    name: 'a field report: an erased command',
    input: "echo 'good' && echo 'evil' \x1b[24D\x1b[K && echo ok",
    output: "echo 'good' && echo 'evil'  && echo ok",
    visible: "echo 'good' && echo 'evil' \\x1b[24D\\x1b[K && echo ok",
    hidden: true,
  },
  {
    name: 'a field report: a false success',
    input: '\x1b]0;compromised\x07\x1b[2K\rALL TESTS PASSED',
    output: 'ALL TESTS PASSED',
    visible: '\\x1b]0;compromised\\x07\\x1b[2K␍ALL TESTS PASSED',
    hidden: true,
  },
  {
    name: 'overwritten progress',
    input: '10%\r50%\r100%\r\nok',
    output: '100%\nok',
    visible: '10%␍50%␍100%␍\nok',
    hidden: true,
  },
  { name: 'a trailing return', input: '10%\r', output: '10%', visible: '10%␍', hidden: false },
  { name: 'windows endings', input: 'a\r\nb\r\n', output: 'a\nb\n', visible: 'a␍\nb␍\n', hidden: false },
  { name: 'tabs', input: 'a\tb\n\tc', output: 'a       b\n        c', visible: 'a→      b\n→       c', hidden: false },
  { name: 'a tab after wide text', input: '世界\tb', output: '世界    b', visible: '世界→   b', hidden: false },
  { name: 'NUL, BS, BEL, DEL', input: 'a\0\b\x07\x7fb', output: 'ab', visible: 'a\\x00\\x08\\x07\\x7fb', hidden: true },
  {
    name: 'bidi overrides',
    input: 'a\u202eb\u2066c\u2069',
    output: 'abc',
    visible: 'a<U+202E>b<U+2066>c<U+2069>',
    hidden: true,
  },
  {
    name: 'zero width',
    input: 'a\u200bb\ufeffc\u00add',
    output: 'abcd',
    visible: 'a<U+200B>b<U+FEFF>c<U+00AD>d',
    hidden: true,
  },
  { name: 'tag characters', input: 'a\u{e0041}b', output: 'ab', visible: 'a<U+E0041>b', hidden: true },
  { name: 'line separators', input: 'a\u2028b\x85c', output: 'abc', visible: 'a<U+2028>b\\x85c', hidden: true },
  { name: 'a no-break space', input: 'a\u00a0b', output: 'a\u00a0b', visible: 'a<U+00A0>b', hidden: false },
  {
    name: 'an emoji family',
    input: '👨‍👩‍👧 ⛴️ 1️⃣ ❤️‍🔥',
    output: '👨‍👩‍👧 ⛴️ 1️⃣ ❤️‍🔥',
    visible: '👨‍👩‍👧 ⛴️ 1️⃣ ❤️‍🔥',
    hidden: false,
  },
  { name: 'a joiner between letters', input: 'a\u200db', output: 'ab', visible: 'a<U+200D>b', hidden: true },
  { name: 'a style on a letter', input: 'a\ufe0fb', output: 'ab', visible: 'a<U+FE0F>b', hidden: true },
  { name: 'an Indic conjunct', input: 'क्\u200dष', output: 'क्\u200dष', visible: 'क्\u200dष', hidden: false },
  { name: 'a decomposed é', input: 'e\u0301', output: 'e\u0301', visible: 'e\u0301', hidden: false },
  { name: 'a mark on an emoji', input: '⛴️\u0301a', output: '⛴️a', visible: '⛴️<U+0301>a', hidden: true },
  { name: 'a keycap', input: '1️⃣ 2\u20e3', output: '1️⃣ 2\u20e3', visible: '1️⃣ 2\u20e3', hidden: false },
  { name: 'a mark on nothing', input: '\u0301a', output: 'a', visible: '<U+0301>a', hidden: true },
  {
    name: 'a tower of marks',
    input: `a${'\u0301'.repeat(10)}b`,
    output: `a${'\u0301'.repeat(8)}b`,
    visible: `a${'\u0301'.repeat(8)}<U+0301><U+0301>b`,
    hidden: true,
  },
  { name: 'a lone surrogate', input: 'a\ud800b', output: 'a\ufffdb', visible: 'a\ufffdb', hidden: false },
  { name: 'a noncharacter', input: 'a\uffffb', output: 'a\ufffdb', visible: 'a\ufffdb', hidden: false },
]

describe('sanitizeForTerminal', () => {
  test.each(rows)('cleans $name', ({ input, output, visible, hidden }) => {
    expect({
      output: sanitizeForTerminal(input, 'output'),
      visible: sanitizeForTerminal(input, 'visible'),
      hidden: hasHidden(input),
    }).toEqual({ output, visible, hidden })
  })

  test('of any text, no control character but the line feed is left, and cleaning again changes nothing', () => {
    const nasty = fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          '\x1b[',
          '\x1b]',
          '\x1bP',
          '\x1b\\',
          '\x07',
          '\x9b',
          '\x9d',
          '\x9c',
          '\r',
          '\n',
          '\t',
          '\ufe0f',
          '\u200d',
        ),
        fc.integer({ min: 0, max: 0x3000 }).map((code) => String.fromCharCode(code)),
        fc.constantFrom('a', '🌊', '世', '\ud800', '\u202e', '\u0301', '\u{e0100}', ';', 'm'),
      ),
      maxLength: 60,
    })
    fc.assert(
      fc.property(nasty, fc.constantFrom('output' as const, 'visible' as const), (text, mode) => {
        const clean = sanitizeForTerminal(text, mode)
        expect(clean).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b]|\p{Surrogate}/u)
        expect(sanitizeForTerminal(clean, mode)).toBe(clean)
      }),
      { numRuns: 500 },
    )
  })

  test('nothing of a command is lost in visible mode', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 80 }), (text) => {
        const shown = sanitizeForTerminal(text, 'visible')
        const expected = [...text].filter((char) => /[!-~]/.test(char)).join('')
        let at = 0
        for (const char of shown) if (char === expected[at]) at++
        expect(at).toBe(expected.length)
      }),
    )
  })

  test('characters of the fast path are drawn, stand alone and are no blanks but the space', () => {
    const bad: string[] = []
    for (let code = 0; code <= 0xffff; code++) {
      const char = String.fromCharCode(code)
      if (!/[\p{M}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Cc}\p{Cs}\u2000-\u200a\u2800\u00a0]/u.test(char))
        continue
      if (char === '\n') continue
      if (sanitizeForTerminal(`a${char}a`, 'visible') === `a${char}a` && !/\p{M}/u.test(char))
        bad.push(code.toString(16))
      if (/\p{M}/u.test(char) && sanitizeForTerminal(char, 'output') !== '') bad.push(code.toString(16))
    }
    expect(bad).toEqual([])
  })

  test('a megabyte of tabs or of open strings ends in an answer', () => {
    // Time in proportion to the square of it would take hours.
    const tabs = sanitizeForTerminal('x\t'.repeat(500_000), 'output')
    expect(tabs.length).toBe(500_000 * 8)
    expect(sanitizeForTerminal('\x1b]'.repeat(500_000), 'output')).toBe('')
    expect(sanitizeForTerminal('\x9d'.repeat(500_000), 'output')).toBe('')
    expect(cellWidth(sanitizeForTerminal('\u202e'.repeat(100_000), 'visible'))).toBe(800_000)
  })
})
