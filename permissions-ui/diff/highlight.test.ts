import { describe, expect, test } from 'vitest'
import {
  highlighterVersion,
  highlightLines,
  languageNamed,
  languageOf,
  loadHighlighter,
  subscribeHighlighter,
} from './highlight.ts'

describe('highlightLines', () => {
  test('is plain until the language has come, then tells its subscribers', async () => {
    let calls = 0
    const stop = subscribeHighlighter(() => calls++)
    const before = highlighterVersion()
    expect(highlightLines(['x = 1'], 'ruby')).toBeNull()
    await loadHighlighter('ruby')
    stop()
    expect({ calls, version: highlighterVersion() - before }).toEqual({ calls: 1, version: 1 })
    expect(highlightLines(['x = 1'], 'ruby')).toEqual([[{ text: 'x = ' }, { text: '1', scope: 'number' }]])
  })

  test('keeps what spans lines, and every character', async () => {
    await loadHighlighter('typescript')
    const lines = ['const a = `one', 'two (b) ` /* three', '*/ return', '', '<&>']
    const spans = highlightLines(lines, 'typescript')
    expect(spans?.map((line) => line.map((span) => span.text).join(''))).toEqual(lines)
    expect(spans?.[1]).toEqual([
      { text: 'two (b) `', scope: 'string' },
      { text: ' ' },
      { text: '/* three', scope: 'comment' },
    ])
  })

  test.each([
    { name: 'an unknown language', lines: ['a'], language: 'klingon' },
    { name: 'no language', lines: ['a'], language: undefined },
    { name: 'a minified line', lines: ['a'.repeat(5_000)], language: 'typescript' },
    {
      name: 'a huge text',
      lines: Array.from({ length: 5_000 }, () => 'const a = 1 // and some'),
      language: 'typescript',
    },
  ])('leaves $name plain', async ({ lines, language }) => {
    await loadHighlighter('typescript')
    expect(highlightLines(lines, language)).toBeNull()
  })
})

test('names languages by file and by fence', () => {
  expect(['a/b.TSX', 'Makefile', 'x.yml', '.bashrc', 'noext', 'a.b.rs'].map(languageOf)).toEqual([
    'typescript',
    undefined,
    'yaml',
    'bash',
    undefined,
    'rust',
  ])
  expect(['ts', 'python', 'Shell', 'klingon'].map(languageNamed)).toEqual(['typescript', 'python', 'bash', undefined])
})
