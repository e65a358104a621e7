import { fileDiff } from '@sluice/engine/change'
import type { FileDiff } from '@sluice/engine/protocol'
import { describe, expect, test } from 'vitest'
import { pairIndex, rowIndex } from './row-index.ts'

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}\n`).join('')
const diff = (oldText: string | null, newText: string | null, note?: string): FileDiff =>
  fileDiff({ path: 'a.ts', oldText, newText, oldHash: null, newHash: null, ...(note === undefined ? {} : { note }) })
const all = (diffs: FileDiff[], options = {}) => {
  const rows = rowIndex(diffs, options)
  return Array.from({ length: rows.count }, (_, i) => {
    const row = rows.at(i)
    expect(rows.kind(i)).toBe(row?.kind)
    if (row && row.line >= 0 && row.kind !== 'note') expect(rows.row(row.file, row.hunk, row.line)).toBe(i)
    if (row?.kind === 'hunk') expect(rows.row(row.file, row.hunk, -1)).toBe(i)
    return row
  })
}
const short = (diffs: FileDiff[], options = {}) =>
  all(diffs, options).map((row) => `${row?.kind} ${row?.oldLine ?? '-'} ${row?.newLine ?? '-'} ${row?.text}`)

describe('the rows of a change', () => {
  test('flattens hunks with the numbers of both sides, and names the gap between them', () => {
    const before = numbered(1, 20)
    const after = before.replace('line 2\n', 'line two\n').replace('line 19\n', '')
    expect(short([diff(before, after)])).toEqual([
      'context 1 1 line 1',
      'del 2 - line 2',
      'add - 2 line two',
      'context 3 3 line 3',
      'context 4 4 line 4',
      'context 5 5 line 5',
      'gap - - 10 unchanged lines',
      'context 16 16 line 16',
      'context 17 17 line 17',
      'context 18 18 line 18',
      'del 19 - line 19',
      'context 20 19 line 20',
    ])
  })

  test('heads files and hunks when asked', () => {
    expect(short([diff('a\n', 'b\n'), diff('x\n', 'x\ny\n')], { files: true, hunks: true })).toEqual([
      'file - - a.ts',
      'hunk - - @@ 1,1 +1,1 @@',
      'del 1 - a',
      'add - 1 b',
      'note - - ',
      'file - - a.ts',
      'hunk - - @@ 1,1 +1,2 @@',
      'context 1 1 x',
      'add - 2 y',
    ])
  })

  test.each([
    {
      name: 'a missing last line feed',
      diff: diff('a\n', 'a'),
      rows: ['del 1 - a', 'add - 1 a', 'note - - no newline at the end'],
    },
    { name: 'an empty new file', diff: diff(null, ''), rows: ['note - - an empty file'] },
    { name: 'a deleted empty file', diff: diff('', null), rows: ['note - - the file was empty'] },
    { name: 'a change beside the text', diff: diff('a\n', 'a\n', 'mode 644 → 755'), rows: ['note - - mode 644 → 755'] },
    {
      name: 'CRLF throughout, once',
      diff: diff('a\r\n', 'b\r\n'),
      rows: ['note - - line endings: CRLF', 'del 1 - a', 'add - 1 b'],
    },
    { name: 'changed line endings, line by line', diff: diff('a\r\n', 'a\n'), rows: ['del 1 - a\r', 'add - 1 a'] },
  ])('says $name', ({ diff: change, rows }) => {
    expect(short([change])).toEqual(rows)
  })
})

test('in two columns what was removed stands beside what was added', () => {
  const rows = rowIndex([diff('a\nb\nc\nd\n', 'a\nx\nc\ny\nz\n')], { hunks: true })
  const pairs = pairIndex(rows)
  const text = (index: number) => rows.at(index)?.text ?? null
  expect(Array.from({ length: pairs.count }, (_, i) => [text(pairs.left(i)), text(pairs.right(i))])).toEqual([
    ['@@ 1,4 +1,5 @@', '@@ 1,4 +1,5 @@'],
    ['a', 'a'],
    ['b', 'x'],
    ['c', 'c'],
    ['d', 'y'],
    [null, 'z'],
  ])
  for (let row = 0; row < rows.count; row++) {
    const at = pairs.place(row)
    expect([pairs.left(at), pairs.right(at)]).toContain(row)
  }
})

test('without a line feed at the end of both sides every row is found again', () => {
  const rows = all([diff('a\nb', 'a\nc'), diff('x', null)], { files: true, hunks: true })
  expect(rows.map((row) => row?.kind)).toEqual([
    ...['file', 'hunk', 'context', 'del', 'note', 'add', 'note'],
    ...['note', 'file', 'hunk', 'del', 'note'],
  ])
})
