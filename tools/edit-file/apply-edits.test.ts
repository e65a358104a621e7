import { ToolFailure } from '@sluice/engine/ports'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyEdits, type Edit } from './apply-edits.ts'
import { plain } from './lines.ts'

const apply = (text: string, ...edits: Edit[]) => applyEdits(text, edits, 'f').text
const one = (text: string, old_text: string, new_text: string) => apply(text, { old_text, new_text })
const failure = (run: () => unknown): ToolFailure => {
  try {
    run()
  } catch (error) {
    if (error instanceof ToolFailure) return error
    throw error
  }
  throw new Error('It did not fail.')
}

describe('an edit finds its place', () => {
  it.each<[string, string, string, string, string]>([
    ['exactly', 'a\nb\nc\n', 'b', 'B', 'a\nB\nc\n'],
    ['in the middle of a line', 'foo(bar)', 'bar', 'x', 'foo(x)'],
    ['and deletes it', 'a\nb\nc\n', 'b\n', '', 'a\nc\n'],
    ['with LF text in a CRLF file', 'a\r\nb\r\nc', 'a\nb\nc', 'a\nX\nc', 'a\r\nX\r\nc'],
    ['with CRLF text in an LF file', 'a\nb\nc\n', 'a\r\nb', 'a\r\nX', 'a\nX\nc\n'],
    ['starting with a newline in a CRLF file', 'a\r\nb\r\n', '\nb', '', 'a\r\n'],
    ['starting with a newline that stays', 'a\r\nb\r\n', '\nb', '\nX\nb', 'a\r\nX\r\nb\r\n'],
    ['in mixed endings, keeping each', 'a\r\nb\nc\r\nd\n', 'a\nb\nc\nd', 'a\nb\nC\nd', 'a\r\nb\nC\r\nd\n'],
    ['despite blanks at a line end of the file', 'a  \nb\t\nc\n', 'a\nb\nc', 'a\nB\nc', 'a  \nB\t\nc\n'],
    ['despite blanks at a line end of old_text', 'a\nb\nc\n', 'a  \nb', 'a  \nB', 'a\nB\nc\n'],
    ['despite blanks at the end of old_text', 'if (x) {\n  y\n}\n', 'y   ', 'z', 'if (x) {\n  z\n}\n'],
    ['despite typographic quotes', 'say(“hi”) // it’s\n', 'say("hi")', 'say("ho")', 'say(“ho”) // it’s\n'],
    ['with typographic quotes in old_text', 'say("hi")\n', 'say(“hi”)', 'say("ho")', 'say("ho")\n'],
    [
      'indented more',
      '  if a:\n    b\n\n    c\n',
      'if a:\n  b\n\n  c\n',
      'if a:\n  B\n\n  c\n',
      '  if a:\n    B\n\n    c\n',
    ],
    [
      'indented by tabs',
      '\t\tif a {\n\t\t\tb\n\t\t}\n',
      'if a {\n\tb\n}',
      'if a {\n\tB\n\tC\n}',
      '\t\tif a {\n\t\t\tB\n\t\t\tC\n\t\t}\n',
    ],
    ['indented less', 'if a:\n  b\n', '    if a:\n      b\n', '    if a:\n      B\n', 'if a:\n  B\n'],
    ['indented more, in CRLF', '  a\r\n  b\r\n', 'a\nb\n', 'a\nx\nb\n', '  a\r\n  x\r\n  b\r\n'],
    ['at a file end without newline', 'a\nb', 'a\nb\n', 'a\nB\n', 'a\nB'],
    ['at a file end without newline, appending', 'a\nb', 'b', 'b\nc', 'a\nb\nc'],
    ['indented, at a file end without newline', '  a\n  b', 'a\nb\n', 'a\nB\n', '  a\n  B'],
    ['across a lone carriage return', 'a\rb\nc\n', 'a\rb', 'a\rX', 'a\rX\nc\n'],
    ['with a full-width blank', 'a　=　1\n', 'a = 1', 'a = 2', 'a　=　2\n'],
  ])('%s', (_, text, old, fresh, result) => {
    expect(one(text, old, fresh)).toBe(result)
  })

  it('at every place with replace_all, each in its own line ending', () => {
    expect(apply('x\r\nx\nx', { old_text: 'x', new_text: 'y\nz', replace_all: true })).toBe('y\r\nz\r\ny\nz\ny\nz')
    expect(apply('aaaa', { old_text: 'aa', new_text: 'b', replace_all: true })).toBe('bb')
  })

  it('one after the other, each in what the one before left', () => {
    const edits = [
      { old_text: 'a', new_text: 'b b' },
      { old_text: 'b b', new_text: 'c' },
    ]
    expect(apply('a\n', ...edits)).toBe('c\n')
  })

  it('and says how when it was not exact', () => {
    expect(applyEdits('a \nb\n', [{ old_text: 'a\nb', new_text: 'a\nc' }], 'f').notes).toEqual([
      'old_text was found after ignoring blanks at line ends and typographic quotes, dashes and spaces.',
    ])
    expect(applyEdits('  a\n  b\n', [{ old_text: 'a\nb\n', new_text: 'c\n' }], 'f').notes).toEqual([
      'old_text was found with every line indented by "  " more; new_text was indented alike.',
    ])
    expect(applyEdits('a\r\nb\r\n', [{ old_text: 'a\nb', new_text: 'a\nc' }], 'f').notes).toEqual([])
  })
})

describe('an edit without a certain place', () => {
  it.each<[string, string, string]>([
    ['another word', 'let a = 1\n', 'let b = 1'],
    ['another inner line', 'a\nb\nc\n', 'a\nX\nc'],
    ['a line left out', 'a\nb\nc\n', 'a\nc'],
    ['blanks inside a line', 'a  b\n', 'a b'],
    ['uneven indentation', '  a\n    b\n', 'a\nb\n'],
    ['blanks at the end in the middle of a line', 'foobar\n', 'foo '],
    ['another case', 'Foo\n', 'foo'],
    ['more than the file has', 'a\n', 'a\nb'],
    ['only blanks', 'a\n', '   '],
    ['a look-alike letter', 'а = 1\n', 'a = 1'],
  ])('fails: %s', (_, text, old) => {
    expect(failure(() => one(text, old, 'new')).message).toContain('old_text was not found in f. Nothing was written.')
  })

  it('fails when it has several, and lists them', () => {
    expect(failure(() => one('x\ny\nx\n', 'x', 'z'))).toMatchObject({
      message:
        'old_text stands 2 times in f (lines 1, 3). Nothing was written. Add lines around it until it is unique, or set replace_all to change every place.',
      metadata: { lines: [1, 3] },
    })
    expect(failure(() => one('aaa', 'aa', 'b')).message).toContain('2 times')
    expect(failure(() => one('a \nb\na\t\nb\n', 'a\nb', 'c')).message).toContain('lines 1, 3')
  })

  it('counts places that differ in their line ending only, which nobody sees', () => {
    expect(failure(() => one('a\r\na\na\r\n', 'a\n', 'b\n')).message).toContain('3 times')
    expect(one('a\r\nb\na\n', 'a\r\n', 'c\r\n')).toBe('c\r\nb\na\n')
  })

  it('names the edit of several that failed, and says that nothing was written', () => {
    const edits = [
      { old_text: 'a', new_text: 'b' },
      { old_text: 'a', new_text: 'c' },
    ]
    expect(failure(() => apply('a\n', ...edits)).message).toMatch(/^edits\[1\]: old_text was not found in f\. Nothing/)
  })

  it.each<[string, Edit, string]>([
    ['same texts', { old_text: 'a', new_text: 'a' }, 'no change'],
    ['an empty old_text', { old_text: '', new_text: 'a' }, 'old_text is empty, but f exists'],
  ])('refuses %s', (_, edit, message) => {
    expect(failure(() => apply('a\n', edit)).message).toContain(message)
  })

  it('refuses new_text that lacks the indentation which the match takes away', () => {
    expect(failure(() => one('a\nb\n', '  a\n  b\n', '  a\nb\n')).message).toContain('lacks these blanks')
  })

  it.each<[string, string, string, string, RegExp]>([
    [
      'shows the closest place and its first other line',
      'x\nfunction a() {\n  return 1\n}\ny\n',
      'function a() {\n  return 2\n}',
      'z',
      /lines 2–4, where 2 of 3 lines are the same\. Line 3 differs:\n {2}in the file: " {2}return 1"\n {2}in old_text: " {2}return 2"/,
    ],
    [
      'shows blanks that differ',
      '\tfoo()\n\tbar()\n',
      '  foo()\n\tbar()',
      'z',
      /in the file: "\\tfoo\(\)"\n {2}in old_text: " {2}foo\(\)"/,
    ],
    [
      'shows the most similar line',
      'const total = sum(items)\n',
      'const totals = sum(item)',
      'z',
      /most similar line is line 1/,
    ],
    ['names other places as close', 'aa\nb1\ncc\naa\nb2\ncc\n', 'aa\nb3\ncc', 'z', /lines 1–3 \(as close: line 4\)/],
    [
      'recognises line numbers',
      'let a\nlet b\n',
      '    1\tlet a\n    2\tlet b',
      'z',
      /holds the line numbers of read_file/,
    ],
    ['recognises double escapes', 'let a\nlet b\n', 'let a\\nlet b', 'z', /backslash and n/],
    ['recognises an edit made before', 'let b = 22\n', 'let a = 1', 'let b = 22', /new_text already stands at line 1/],
    ['says nothing where nothing is close', 'abc\n', 'zzzzzz', 'z', /Copy old_text exactly as read_file shows it/],
  ])('%s', (_, text, old, fresh, message) => {
    expect(failure(() => one(text, old, fresh)).message).toMatch(message)
  })
})

describe('a large text', () => {
  it('takes hundreds of thousands of replacements, misses and doubts in seconds', () => {
    const long = `${'a,'.repeat(400_000)}\r\n`
    expect(apply(long, { old_text: 'a,', new_text: 'b\n', replace_all: true })).toBe(`${'b\r\n'.repeat(400_000)}\r\n`)
    expect(failure(() => one(long, 'a', 'b')).message).toContain('400000 times')
    const lines = Array.from({ length: 100_000 }, (_, i) => `  const value${i} = ${i * 7}\n`).join('')
    const missed = failure(() => one(lines, '  const value500 = 1\n  const value501 = 3507\n', 'x'))
    expect(missed.message).toContain('Line 501 differs')
  }, 60_000)
})

describe('for any text', () => {
  const body = fc.constantFrom(
    'a',
    'b “c”',
    'it’s',
    '  d — e',
    'f\u00a0g',
    '',
    '$1 $&',
    '设定',
    '\tx',
    'y \u00a0',
    'z\t ',
    'q\rr',
  )
  const line = fc.tuple(body, fc.constantFrom('\n', '\r\n'))
  const lines = fc.array(line, { minLength: 1, maxLength: 9 })
  const join = (parts: [string, string][]) => parts.map(([text, end]) => text + end).join('')

  it('an exact edit keeps everything before and after', () => {
    fc.assert(
      fc.property(lines, fc.nat(), fc.nat({ max: 12 }), fc.string(), (parts, from, length, fresh) => {
        const text = join(parts)
        const start = from % text.length
        const old = text.slice(start, start + length)
        if (old === '' || old === fresh || text.indexOf(old) !== text.lastIndexOf(old)) return
        if (old.startsWith('\n') || old.includes('\r')) return
        let result: string
        try {
          result = one(text, old, fresh)
        } catch (error) {
          // Another place may differ in its line endings only.
          expect((error as Error).message).toContain('times in f')
          expect(text).toContain('\r\n')
          return
        }
        expect(result.startsWith(text.slice(0, start))).toBe(true)
        expect(result.endsWith(text.slice(start + old.length))).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('a line put in between normalised ones is the only difference', () => {
    fc.assert(
      fc.property(lines, fc.nat(), fc.nat(), fc.nat(), (parts, from, count, at) => {
        const start = from % parts.length
        const chosen = parts.slice(start, start + 1 + (count % (parts.length - start)))
        const normal = chosen.map(([text]) => plain(text).replace(/[ \t]+$/, ''))
        if (normal.every((text) => text === '')) return
        const middle = at % chosen.length
        const old = normal.map((text) => `${text}\n`).join('')
        const fresh = [...normal.slice(0, middle), 'NEW', ...normal.slice(middle)].map((text) => `${text}\n`).join('')
        let result: string
        try {
          result = one(join(parts), old, fresh)
        } catch (error) {
          expect((error as Error).message).toContain('times in f')
          return
        }
        const wanted = (ending: string) =>
          join([...parts.slice(0, start + middle), ['NEW', ending], ...parts.slice(start + middle)])
        expect([wanted('\n'), wanted('\r\n')]).toContain(result)
      }),
      { numRuns: 2000 },
    )
  })

  it('a line changed under another indentation is the only difference', () => {
    const word = fc.constantFrom('a', 'b', 'c', 'd', '', '  e', '\tf')
    const blanks = fc.constantFrom('  ', '\t', '    ')
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), blanks, fc.boolean(), (words, indent, crlf) => {
        if (words.every((text) => text === '')) return
        const at = words.findIndex((text) => text !== '')
        const deep = words.map((text) => (text === '' ? '' : indent + text))
        const ending = crlf ? '\r\n' : '\n'
        const file = ['top', ...deep, 'bottom'].map((text) => text + ending).join('')
        const old = words.map((text) => `${text}\n`).join('')
        const changed = words.map((text, i) => (i === at ? `${text}!` : text))
        const result = one(file, old, changed.map((text) => `${text}\n`).join(''))
        const wanted = ['top', ...deep.map((text, i) => (i === at ? `${text}!` : text)), 'bottom']
        expect(result).toBe(wanted.map((text) => text + ending).join(''))
      }),
    )
  })
})
