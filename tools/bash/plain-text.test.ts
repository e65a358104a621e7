import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plainText } from './plain-text.ts'

function read(text: string): string {
  const plain = plainText()
  return plain.push(text) + plain.end()
}

describe('what a terminal would leave to read', () => {
  test.each<[string, string, string]>([
    ['plain lines', 'a\nb\n', 'a\nb\n'],
    ['a line without an end', 'a\nb', 'a\nb'],
    ['Windows line ends', 'a\r\nb\r\n', 'a\nb\n'],
    ['a progress bar', '\r1%\r50%\r100%\ndone\n', '100%\ndone\n'],
    ['a progress bar that ends in a return', '1%\r100%\r', '100%'],
    ['an erased line', 'working\r\x1b[Kdone\n', 'done\n'],
    ['an erased line that stays empty', 'working\x1b[2K\r\nnext\n', '\nnext\n'],
    ['a move to column one', '10%\x1b[1G20%\x1b[G30%\n', '30%\n'],
    ['a spinner', '|\b/\b-\b\\\bok\n', 'ok\n'],
    ['a backspace over a pair of surrogates', 'a🚀\bb\n', 'ab\n'],
    ['colours', '\x1b[1;31mred\x1b[0m text\x1b[m\n', 'red text\n'],
    ['8-bit control sequences', 'a\x9b31mb\n', 'ab\n'],
    ['a title and a link', '\x1b]0;title\x07a\x1b]8;;https://x.y\x1b\\link\x1b]8;;\x1b\\\n', 'alink\n'],
    ['device control strings', 'a\x1bPq#0\x1b\\b\x90x\x9cc\n', 'abc\n'],
    ['character sets and two-character escapes', '\x1b(Ba\x1b7b\x1b=c\n', 'abc\n'],
    ['other controls', 'a\0\x07\x0e\x7fb\tc\n', 'ab\tc\n'],
    ['a sequence that a line end cuts', 'a\x1b[31\nb\n', 'a\nb\n'],
    ['a return between two streams of dots', '..\n...\rx\n', '..\nx\n'],
  ])('%s', (_what, drawn, left) => {
    expect(read(drawn)).toBe(left)
  })

  test('a control string that never ends does not swallow everything after it', () => {
    expect(read(`a\x1b]0;${'x'.repeat(20_000)}\nb\n`)).toMatch(/x\nb\n$/)
  })

  test('a line without end is given out in parts', () => {
    const plain = plainText()
    const long = 'x'.repeat(200_000)
    expect(plain.push(long) + plain.end()).toBe(long)
  })

  test('pieces may be cut anywhere', () => {
    const drawn = fc.array(
      fc.constantFrom(
        'a',
        'bc',
        '🚀',
        '\n',
        '\r',
        '\b',
        '\t',
        '\x1b[K',
        '\x1b[2K',
        '\x1b[31m',
        '\x1b]0;t\x07',
        '\x1b[1G',
        '\0',
      ),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(drawn, fc.array(fc.nat({ max: 60 }), { maxLength: 6 }), (parts, cuts) => {
        const text = parts.join('')
        const plain = plainText()
        const edges = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length]
        let joined = ''
        for (let i = 1; i < edges.length; i++) joined += plain.push(text.slice(edges[i - 1], edges[i]))
        expect(joined + plain.end()).toBe(read(text))
      }),
    )
  })

  test('no control character but tab and newline is ever left', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(read(text)).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/)
      }),
    )
  })
})
