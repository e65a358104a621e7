// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what looks like a placeholder is shell code
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { looseWords, quoteWord, splitWords } from './shell-words.ts'

describe('literal words', () => {
  test.each<[string, [string, boolean][]]>([
    [
      'npm  test\t-x',
      [
        ['npm', false],
        ['test', false],
        ['-x', false],
      ],
    ],
    [
      "git commit -m 'a; b'",
      [
        ['git', false],
        ['commit', false],
        ['-m', false],
        ['a; b', true],
      ],
    ],
    [
      'echo "a \\"b\\" \\n"',
      [
        ['echo', false],
        ['a "b" \\n', true],
      ],
    ],
    [
      'r\'\'m "" a\\ b',
      [
        ['rm', true],
        ['', true],
        ['a b', true],
      ],
    ],
    [
      "x '*' *",
      [
        ['x', false],
        ['*', true],
        ['*', false],
      ],
    ],
    ['', []],
  ])('%s', (text, words) => {
    expect(splitWords(text)).toEqual({ ok: true, words: words.map(([value, quoted]) => ({ value, quoted })) })
  })

  test.each<[string, string]>([
    ['a; b', '";" joins'],
    ['a && b', '"&" joins'],
    ['a > b', '">" joins'],
    ['(a)', '"(" joins'],
    ['a\nb', 'a line break joins'],
    ['a $b', '"$" would be expanded'],
    ['a "$b"', '"$" would be expanded'],
    ['a `b`', '"`" would be expanded'],
    ['~/bin/x', '"~" would be expanded'],
    ["a 'b", 'a single quote'],
    ['a "b', 'a double quote'],
    ['a \\', 'ends in a backslash'],
  ])('%s is no literal command', (text, problem) => {
    expect(splitWords(text)).toEqual({ ok: false, problem: expect.stringContaining(problem) })
  })

  test('a quoted word is read back as itself', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }), (words) => {
        const split = splitWords(words.map(quoteWord).join(' '))
        expect(split.ok && split.words.map((word) => word.value)).toEqual(words)
      }),
    )
  })
})

describe('the words of a source that is only partly literal', () => {
  test.each<[string, (string | null)[]]>([
    ['rm -rf $x', ['rm', '-rf', null]],
    ['A=1 B=$x rm y', ['rm', 'y']],
    ['"rm" "$(a "b c")" d', ['rm', null, 'd']],
    ['rm ${x:-a b} c', ['rm', null, 'c']],
    ['rm `a b` c', ['rm', null, 'c']],
    ['$x/rm y', [null, 'y']],
    ['rm *.ts {a,b}', ['rm', null, null]],
    ['rm \\\n x', ['rm', 'x']],
    ['$"rm" x', ['rm', 'x']],
    ['rm x; ls', ['rm', 'x']],
    ['rm x > y', ['rm', 'x']],
    ["'A=1' x", ['A=1', 'x']],
    ["rm 'unclosed", ['rm', null]],
    ['', []],
  ])('%s', (source, words) => {
    expect(looseWords(source)).toEqual(words)
  })

  test('ends for every text, in time that grows with its length', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'rm $(){}`"\'\\;|&<>= \n*~') }),
        (text) => void looseWords(text),
      ),
    )
    for (const piece of ['$(', '${', '"$', '`', '"', "'", '\\', '$("']) looseWords(piece.repeat(20_000))
  }, 60_000)
})
