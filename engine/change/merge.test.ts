import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, it, test } from 'vitest'
import { mergeTexts } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-merge-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each<[string, string, string, string, string | null]>([
  ['apart', 'a\nb\nc\nd\n', 'A\nb\nc\nd\n', 'a\nb\nc\nD\n', 'A\nb\nc\nD\n'],
  ['the same', 'a\nb\nc\n', 'a\nB\nc\n', 'a\nB\nc\n', 'a\nB\nc\n'],
  ['the same and another', 'a\nb\nc\nd\ne\n', 'a\nB\nc\nd\ne\n', 'a\nB\nc\nd\nE\n', 'a\nB\nc\nd\nE\n'],
  ['one of them nothing', 'a\n', 'a\n', 'b\n', 'b\n'],
  ['the same line', 'a\nb\nc\n', 'a\nX\nc\n', 'a\nY\nc\n', null],
  ['lines that touch', 'a\nb\nc\n', 'a\nB\nc\n', 'a\nb\nC\n', null],
  ['two insertions at one place', 'a\nb\n', 'a\nx\nb\n', 'a\ny\nb\n', null],
  ['without a line end', 'a\nb\nc', 'A\nb\nc', 'a\nb\nC', 'A\nb\nC'],
  ['CRLF', 'a\r\nb\r\nc\r\nd\r\n', 'A\r\nb\r\nc\r\nd\r\n', 'a\r\nb\r\nc\r\n', 'A\r\nb\r\nc\r\n'],
])('%s', (_, base, ours, theirs, merged) => {
  expect([mergeTexts(base, ours, theirs), mergeTexts(base, theirs, ours)]).toEqual([merged, merged])
})

/** Texts of lines that all differ, of which each side changes some, takes some out and puts some in. */
const sides = fc
  .tuple(
    fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { minLength: 1, maxLength: 30 }),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
  )
  .map(([plan, ending, closed]) => {
    const side = (mine: 0 | 1 | null) => {
      const lines = plan.flatMap((how, i) => {
        const line = `größe ${i}`
        const act = mine === null ? 9 : how[mine]
        if (act === 0) return []
        if (act === 1) return [`${line} of ${mine}`]
        return act === 2 ? [line, `new ${i} 你好`] : [line]
      })
      return lines.join(ending) + (closed && lines.length > 0 ? ending : '')
    }
    return { base: side(null), ours: side(0), theirs: side(1) }
  })

it('what is merged is what git merge-file makes of it', () => {
  let clean = 0
  fc.assert(
    fc.property(sides, ({ base, ours, theirs }) => {
      const merged = mergeTexts(base, ours, theirs)
      if (merged === null) return
      clean++
      const at = (name: string, text: string) => {
        writeFileSync(join(folder, name), text)
        return join(folder, name)
      }
      const { status, stdout } = spawnSync(
        'git',
        ['merge-file', '-p', '-q', at('ours', ours), at('base', base), at('theirs', theirs)],
        { encoding: 'utf8' },
      )
      expect({ status, text: stdout }).toEqual({ status: 0, text: merged })
    }),
    { numRuns: 300 },
  )
  expect(clean).toBeGreaterThan(20)
})
