import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { graphemes } from '../text/cells.ts'
import { areaText, editArea, insertArea, openArea, type TextArea } from './text-area.ts'

const press = (name: string) => ({
  name,
  text: name === 'space' ? ' ' : graphemes(name).length === 1 ? name : '',
  time: 0,
})
const type = (area: TextArea, ...keys: string[]) =>
  keys.reduce((state, key) => editArea(state, press(key)) ?? state, area)

describe('keys', () => {
  test.each<[string, string[], string]>([
    ['ab', ['x'], 'xab'],
    ['ab', ['end', 'return', 'c'], 'ab\nc'],
    ['\tab', ['end', 'return', 'c'], '\tab\n\tc'],
    ['a\nb', ['down', 'backspace'], 'ab'],
    ['a\nb', ['end', 'delete'], 'ab'],
    ['a\nb', ['ctrl+k', 'ctrl+k'], 'b'],
    ['a b  ', ['end', 'ctrl+w'], 'a '],
    ['a b', ['end', 'ctrl+w'], 'a '],
    ['abc', ['end', 'left', 'ctrl+u'], 'c'],
    ['a👩‍👩‍👧b', ['right', 'right', 'backspace'], 'ab'],
    ['a👩‍👩‍👧b', ['right', 'delete'], 'ab'],
    ['a\nb', ['right', 'right', 'x'], 'a\nxb'],
    ['a\nb', ['down', 'left', 'x'], 'ax\nb'],
    ['ab', ['tab'], '  ab'],
    ['\tx\nab', ['down', 'tab'], '\tx\n\tab'],
    ['ä\n\tb', ['f', 'o', 'o', 'down', 'end', 'space'], 'fooä\n\tb '],
  ])('%j after %j is %j', (text, keys, result) => {
    expect(areaText(type(openArea(text), ...keys))).toBe(result)
  })

  test('other keys are not its own', () => {
    for (const name of ['ctrl+x', 'escape', 'f5']) expect(editArea(openArea('a'), press(name))).toBeNull()
  })
})

test('a paste keeps its lines and tabs, and loses what a terminal would act on', () => {
  expect(areaText(insertArea(openArea('z'), 'a\r\n\tb\x1b[2J\rc'))).toBe('a\n\tb[2J\ncz')
})

test('moving changes nothing, and the caret is always between two characters', () => {
  const keys = [
    'left',
    'right',
    'up',
    'down',
    'home',
    'end',
    'pageup',
    'pagedown',
    'backspace',
    'delete',
    'return',
    'é',
    '你',
  ]
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', '你', '👩‍👩‍👧', '\n', '\t', 'e\u0301'), { maxLength: 12 }),
      fc.array(fc.constantFrom(...keys), { maxLength: 20 }),
      (parts, names) => {
        let area = openArea(parts.join(''))
        for (const name of names) {
          const next = editArea(area, press(name)) ?? area
          if (keys.indexOf(name) < 8) expect(areaText(next)).toBe(areaText(area))
          area = next
          const line = area.lines[area.row]
          expect(line).toBeDefined()
          const before = (line ?? '').slice(0, area.column)
          expect(graphemes(before).length + graphemes((line ?? '').slice(area.column)).length).toBe(
            graphemes(line ?? '').length,
          )
        }
      },
    ),
  )
})
