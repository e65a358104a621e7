import { fileDiff } from '@sluice/engine/change'
import type { FileDiff } from '@sluice/engine/protocol'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { type RenderedScreen, renderAt } from '../../fixtures/screen/render-at.tsx'
import { rowText, rowWidth } from '../blocks/styled-row.ts'
import { darkTheme } from '../theme.ts'
import { DiffView } from './DiffView.tsx'
import { diffLines } from './diff-lines.ts'
import { loadHighlighter } from './highlight.ts'

const change = (oldText: string, newText: string, path = 'src/cart.ts'): FileDiff =>
  fileDiff({ path, oldText, newText, oldHash: null, newHash: null })

let open: RenderedScreen | undefined
afterEach(async () => {
  await open?.unmount()
  open = undefined
})

const cart = change('const a = 1\nconst total = round(a)\n', 'const a = 1\nconst sum = round(a)\n')

describe('DiffView', () => {
  test('shows numbers, markers, backgrounds and the changed words', async () => {
    open = await renderAt(40, 6, <DiffView diff={cart} width={40} height={5} offset={0} />)
    expect(open.screen()).toBe(
      [' 1   const a = 1', ' 2 − const total = round(a)', ' 2 + const sum = round(a)'].join('\n'),
    )
    const look = (x: number, y: number) => open?.cellAt(x, y).backgroundColor
    expect({
      context: look(8, 0),
      removed: look(6, 1),
      'removed word': look(11, 1),
      added: look(6, 2),
      'added word': look(11, 2),
      'to the edge': look(39, 2),
      gutter: look(1, 2),
    }).toEqual({
      context: undefined,
      removed: darkTheme.delBackground,
      'removed word': darkTheme.delWord,
      added: darkTheme.addBackground,
      'added word': darkTheme.addWord,
      'to the edge': darkTheme.addBackground,
      gutter: undefined,
    })
  })

  test('colours code once its language has come', async () => {
    open = await renderAt(40, 6, <DiffView diff={cart} width={40} height={5} offset={0} />)
    await loadHighlighter('typescript')
    await open.until(() => open?.cellAt(5, 0).color === darkTheme.code.keyword)
    expect(open.cellAt(5, 1).color).toBe(darkTheme.code.keyword)
  })

  test('mounts no more rows than it shows, of however many', async () => {
    const big = change('', Array.from({ length: 50_000 }, (_, i) => `line ${i}\n`).join(''), 'big.txt')
    open = await renderAt(40, 6, <DiffView diff={big} width={40} height={5} offset={40_000} cursor={40_002} />)
    expect(open.screen().split('\n')).toEqual([
      ' 40001 + line 40000',
      ' 40002 + line 40001',
      '❯40003 + line 40002',
      ' 40004 + line 40003',
      ' 40005 + line 40004',
    ])
    await open.rerender(<DiffView diff={big} width={40} height={5} offset={49_998} />)
    expect(open.screen()).toBe(' 49999 + line 49998\n 50000 + line 49999')
  })

  test('shows two columns, files and hunks', async () => {
    const other = change('a\n', 'a\nb\n', 'README.md')
    open = await renderAt(60, 12, <DiffView diffs={[cart, other]} width={60} height={12} offset={0} split hunks />)
    expect(open.screen()).toMatchInlineSnapshot(`
      " src/cart.ts  +1 −1
       @@ 1,2 +1,2 @@
       1   const a = 1             │ 1   const a = 1
       2 − const total = round(a)  │ 2 + const sum = round(a)

       README.md  +1 −0
       @@ 1,1 +1,2 @@
       1   a                       │ 1   a
                                   │ 2 + b"
    `)
  })
})

describe('diffLines', () => {
  const lines = (diff: FileDiff, width: number, extra = {}) => {
    const made = diffLines([diff], { width, theme: darkTheme, ...extra })
    return Array.from({ length: made.count }, (_, i) => rowText(made.at(i)).trimEnd())
  }

  test('cuts long lines and moves them to the left', () => {
    const long = change('', `${'0123456789'.repeat(3)}\n`, 'a.txt')
    expect(lines(long, 20)).toEqual([' 1 + 01234567890123…'])
    expect(lines(long, 20, { left: 16 })).toEqual([' 1 + …7890123456789'])
    expect(lines(long, 20, { left: 3 })).toEqual([' 1 + …4567890123456…'])
  })

  test('shows what cannot be seen', () => {
    const odd = change('', 'a\tb\u202ec\x1b[2J\u200b\n', 'a.txt')
    expect(lines(odd, 60)).toEqual([' 1 + a→  b<U+202E>c\\x1b[2J<U+200B>'])
    expect(lines(change('', `x${' '.repeat(100)}y\n`, 'a.txt'), 60, { reveal: true })).toEqual([' 1 + x ·x100 y'])
  })

  test('every row is exactly as wide as it should be', () => {
    const text = fc
      .array(
        fc.string({
          unit: fc.constantFrom('a', ' ', '\t', '世', '👨‍👩‍👧', 'e\u0301', '\r', '\x1b', '\u202e', '─'),
          maxLength: 80,
        }),
      )
      .map((rows) => rows.join('\n'))
    fc.assert(
      fc.property(
        text,
        text,
        fc.integer({ min: 12, max: 90 }),
        fc.nat(30),
        fc.boolean(),
        (oldText, newText, width, left, split) => {
          const made = diffLines([change(oldText, newText)], {
            width,
            theme: darkTheme,
            left,
            split,
            files: true,
            hunks: true,
          })
          for (let i = 0; i < made.count; i++) {
            expect(rowWidth(made.at(i))).toBe(width)
            expect(rowWidth(made.pointed(i))).toBe(width)
            expect(rowText(made.at(i))).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  test('a line of a megabyte is clipped', () => {
    const minified = change('', `${'x\t'.repeat(500_000)}\n`, 'a.js')
    const made = diffLines([minified], { width: 120, theme: darkTheme })
    expect(rowWidth(made.at(0))).toBe(120)
  })
})
