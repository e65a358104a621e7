import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Hunk } from '../protocol/index.ts'
import { applySelection, diffHunks, editHunks, type HunkSelection } from './index.ts'

type Line = { sign: ' ' | '+' | '-'; text: string; open: boolean }
type Case = { before: string; hunks: Hunk[]; selection: HunkSelection }

const word = fc.constantFrom(
  'a',
  'b',
  'c',
  'größer',
  '你好',
  '',
  '  x',
  '\tx',
  '$&',
  '😀',
  '-a',
  '+a',
  '\\ No',
  'a\u2028b',
)
/** Lines of which some are changed, so that there are several hunks; one kind of ending, or both. */
const texts = fc
  .tuple(
    fc.array(fc.tuple(word, fc.option(fc.array(word, { maxLength: 3 }), { nil: undefined, freq: 3 })), {
      minLength: 1,
      maxLength: 40,
    }),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([lines, ending, closedBefore, closedAfter]) => {
    const text = (all: string[], closed: boolean) => all.join(ending) + (closed && all.length > 0 ? ending : '')
    return {
      before: text(
        lines.map(([line]) => line),
        closedBefore,
      ),
      after: text(
        lines.flatMap(([line, changed]) => changed ?? [line]),
        closedAfter,
      ),
    }
  })
const cases: fc.Arbitrary<Case> = fc
  .tuple(
    texts,
    fc.constantFrom(1, 3),
    fc.array(fc.nat(5), { minLength: 1, maxLength: 60 }),
    fc.option(fc.array(word, { maxLength: 4 }), { nil: null, freq: 2 }),
  )
  .map(([{ before, after }, context, picks, edit]) => {
    const made = diffHunks(before, after, context)
    const hunks = edit === null || made.length === 0 ? made : editHunks(made, { 0: edit.join('\n') })
    let next = 0
    const pick = () => picks[next++ % picks.length] ?? 0
    const entries = hunks.map((hunk, i): [number, true | number[]] => {
      const how = pick()
      if (how === 0) return [i, true]
      if (how === 1) return [i, []]
      return [i, hunk.lines.flatMap((line, at) => (line.kind !== 'context' && pick() > 2 ? [at] : []))]
    })
    return { before, hunks, selection: Object.fromEntries(entries) }
  })
  .filter(({ before }) => before !== '')

/** The selected part as a patch: what is not taken out is context, what is not put in is not there. */
function selectedPatch({ before, hunks, selection }: Case, name: string): string {
  const eol = before.includes('\r\n') && !/(?<!\r)\n/.test(before) ? '\r' : ''
  let growth = 0
  const parts = hunks.flatMap((hunk, index) => {
    const kept = selection[index] ?? []
    const taken = (at: number) => kept === true || kept.includes(at)
    const lines: Line[] = []
    let stay: Line[] = []
    let added: (Line | null)[] = []
    const flush = () => {
      for (let i = 0; i < Math.max(stay.length, added.length); i++) {
        for (const line of [stay[i], added[i]]) if (line) lines.push(line)
      }
      stay = []
      added = []
    }
    for (const [at, line] of hunk.lines.entries()) {
      const made = { text: line.text, open: line.noNewline ?? false }
      if (line.kind === 'add') added.push(taken(at) ? { ...made, sign: '+' } : null)
      else {
        if (line.kind === 'context' || added.length > 0) flush()
        if (line.kind === 'context') lines.push({ ...made, sign: ' ' })
        else stay.push({ ...made, sign: taken(at) ? '-' : ' ' })
      }
    }
    flush()
    // A last line without an ending gets one where another follows it now.
    const whole = lines.flatMap((line, i): Line[] => {
      const follows = lines.slice(i + 1).some((later) => later.sign !== '-')
      if (!line.open || !follows || line.sign === '-') return [line]
      const closed: Line = { sign: '+', text: line.text + eol, open: false }
      return line.sign === '+' ? [closed] : [{ ...line, sign: '-' }, closed]
    })
    if (whole.every((line) => line.sign === ' ')) return []
    const oldLines = whole.filter((line) => line.sign !== '+').length
    const newLines = whole.filter((line) => line.sign !== '-').length
    const newStart = hunk.oldStart + growth + (oldLines === 0 ? 1 : 0) - (newLines === 0 ? 1 : 0)
    growth += newLines - oldLines
    const body = whole.map(({ sign, text, open }) => `${sign}${text}\n${open ? '\\ No newline at end of file\n' : ''}`)
    return [`@@ -${hunk.oldStart},${oldLines} +${Math.max(0, newStart)},${newLines} @@\n${body.join('')}`]
  })
  return parts.length === 0 ? '' : `--- a/${name}\n+++ b/${name}\n${parts.join('')}`
}

it('applying a selection is what git apply makes of a patch of that selection', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-selection-'))
  fc.assert(
    fc.property(fc.array(cases, { minLength: 1, maxLength: 20 }), (files) => {
      const names = files.map((_, i) => `f${i}`)
      for (const [i, file] of files.entries()) writeFileSync(join(folder, names[i] ?? ''), file.before)
      const patch = files.map((file, i) => selectedPatch(file, names[i] ?? '')).join('')
      if (patch !== '') {
        execFileSync('git', ['-c', 'core.autocrlf=false', 'apply', '--whitespace=nowarn', '--unidiff-zero', '-'], {
          cwd: folder,
          input: patch,
        })
      }
      for (const [i, { before, hunks, selection }] of files.entries()) {
        const at = join(folder, names[i] ?? '')
        const applied = existsSync(at) ? readFileSync(at, 'utf8') : ''
        expect(applySelection(before, hunks, selection)).toBe(applied)
      }
    }),
    { numRuns: 60 },
  )
})
