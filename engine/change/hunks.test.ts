import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffHunks, fileDiff, unifiedDiff } from './index.ts'

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'ä', '', 'long line', '\r'), { maxLength: 12 })
  .chain((lines) => fc.boolean().map((ends) => lines.join('\n') + (ends && lines.length > 0 ? '\n' : '')))

describe('a diff', () => {
  it('of a new file starts at 0 on the side that has no lines', () => {
    expect(diffHunks('', 'one\n')).toMatchObject([{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1 }])
    expect(diffHunks('one\n', '')).toMatchObject([{ oldStart: 1, oldLines: 1, newStart: 0, newLines: 0 }])
  })

  it('marks a last line without an ending', () => {
    const lines = diffHunks('a\nb', 'a\nb\n')[0]?.lines
    expect(lines?.map((line) => [line.kind, line.text, line.noNewline ?? false])).toEqual([
      ['context', 'a', false],
      ['del', 'b', true],
      ['add', 'b', false],
    ])
  })

  it('numbers the lines of both sides', () => {
    const [hunk] = diffHunks('1\n2\n3\n', '1\nX\n3\n')
    expect(hunk?.lines.map((line) => [line.kind, line.oldLine, line.newLine])).toEqual([
      ['context', 1, 1],
      ['del', 2, undefined],
      ['add', undefined, 2],
      ['context', 3, 3],
    ])
  })

  it('as text is what git apply turns the old text into the new one with', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-hunks-'))
    fc.assert(
      fc.property(text, text, (oldText, newText) => {
        fc.pre(oldText !== '' && newText !== '' && oldText !== newText)
        writeFileSync(join(folder, 'f'), oldText)
        const patch = unifiedDiff(fileDiff({ path: 'f', oldText, newText, oldHash: 'x', newHash: 'y' }))
        execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: folder, input: patch })
        expect(readFileSync(join(folder, 'f'), 'utf8')).toBe(newText)
      }),
      { numRuns: 60 },
    )
  })

  it('of a rewrite that takes too long to diff line by line is one hunk', () => {
    const rows = (seed: number) => Array.from({ length: 30_000 }, (_, i) => `${(i * seed) % 9973} ${i % 7}`).join('\n')
    const hunks = diffHunks(rows(31), rows(57))
    const lines = hunks.flatMap((hunk) => hunk.lines)
    expect(
      lines
        .filter((line) => line.kind !== 'add')
        .map((line) => line.text)
        .join('\n').length,
    ).toBeGreaterThan(0)
    expect(hunks.length).toBeGreaterThan(0)
  })
})
