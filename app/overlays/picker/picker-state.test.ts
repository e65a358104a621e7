import { describe, expect, test } from 'vitest'
import { defaultKeys, rebind } from '../../keymap.ts'
import { emptyPicker, type PickerState, pasted, pressed, tagsIn } from './picker-state.ts'

const all = { fork: true, export: true }
const press = (state: PickerState, name: string, possible = all, table = defaultKeys) =>
  pressed(state, { name, text: name === 'space' ? ' ' : [...name].length === 1 ? name : '', time: 0 }, table, possible)
const typed = (text: string, part: Partial<PickerState> = {}): PickerState => ({
  ...emptyPicker(text),
  ...part,
})

describe('in the list', () => {
  test.each([
    ['return', { want: 'resume' }],
    ['up', { want: 'move', by: -1 }],
    ['ctrl+k', { want: 'move', by: -1 }],
    ['down', { want: 'move', by: 1 }],
    ['pageup', { want: 'move', by: 'page-up' }],
    ['pagedown', { want: 'move', by: 'page-down' }],
    ['home', { want: 'move', by: 'top' }],
    ['end', { want: 'move', by: 'bottom' }],
    ['ctrl+f', { want: 'fork' }],
    ['ctrl+r', { want: 'title' }],
    ['ctrl+t', { want: 'tags' }],
    ['ctrl+p', { want: 'pin' }],
    ['ctrl+x', { want: 'remove' }],
    ['ctrl+z', { want: 'undo' }],
    ['ctrl+e', { want: 'format' }],
    ['ctrl+c', { want: 'quit' }],
    ['escape', { want: 'leave' }],
  ])('%s wishes %o and leaves the filter alone', (key, wish) => {
    const before = typed('')
    expect(press(before, key)).toEqual({ state: before, wish, used: true })
  })

  test.each<[before: PickerState, key: string, after: PickerState]>([
    [typed(''), 'a', typed('a')],
    [typed('a'), '/', typed('a/')],
    [typed(''), '/', typed('', { content: true })],
    [typed('', { content: true }), '/', typed('/', { content: true })],
    [typed('', { content: true }), 'backspace', typed('')],
    [typed('ab', { content: true }), 'backspace', typed('a', { content: true })],
    [typed('ab cd'), 'ctrl+w', typed('ab ')],
    [typed('ab cd'), 'ctrl+u', typed('')],
    [typed('ab'), 'escape', typed('')],
    [typed('ab', { content: true }), 'escape', typed('')],
    [typed('ab'), 'tab', typed('ab', { everywhere: true })],
    [typed('ab', { everywhere: true }), 'tab', typed('ab')],
  ])('%o and %s make another list: %o', (before, key, after) => {
    expect(press(before, key)).toEqual({ state: after, wish: { want: 'list' }, used: true })
  })

  test('a held ctrl+x deletes one session', () => {
    const held = { name: 'ctrl+x', text: '', time: 0, repeat: true }
    expect(pressed(typed(''), held, defaultKeys, all)).toEqual({ state: typed(''), used: true })
  })

  test('moving the caret asks for nothing', () => {
    expect(press(typed('ab'), 'left')).toEqual({
      state: { ...typed('ab'), line: { text: 'ab', caret: 1 } },
      used: true,
    })
  })

  test.each(['f5', 'shift+tab', 'ctrl+l'])('%s means nothing here', (key) => {
    expect(press(typed('a'), key)).toEqual({ state: typed('a'), used: false })
  })

  test('what cannot be done is no letter either', () => {
    const none = { fork: false, export: false }
    expect(press(typed('a'), 'ctrl+f', none)).toEqual({ state: typed('a'), used: true })
    expect(press(typed('a'), 'ctrl+e', none)).toEqual({ state: typed('a'), used: true })
  })

  test('a question mark as the first key shows the keys, and the next key the list; later it is a character', () => {
    const help = typed('', { help: true })
    expect(press(typed(''), '?')).toEqual({ state: help, used: true })
    for (const key of ['?', 'escape', 'ctrl+c', 'return', 'ctrl+x'])
      expect(press(help, key)).toEqual({ state: typed(''), used: true })
    expect(pasted(help, 'x')).toEqual({ state: help, used: true })
    expect(press(typed('a'), '?').state).toEqual(typed('a?'))
    expect(press(typed('', { content: true }), '?').state).toEqual(typed('?', { content: true }))
    expect(press(typed('a'), 'f1').state).toEqual(typed('a', { help: true }))
  })

  test('the keys are those of the table in force', () => {
    const { table, problems } = rebind(defaultKeys, { picker: { pin: 'ctrl+o' } })
    expect(problems).toEqual([])
    expect(press(typed(''), 'ctrl+o', all, table).wish).toEqual({ want: 'pin' })
    expect(press(typed(''), 'ctrl+p', all, table).used).toBe(false)
  })

  test('a paste is one line of the filter', () => {
    expect(pasted(typed('a'), 'b\nc')).toEqual({ state: typed('ab c'), wish: { want: 'list' }, used: true })
  })
})

describe('while something is asked', () => {
  const naming = typed('x', { asking: { what: 'title', id: 's_1', line: { text: 'old', caret: 3 } } })

  test('letters and keys that edit go to the field, not to the list', () => {
    const { state, wish, used } = press(naming, 'ctrl+u')
    expect([wish, used]).toEqual([undefined, true])
    expect(state).toEqual({ ...naming, asking: { what: 'title', id: 's_1', line: { text: '', caret: 0 } } })
    expect(press(state, 'n').state.asking).toEqual({ what: 'title', id: 's_1', line: { text: 'n', caret: 1 } })
    expect(pasted(state, 'a  b').state.asking).toMatchObject({ line: { text: 'a  b' } })
  })

  test('enter saves one tidy line, esc and ctrl+c change nothing', () => {
    const long = { ...naming, asking: { what: 'title' as const, id: 's_1', line: { text: ' a   b ', caret: 0 } } }
    expect(press(long, 'return')).toEqual({
      state: typed('x'),
      wish: { want: 'save', what: 'title', id: 's_1', text: 'a b' },
      used: true,
    })
    for (const key of ['escape', 'ctrl+c']) expect(press(naming, key)).toEqual({ state: typed('x'), used: true })
  })

  test('a format is one letter, and no other key means anything', () => {
    const asking = typed('x', { asking: { what: 'format', id: 's_1' } })
    expect(press(asking, 'H')).toEqual({
      state: typed('x'),
      wish: { want: 'export', id: 's_1', format: 'html' },
      used: true,
    })
    for (const key of ['y', 'return', 'ctrl+x', 'down'])
      expect(press(asking, key)).toEqual({ state: asking, used: true })
    expect(pasted(asking, 'm')).toEqual({ state: asking, used: true })
    expect(press(asking, 'ctrl+l').used).toBe(false)
  })

  const folder = (gone: boolean) => typed('x', { asking: { what: 'folder', id: 's_1', folder: '/there', gone } })

  test('a session whose folder is gone goes on here after a y alone', () => {
    const asking = folder(true)
    for (const key of ['return', 'h', 'ctrl+z']) expect(press(asking, key)).toEqual({ state: asking, used: true })
    expect(press(asking, 'y')).toEqual({
      state: typed('x'),
      wish: { want: 'go-on', id: 's_1', where: 'here' },
      used: true,
    })
    expect(press(asking, 'escape')).toEqual({ state: typed('x'), used: true })
  })

  test('one of another folder goes on there with enter, here with an h', () => {
    const asking = folder(false)
    const answer = (where: string) => ({ state: typed('x'), wish: { want: 'go-on', id: 's_1', where }, used: true })
    expect(press(asking, 'return')).toEqual(answer('there'))
    expect(press(asking, 'H')).toEqual(answer('here'))
    for (const key of ['y', 'ctrl+z', 'down']) expect(press(asking, key)).toEqual({ state: asking, used: true })
  })
})

test.each([
  ['#later, big later', ['later', 'big']],
  ['  ', []],
  ['a,,b', ['a', 'b']],
])('tags in %o are %o', (text, tags) => {
  expect(tagsIn(text)).toEqual(tags)
})
