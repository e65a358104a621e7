/** The stand-in splits every text exactly as Intl.Segmenter does. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FastSegmenter, standsAlone } from './fast-segmenter.ts'

const real = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const fast = new FastSegmenter(undefined, { granularity: 'grapheme' })
const same = (text: string) => JSON.stringify([...fast.segment(text)]) === JSON.stringify([...real.segment(text)])

test('every character that is said to stand alone does, beside each kind of neighbour', () => {
  const alone = new RegExp(`^[${standsAlone}]$`)
  const codes = Array.from({ length: 0x10000 }, (_, code) => code).filter((code) =>
    alone.test(String.fromCharCode(code)),
  )
  // One of each kind that Unicode's rules tell apart within the set: letters, controls, LF, pictographs, CJK, kana.
  const kinds = ['a', '1', '\x1b', '\n', '©', '▶', '✓', '│', '漢', 'か', 'ー']
  const joined = codes.filter((code) => {
    const char = String.fromCharCode(code)
    return kinds.some((kind) => [...real.segment(kind + char + kind)].length !== 3)
  })
  expect(joined).toEqual([])
  expect(codes.length).toBeGreaterThan(20_000)
})

test('any text is split the same', () => {
  const piece = fc.constantFrom(
    'a',
    'é',
    'e\u0301',
    '👨‍👩‍👧',
    '🇩🇪',
    '漢',
    '한',
    '\r\n',
    '\x1b[31m',
    '│',
    '©\ufe0f',
    '\u200d',
    'か\u3099',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme-ascii' }),
    fc.array(piece).map((pieces) => pieces.join('')),
  )
  fc.assert(fc.property(text, same))
})

test.each(['plain │ text', 'e\u0301 joins'])('positions in %j are found the same', (text) => {
  const [ours, theirs] = [fast.segment(text), real.segment(text)]
  for (let at = -1; at <= text.length; at++) expect(ours.containing(at)).toEqual(theirs.containing(at))
  expect(ours.containing()).toEqual(theirs.containing())
})

test('words and locales are left to the real one', () => {
  const words = [...new FastSegmenter('en', { granularity: 'word' }).segment('two words')].map(({ segment }) => segment)
  expect(words).toEqual(['two', ' ', 'words'])
  expect(new FastSegmenter('de').resolvedOptions()).toEqual(new Intl.Segmenter('de').resolvedOptions())
})
