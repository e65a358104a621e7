/** The bundle's frames look as Ink's own do: the same signs in the same cells with the same styles, whatever is written over what. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { joinedRows, type Operation } from './joined-rows.ts'
import { outputPatch } from './start-fast.ts'

const ink = createRequire(join(resolve(import.meta.dirname, '../..'), 'app', 'package.json')).resolve('ink')

type Output = {
  write(x: number, y: number, text: string, options: { transformers: ((line: string, at: number) => string)[] }): void
  clip(clip: object): void
  unclip(): void
  get(): { output: string; height: number }
}
type OutputClass = new (size: { width: number; height: number }) => Output
type Cell = { value: string; styles: { code: string }[] }

const path = join(dirname(ink), 'output.js')
const source = readFileSync(path, 'utf8')

/** Code that stands beside Ink's own, with all it imports. */
async function load<T>(contents: string): Promise<T> {
  const done = await build({
    stdin: { contents, resolveDir: dirname(path), loader: 'js' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  })
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-output-')), 'index.mjs')
  writeFileSync(file, done.outputFiles[0]?.text ?? '')
  return await import(pathToFileURL(file).href)
}

const tokens = await load<{ tokenize(text: string): unknown[]; styledCharsFromTokens(tokens: unknown[]): Cell[] }>(
  "export { styledCharsFromTokens, tokenize } from '@alcalzone/ansi-tokenize'",
)

const red = (text: string) => `\x1b[31m${text}\x1b[39m`
const bold = (text: string) => `\x1b[1m${text}\x1b[22m`

/** What is seen: signs and styles cell by cell, without blanks at the end of a row that have no style. */
function picture(output: string) {
  return output.split('\n').map((line) => {
    const cells = tokens.styledCharsFromTokens(tokens.tokenize(line)).map(({ value, styles }) => ({
      value,
      styles: styles.map(({ code }) => code).sort(),
    }))
    while (cells.at(-1)?.value === ' ' && cells.at(-1)?.styles.length === 0) cells.pop()
    return cells
  })
}

const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'list', '│ x', '✓ done', '  ', '────', 'two words', '…') },
  { weight: 1, arbitrary: fc.constantFrom('漢字', 'é', 'e\u0301', '👩‍👩‍👧', '\u200b', 'a\u00ad', '\t', '\ufe0f') },
)
const styled = fc.tuple(word, fc.integer({ min: 0, max: 8 })).map(([text, look]) => {
  if (look === 0) return red(text)
  if (look === 1) return `\x1b[38;2;16;32;48m${bold(text)}\x1b[39m`
  if (look === 2) return `\x1b[48;5;120m\x1b[2m${text}\x1b[22m\x1b[49m`
  if (look === 3) return `\x1b[7m\x1b[4m${text}\x1b[24m\x1b[27m`
  if (look === 4) return `\x1b[31m${text}`
  if (look === 5) return `\x1b[1;34m${text}\x1b[0m`
  return text
})
const text = fc
  .array(fc.oneof({ weight: 8, arbitrary: styled }, { weight: 1, arbitrary: fc.constant('\n') }), { maxLength: 5 })
  .map((parts) => parts.join(''))
// Ink cuts an axis on both sides or not at all.
const side = fc.integer({ min: -2, max: 34 })
const axis = fc.option(fc.tuple(side, side), { nil: [undefined, undefined] as const })
const clip = fc.tuple(axis, axis).map(([[x1, x2], [y1, y2]]) => ({ x1, x2, y1, y2 }))
const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('write' as const),
      x: fc.integer({ min: -3, max: 34 }),
      y: fc.integer({ min: -2, max: 7 }),
      text,
      transformers: fc.constantFrom(
        [],
        [],
        [(line: string) => line],
        [red],
        [(line: string, at: number) => `${at}${line}`],
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('clip' as const),
      clip,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'unclip' as const }) },
)

describe('rows that are joined as text', async () => {
  const [{ default: Original }, { default: Patched }] = await Promise.all([
    load<{ default: OutputClass }>(source),
    load<{ default: OutputClass }>(outputPatch.rewrite(source)),
  ])

  function draw(Class: OutputClass, operations: readonly Operation[]) {
    const output = new Class({ width: 30, height: 6 })
    for (const one of operations) {
      if (one.type === 'write') output.write(one.x, one.y, one.text, { transformers: [...one.transformers] })
      else if (one.type === 'clip') output.clip(one.clip)
      else output.unclip()
    }
    return output.get()
  }

  test('show what Ink shows', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 12 }), (operations) => {
        const [theirs, ours] = [draw(Original, operations), draw(Patched, operations)]
        expect(ours.height).toBe(theirs.height)
        expect(picture(ours.output)).toEqual(picture(theirs.output))
      }),
      { numRuns: 3_000 },
    )
  })

  const write = (x: number, y: number, text: string) => ({ type: 'write' as const, x, y, text, transformers: [] })
  const none = (_: unknown, inner: object) => inner

  test('are the ones beside one another, borders and texts in a box too', () => {
    const rows = joinedRows(
      [
        write(0, 0, '┌──┐'),
        write(0, 1, `${red('│')}\n${red('│')}\n`),
        write(3, 1, '│\n│\n'),
        { type: 'clip', clip: { x1: 1, x2: 3, y1: 1, y2: 3 } },
        write(1, 1, bold('ab')),
        write(1, 3, 'cut'),
        { type: 'unclip' },
      ],
      10,
      4,
      none,
    )
    expect(rows).toEqual(['┌──┐', `${red('│')}${bold('ab')}│`, `${red('│')}  │`, ''])
  })

  test.each([
    ['one over another', [write(0, 0, 'abc'), write(2, 0, 'x')]],
    ['a character of two cells', [write(0, 0, '漢')]],
    ['a style that stays open', [write(0, 0, '\x1b[31mred')]],
    ['several styles in one code', [write(0, 0, '\x1b[1;31mred\x1b[0m')]],
    ['a link', [write(0, 0, '\x1b]8;;http://a\x07a\x1b]8;;\x07')]],
    ['more than the screen is wide', [write(5, 0, '12345678')]],
  ])('are not: %s', (_, operations) => {
    expect(joinedRows(operations, 10, 2, none)).toEqual([undefined, ''])
  })
})
