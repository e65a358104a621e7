import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  backspace,
  createEditor,
  cut,
  deleteForward,
  type Editor,
  expand,
  move,
  moveTo,
  pasteText,
  redo,
  setText,
  typeText,
  undo,
  unfold,
  yank,
  yankOlder,
} from './buffer.ts'

/** A draft with `|` where the caret stands. */
function at(marked: string): Editor {
  const caret = marked.indexOf('|')
  return moveTo(createEditor(marked.replace('|', '')), caret, null)
}

function shown({ text, caret }: Editor): string {
  return `${text.slice(0, caret)}|${text.slice(caret)}`
}

describe('one step', () => {
  test.each<[string, string, (editor: Editor) => Editor, string]>([
    ['typing', 'a|c', (e) => typeText(e, 'b'), 'ab|c'],
    ['typing a joiner between emoji', '👨|👩', (e) => typeText(e, '\u200d'), '👨‍👩|'],
    ['typing a mark', 'e|x', (e) => typeText(e, '\u0301'), 'e\u0301|x'],
    ['control characters are not text', 'a|', (e) => typeText(e, '\x1b[31mb\x07'), 'ab|'],
    ['backspace takes a family whole', 'a👨‍👩‍👧|b', backspace, 'a|b'],
    ['backspace takes letter and mark', 'e\u0301|', backspace, '|'],
    ['backspace takes a flag', '🇩🇪🇫🇷|', backspace, '🇩🇪|'],
    ['backspace at the start', '|a', backspace, '|a'],
    ['backspace joins lines', 'a\n|b', backspace, 'a|b'],
    ['delete takes a family whole', 'a|👨‍👩‍👧b', deleteForward, 'a|b'],
    ['left over a wide character', '你好，|', (e) => move(e, 'left'), '你好|，'],
    ['right over a flag', '|🇩🇪x', (e) => move(e, 'right'), '🇩🇪|x'],
    ['word left', 'fix the bug|', (e) => move(e, 'wordLeft'), 'fix the |bug'],
    ['word left over a blank', 'fix the |', (e) => move(e, 'wordLeft'), 'fix |the '],
    ['word right', 'fix| the bug', (e) => move(e, 'wordRight'), 'fix the| bug'],
    ['word right to the end', 'fix the| !!', (e) => move(e, 'wordRight'), 'fix the !!|'],
    ['line start', 'one\ntw|o', (e) => move(e, 'lineStart'), 'one\n|two'],
    ['line end', 'o|ne\ntwo', (e) => move(e, 'lineEnd'), 'one|\ntwo'],
    ['draft start', 'one\ntw|o', (e) => move(e, 'start'), '|one\ntwo'],
    ['cut back to the last blank', 'git commit --amend|', (e) => cut(e, 'blankLeft'), 'git commit |'],
    ['cut the word before', 'src/cart.ts|', (e) => cut(e, 'wordLeft'), 'src/|'],
    ['cut the word after', '|fix it', (e) => cut(e, 'wordRight'), '| it'],
    ['cut to the line start', 'one\ntwo| three', (e) => cut(e, 'lineStart'), 'one\n| three'],
    ['cut to the line end', 'one| two\nthree', (e) => cut(e, 'lineEnd'), 'one|\nthree'],
    ['cut the line break', 'one|\ntwo', (e) => cut(e, 'lineEnd'), 'one|two'],
    ['cut the line break before', 'one\n|two', (e) => cut(e, 'lineStart'), 'one|two'],
  ])('%s', (_name, before, step, after) => {
    expect(shown(step(at(before)))).toBe(after)
  })
})

describe('cutting and yanking', () => {
  test('cuts in a row become one piece, in reading order', () => {
    let editor = at('one two three|')
    editor = cut(cut(editor, 'blankLeft'), 'blankLeft')
    expect(shown(editor)).toBe('one |')
    expect(shown(yank(editor))).toBe('one two three|')
  })

  test('yankOlder goes round the ring, and only right after a yank', () => {
    let editor = cut(at('one|'), 'lineStart')
    editor = cut(typeText(editor, 'two'), 'lineStart')
    editor = yank(editor)
    expect(shown(editor)).toBe('two|')
    editor = yankOlder(editor)
    expect(shown(editor)).toBe('one|')
    editor = yankOlder(editor)
    expect(shown(editor)).toBe('two|')
    expect(shown(yankOlder(move(editor, 'left')))).toBe('tw|o')
  })

  test('nothing cut yet, nothing yanked', () => {
    expect(shown(yank(at('a|b')))).toBe('a|b')
  })
})

describe('undo', () => {
  test('takes typed words back one by one, and redo returns them', () => {
    let editor = createEditor()
    for (const char of 'fix the bug') editor = typeText(editor, char)
    const seen = [editor.text]
    while (editor.undo.length > 0) {
      editor = undo(editor)
      seen.push(editor.text)
    }
    expect(seen).toEqual(['fix the bug', 'fix the', 'fix', ''])
    editor = redo(redo(editor))
    expect(shown(editor)).toBe('fix the|')
  })

  test('a cleared draft comes back', () => {
    expect(shown(undo(setText(at('half a |mess'), '')))).toBe('half a |mess')
  })

  test('typing after undo forgets what was undone', () => {
    let editor = typeText(typeText(createEditor(), 'a'), ' ')
    editor = typeText(undo(editor), 'x')
    expect(shown(redo(editor))).toBe('ax|')
  })
})

describe('long pastes', () => {
  const long = Array.from({ length: 10_000 }, (_, index) => `line ${index}`).join('\n')

  test('become one unit that is sent whole', () => {
    let editor = pasteText(at('see |!'), long)
    expect([...editor.text].length).toBe(6)
    expect(expand(editor)).toBe(`see ${long}!`)
    expect(shown(backspace(editor))).toBe('see |!')
    editor = move(editor, 'left')
    expect(editor.caret).toBe(4)
  })

  test('unfold next to the caret, or all', () => {
    const editor = pasteText(pasteText(createEditor(), long), 'x'.repeat(2000))
    expect(unfold(editor).text.endsWith('x'.repeat(2000))).toBe(true)
    expect(unfold(editor).text.length).toBeLessThan(2010)
    expect(unfold(typeText(editor, ' and ')).text).toBe(`${long}${'x'.repeat(2000)} and `)
  })

  test('short ones stay text', () => {
    expect(pasteText(createEditor(), 'a\r\nb').text).toBe('a\nb')
    expect(pasteText(createEditor(), 'line\n'.repeat(9)).text).toBe('line\n'.repeat(9))
  })

  test('a chip cannot be forged by its character', () => {
    const editor = typeText(pasteText(createEditor(), long), '\u{10f001}')
    expect(expand(editor)).toBe(`${long}\ufffd`)
  })

  test('undo brings a deleted chip back whole', () => {
    expect(expand(undo(backspace(pasteText(createEditor(), long))))).toBe(long)
  })
})

describe('any sequence of steps', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'a',
      ' ',
      '\n',
      '你',
      '👨‍👩‍👧',
      '\u200d',
      '\u0301',
      '🇩🇪',
      '🇩',
      'क्ष',
      'ab cd',
      '\t',
      '👨',
      '\ufe0f',
      '\r\n',
    ),
    fc.string({ unit: 'grapheme', maxLength: 4 }),
  )
  const step: fc.Arbitrary<(editor: Editor) => Editor> = fc.oneof(
    { weight: 6, arbitrary: piece.map((text) => (editor: Editor) => typeText(editor, text)) },
    { weight: 1, arbitrary: fc.constant((editor: Editor) => pasteText(editor, 'p\n'.repeat(12))) },
    {
      weight: 4,
      arbitrary: fc
        .constantFrom('left', 'right', 'wordLeft', 'wordRight', 'lineStart', 'lineEnd', 'start', 'end')
        .map((motion) => (editor: Editor) => move(editor, motion as never)),
    },
    { weight: 3, arbitrary: fc.constantFrom(backspace, deleteForward, yank, yankOlder, undo, redo, unfold) },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom('blankLeft', 'wordLeft', 'wordRight', 'lineStart', 'lineEnd')
        .map((reach) => (editor: Editor) => cut(editor, reach as never)),
    },
  )
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

  test('keeps the caret between graphemes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let editor = createEditor()
        for (const next of steps) {
          editor = next(editor)
          expect(editor.text.isWellFormed()).toBe(true)
          const boundaries = [...segmenter.segment(editor.text)].map(({ index }) => index)
          expect([...boundaries, editor.text.length]).toContain(editor.caret)
        }
      }),
    )
  })

  test('is undone completely, and redone to the same', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const end = steps.reduce((editor, next) => next(editor), createEditor('start'))
        let editor = end
        for (let undone = 0; editor.undo.length > 0 && undone < 1000; undone++) editor = undo(editor)
        if (end.redo.length === 0) expect(editor.text).toBe('start')
        while (editor.redo.length > end.redo.length) editor = redo(editor)
        expect(editor.text).toBe(end.text)
      }),
    )
  })
})
