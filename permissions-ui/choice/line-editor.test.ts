import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cellWidth, graphemes } from '../text/cells.ts'
import { editLine, emptyLine, insertText, type LineState, lineWindow } from './line-editor.ts'

const press = (name: string, text = [...name].length === 1 ? name : '') => ({ name, text, time: 0 })
const line = (marked: string): LineState => {
  const [before = '', after = ''] = marked.split('|')
  return { text: before + after, caret: graphemes(before).length }
}
const show = (state: LineState | null) => {
  if (!state) return null
  const parts = graphemes(state.text)
  return `${parts.slice(0, state.caret).join('')}|${parts.slice(state.caret).join('')}`
}

describe('editLine', () => {
  test.each([
    ['ab|', 'c', 'abc|'],
    ['|bc', 'a', 'a|bc'],
    ['ab|', 'backspace', 'a|'],
    ['|ab', 'backspace', '|ab'],
    ['👨‍👩‍👧|x', 'backspace', '|x'],
    ['a|👨‍👩‍👧x', 'delete', 'a|x'],
    ['a|👨‍👩‍👧x', 'right', 'a👨‍👩‍👧|x'],
    ['a👨‍👩‍👧|x', 'left', 'a|👨‍👩‍👧x'],
    ['ab|cd', 'home', '|abcd'],
    ['ab|cd', 'ctrl+e', 'abcd|'],
    ['one two|', 'ctrl+w', 'one |'],
    ['one two|', 'alt+b', 'one |two'],
    ['|one two', 'alt+f', 'one| two'],
    ['|one two', 'alt+d', '| two'],
    ['one| two', 'ctrl+u', '| two'],
    ['one| two', 'ctrl+k', 'one|'],
  ])('%s and %s make %s', (before, key, after) => {
    expect(show(editLine(line(before), press(key)))).toBe(after)
  })

  test('leaves keys alone that mean nothing to it', () => {
    expect(['return', 'escape', 'tab', 'up', 'ctrl+x'].map((name) => editLine(line('a|'), press(name)))).toEqual(
      Array.from({ length: 5 }, () => null),
    )
  })

  test('a mark that is typed joins the letter before the caret', () => {
    expect(editLine(line('e|x'), press('\u0301'))).toEqual({ text: 'e\u0301x', caret: 1 })
  })

  test('the caret is always between graphemes', () => {
    const key = fc.constantFrom(
      'a',
      ' ',
      '世',
      '\u0301',
      '👍',
      '🏽',
      'left',
      'right',
      'home',
      'end',
      'backspace',
      'delete',
      'ctrl+w',
    )
    fc.assert(
      fc.property(fc.array(key, { maxLength: 40 }), (keys) => {
        let state = emptyLine
        for (const name of keys) state = editLine(state, press(name)) ?? state
        expect(state.caret).toBeGreaterThanOrEqual(0)
        expect(state.caret).toBeLessThanOrEqual(graphemes(state.text).length)
      }),
    )
  })
})

test('pastes become one line without control characters', () => {
  expect(insertText(line('a|b'), 'x\r\ny\tz\x1b[31m\x07')).toEqual({ text: 'ax y zb', caret: 6 })
})

test('the window holds the caret and fits', () => {
  expect(lineWindow(line('hello|'), 10)).toEqual({ before: 'hello', at: '', after: '' })
  expect(lineWindow(line('hello world|'), 6)).toEqual({ before: 'world', at: '', after: '' })
  expect(lineWindow(line('|hello world'), 6)).toEqual({ before: '', at: 'h', after: 'ello ' })
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.nat(30),
      fc.integer({ min: 2, max: 20 }),
      (raw, caret, width) => {
        const text = insertText(emptyLine, raw).text
        const { before, at, after } = lineWindow({ text, caret: Math.min(caret, graphemes(text).length) }, width)
        expect(cellWidth(before) + Math.max(1, cellWidth(at)) + cellWidth(after)).toBeLessThanOrEqual(width)
      },
    ),
  )
})
