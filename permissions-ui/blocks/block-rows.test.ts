import { fileDiff } from '@sluice/engine/change'
import type { Block } from '@sluice/engine/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadHighlighter } from '../diff/highlight.ts'
import { darkTheme } from '../theme.ts'
import { type BlockRowOptions, blockRows } from './block-rows.ts'
import { rowText, rowWidth } from './styled-row.ts'

const text = (block: Block, width = 30, options: BlockRowOptions = {}) =>
  blockRows(block, width, darkTheme, options).map((row) => rowText(row).trimEnd())
const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`).join('\n')
const change = (rows: number) =>
  fileDiff({ path: 'a.txt', oldText: '', newText: `${lines(rows)}\n`, oldHash: null, newHash: null })

const samples: { name: string; block: Block; width?: number; options?: BlockRowOptions; rows: string[] }[] = [
  {
    name: 'text, wrapped',
    block: { type: 'text', text: 'one two three four\n' },
    width: 10,
    rows: ['one two', 'three four'],
  },
  { name: 'markdown as text', block: { type: 'markdown', text: '# a\nb' }, rows: ['# a', 'b'] },
  {
    name: 'an error',
    block: { type: 'error', text: 'no such file, try another' },
    width: 16,
    rows: ['✗ no such file,', '  try another'],
  },
  {
    name: 'code with line numbers',
    block: { type: 'code', text: 'const a = 1\nreturn a\n', path: 'a.ts', startLine: 9 },
    rows: [' 9  const a = 1', '10  return a'],
  },
  { name: 'code, cut hard', block: { type: 'code', text: 'abcdefghij' }, width: 6, rows: ['abcdef', 'ghij'] },
  {
    name: 'a command of two lines',
    block: { type: 'command', command: 'npm test -- --run\nls', cwd: '/w', background: true },
    width: 12,
    rows: ['$ npm test -', '· - --run', '  ls', '  in the', '  background'],
  },
  {
    name: 'a command for eyes that decide',
    block: { type: 'command', command: 'ls\x1b[K', cwd: '/w', timeoutMs: 5_000 },
    options: { whole: true },
    rows: ['$ ls\\x1b[K', '  in /w · for at most 5 s'],
  },
  {
    name: 'the end of an output',
    block: { type: 'output', text: `${lines(1_500)}\n`, exitCode: 1 },
    options: { outputRows: 3 },
    rows: ['… 1,497 more lines', 'line 1498', 'line 1499', 'line 1500', 'exit 1'],
  },
  { name: 'a short output', block: { type: 'output', text: 'ok\n', exitCode: 0 }, rows: ['ok'] },
  { name: 'an empty output', block: { type: 'output', text: '', exitCode: 0 }, rows: [] },
  {
    name: 'an output that was cut and killed',
    block: { type: 'output', text: 'a', signal: 'SIGKILL', omittedBytes: 12_345, artifact: '/tmp/out' },
    width: 60,
    rows: ['a', '… 12.3 kB left out; all of it is in /tmp/out', 'ended by SIGKILL'],
  },
  {
    name: 'an output with colours and progress',
    block: { type: 'output', text: '10%\r\x1b[32m100%\x1b[0m\n\x1b]0;x\x07done' },
    rows: ['100%', 'done'],
  },
  {
    name: 'files, their ends kept',
    block: { type: 'files', paths: ['a.ts', 'some/very/long/path/to/file.ts'], omitted: 3 },
    width: 16,
    rows: ['a.ts', '…path/to/file.ts', '… 3 more files'],
  },
  {
    name: 'a plan',
    block: {
      type: 'todo',
      items: [
        { id: '1', text: 'reproduce', status: 'done' },
        { id: '2', text: 'fix\nit', status: 'in_progress' },
        { id: '3', text: 'test', status: 'pending' },
        { id: '4', text: 'rewrite', status: 'dropped' },
      ],
    },
    rows: ['✓ reproduce', '▸ fix it', '· test', '− rewrite'],
  },
  {
    name: 'a question with its answer',
    block: { type: 'question', question: 'Which?', options: ['half up', 'half even'], answer: 'half up' },
    rows: ['Which?', '❯ half up', '· half even'],
  },
  {
    name: 'a question answered in other words',
    block: { type: 'question', question: 'Which?', answer: 'neither' },
    rows: ['Which?', '❯ neither'],
  },
  {
    name: 'the beginning of a long diff',
    block: { type: 'diff', diff: change(100) },
    options: { diffRows: 3 },
    rows: ['   1 + line 1', '   2 + line 2', '… 98 more lines of the change'],
  },
]

describe('blockRows', () => {
  test.each(samples)('shows $name', ({ block, width, options, rows }) => {
    expect(text(block, width, options)).toEqual(rows)
  })

  test('leaves nothing out for eyes that decide', () => {
    expect(text({ type: 'output', text: lines(500) }, 30, { whole: true })).toHaveLength(500)
    expect(text({ type: 'diff', diff: change(500) }, 30, { whole: true })).toHaveLength(500)
    expect(text({ type: 'files', paths: lines(500).split('\n') }, 30, { whole: true })).toHaveLength(500)
  })

  test('colours code when its language is there', async () => {
    await loadHighlighter('typescript')
    const [row] = blockRows({ type: 'code', text: 'const a = 1', language: 'ts' }, 30, darkTheme)
    expect(row?.spans[0]).toEqual({ text: 'const', color: darkTheme.code.keyword })
  })

  test('gives the same rows again for the same block, width and theme', () => {
    const block: Block = { type: 'text', text: 'a b c' }
    expect(blockRows(block, 30, darkTheme)).toBe(blockRows(block, 30, darkTheme))
    expect(blockRows(block, 2, darkTheme)).not.toBe(blockRows(block, 30, darkTheme))
    expect(blockRows({ ...block }, 30, darkTheme)).not.toBe(blockRows(block, 30, darkTheme))
  })

  test('no row of any block is wider than it may be, or holds a control character', () => {
    const words = fc.string({
      unit: fc.constantFrom('a', 'b ', '\t', '世', '🌊', '\n', '\r', '\x1b[31m', '\u202e', 'e\u0301', '\x9b'),
      maxLength: 80,
    })
    const anyBlock: fc.Arbitrary<Block> = fc.oneof(
      words.map((value): Block => ({ type: 'text', text: value })),
      words.map((value): Block => ({ type: 'error', text: value })),
      words.map((value): Block => ({ type: 'code', text: value, path: 'a.ts', startLine: 1 })),
      words.map((value): Block => ({ type: 'command', command: value, cwd: value })),
      words.map((value): Block => ({ type: 'output', text: value, exitCode: 3, omittedBytes: 9, artifact: value })),
      words.map((value): Block => ({ type: 'files', paths: [value, value] })),
      words.map((value): Block => ({ type: 'question', question: value, options: [value], answer: value })),
      words.map((value): Block => ({ type: 'todo', items: [{ id: '1', text: value, status: 'done' }] })),
      fc.tuple(words, words).map(
        ([oldText, newText]): Block => ({
          type: 'diff',
          diff: fileDiff({ path: newText, oldText, newText, oldHash: null, newHash: null }),
        }),
      ),
    )
    fc.assert(
      fc.property(anyBlock, fc.integer({ min: 4, max: 60 }), fc.boolean(), (block, width, whole) => {
        for (const row of blockRows(block, width, darkTheme, { whole })) {
          expect(rowWidth(row)).toBeLessThanOrEqual(width)
          expect(rowText(row)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/)
        }
      }),
      { numRuns: 400 },
    )
  })

  test('an output of many megabytes shows its end', () => {
    const huge: Block = { type: 'output', text: `${'x'.repeat(200)}\n`.repeat(50_000) }
    expect(text(huge, 80, { outputRows: 5 })).toHaveLength(6)
  })
})
