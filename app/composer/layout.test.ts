import { cellWidth } from '@sluice/permissions-ui'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEditor, type Editor, moveTo, pasteText } from './buffer.ts'
import { indexAt, layOut } from './layout.ts'

function rowsOf(editor: Editor, width: number): string[] {
  return layOut(editor, width).rows.map((row) => row.pieces.map((piece) => piece.text).join(''))
}

function caretOf(text: string, caret: number, width: number): [row: number, column: number] {
  const layout = layOut(moveTo(createEditor(text), caret, null), width)
  return [layout.caret.row, layout.caret.column]
}

describe('wrapping', () => {
  test.each<[string, string, number, string[]]>([
    ['nothing', '', 10, ['']],
    ['a line', 'hello', 10, ['hello']],
    ['line breaks', 'a\n\nb\n', 10, ['a', '', 'b', '']],
    ['at blanks', 'the quick brown fox', 10, ['the quick ', 'brown fox']],
    ['blanks hang at the end of a row', 'aaaa     bb', 6, ['aaaa  ', 'bb']],
    ['inside long words', 'abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['a long word begins on its own row', 'see abcdefghij', 6, ['see ', 'abcdef', 'ghij']],
    ['around wide characters', '你好世界', 5, ['你好', '世界']],
    ['wide characters after a word', 'ab你好世界', 6, ['ab你好', '世界']],
    ['a character wider than the row', '你好', 1, ['…', '…']],
    ['tabs go to the next stop', 'a\tb', 10, ['a   b']],
    ['indentation stays', '    if x', 20, ['    if x']],
  ])('%s', (_name, text, width, rows) => {
    expect(rowsOf(createEditor(text), width)).toEqual(rows)
  })

  test('hidden characters are shown as what they are', () => {
    expect(layOut(createEditor('a\u202eb'), 20).rows[0]?.pieces).toEqual([
      { text: 'a', kind: 'text' },
      { text: '<U+202E>', kind: 'hidden' },
      { text: 'b', kind: 'text' },
    ])
  })

  test('a chip is its label', () => {
    const editor = pasteText(createEditor('see '), 'line\n'.repeat(10_000))
    expect(layOut(editor, 60).rows[0]?.pieces).toEqual([
      { text: 'see ', kind: 'text' },
      { text: '[pasted 10,000 lines #1]', kind: 'chip' },
    ])
    expect(layOut(editor, 60).caret).toEqual({ row: 0, column: 28 })
  })
})

describe('the caret', () => {
  test.each<[string, string, number, number, [number, number]]>([
    ['after wide characters', '你好，abc', 6, 40, [0, 9]],
    ['three to the left', '你好，abc', 3, 40, [0, 6]],
    ['after an emoji family', '👨‍👩‍👧x', 8, 40, [0, 2]],
    ['after a letter with a mark', 'e\u0301x', 2, 40, [0, 1]],
    ['after a tab', 'a\tb', 2, 40, [0, 4]],
    ['at the start of a wrapped row', 'the quick brown', 10, 10, [1, 0]],
    ['at the end of a full row', 'abcd', 4, 4, [0, 4]],
    ['in a full row that goes on', 'abcdef', 4, 4, [1, 0]],
    ['after blanks that hang', 'aaaa     ', 9, 6, [0, 6]],
    ['after a line break', 'ab\n', 3, 10, [1, 0]],
  ])('%s', (_name, text, caret, width, cell) => {
    expect(caretOf(text, caret, width)).toEqual(cell)
  })
})

describe('any text in any width', () => {
  const text = fc
    .array(
      fc.oneof(
        fc.constantFrom('a', 'word', ' ', '  ', '\n', '你', '👨‍👩‍👧', 'e\u0301', '\t', '🇩🇪', '\u202e', 'longerword'),
        fc.string({ unit: 'grapheme', maxLength: 3 }),
      ),
      { maxLength: 30 },
    )
    .map((pieces) => pieces.join(''))
  const width = fc.integer({ min: 2, max: 24 })

  test('rows are never too wide and cover the whole draft', () => {
    fc.assert(
      fc.property(text, width, (value, cells) => {
        const editor = createEditor(value)
        const { rows } = layOut(editor, cells)
        expect(rows[0]?.start).toBe(0)
        expect(rows.at(-1)?.end).toBe(editor.text.length)
        rows.forEach((row, index) => {
          expect(cellWidth(row.pieces.map((piece) => piece.text).join(''))).toBeLessThanOrEqual(cells)
          const next = rows[index + 1]
          if (next !== undefined) expect([row.end, row.end + 1]).toContain(next.start)
        })
      }),
    )
  })

  test('the caret stands inside, and its cell leads back to it', () => {
    fc.assert(
      fc.property(text, width, fc.nat(), (value, cells, place) => {
        const editor = moveTo(createEditor(value), place % (createEditor(value).text.length + 1), null)
        const layout = layOut(editor, cells)
        const { row, column } = layout.caret
        expect(column).toBeGreaterThanOrEqual(0)
        expect(column).toBeLessThanOrEqual(cells)
        const back = indexAt(editor, layout, row, column, cells)
        // Blanks that hang share one cell.
        expect(editor.text.slice(Math.min(back, editor.caret), Math.max(back, editor.caret))).toMatch(
          /^[\s\u3000]*$|^\p{Cf}*$/u,
        )
      }),
    )
  })
})
