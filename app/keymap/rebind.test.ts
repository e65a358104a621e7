import { describe, expect, test } from 'vitest'
import { contextTitles, defaultKeys, type KeyBindings, rebind } from '../keymap.ts'
import { normalizeKey } from '../terminal/key-names.ts'

describe('the default table', () => {
  test('names every context and has only canonical keys', () => {
    for (const [context, actions] of Object.entries(defaultKeys)) {
      expect(Object.keys(contextTitles)).toContain(context)
      for (const { keys, help } of Object.values(actions)) {
        expect(help).not.toBe('')
        expect(keys.map(normalizeKey)).toEqual(keys)
      }
    }
  })

  test('means one thing by a key of a context', () => {
    for (const actions of Object.values(defaultKeys)) {
      const keys = Object.values(actions).flatMap((binding) => binding.keys)
      expect(keys).toEqual([...new Set(keys)])
    }
  })

  test('has the keys that are promised', () => {
    const promised: [string, string, string[]][] = [
      ['composer', 'lineStart', ['ctrl+a']],
      ['composer', 'left', ['ctrl+b']],
      ['composer', 'delete', ['ctrl+d']],
      ['composer', 'lineEnd', ['ctrl+e']],
      ['composer', 'right', ['ctrl+f']],
      ['composer', 'killLineEnd', ['ctrl+k']],
      ['composer', 'down', ['ctrl+n']],
      ['composer', 'up', ['ctrl+p']],
      ['composer', 'search', ['ctrl+r']],
      ['composer', 'killLineStart', ['ctrl+u']],
      ['composer', 'killWordLeft', ['ctrl+w']],
      ['composer', 'yank', ['ctrl+y']],
      ['composer', 'wordLeft', ['alt+b']],
      ['composer', 'wordRight', ['alt+f']],
      ['composer', 'killWordRight', ['alt+d']],
      ['composer', 'editor', ['ctrl+g']],
      ['leader', 'panel', ['ctrl+x p']],
      ['leader', 'inbox', ['ctrl+x n']],
      ['leader', 'answer', ['ctrl+x a']],
      ['leader', 'review', ['ctrl+x r']],
      ['leader', 'trace', ['ctrl+x t']],
      ['leader', 'sessions', ['ctrl+x s']],
      ['leader', 'session', ['ctrl+x 1', 'ctrl+x 9']],
      ['leader', 'transcript', ['ctrl+x o']],
      ['leader', 'keys', ['ctrl+x k']],
      ['global', 'mode', ['shift+tab']],
      ['global', 'help', ['?']],
      ['global', 'scrollUp', ['pageup']],
      ['dialog', 'apply', ['y']],
      ['dialog', 'deny', ['n']],
      ['dialog', 'always', ['A']],
      ['picker', 'fork', ['ctrl+f']],
      ['picker', 'delete', ['ctrl+x']],
    ]
    for (const [context, action, keys] of promised) {
      expect(defaultKeys[context]?.[action]?.keys, `${context}.${action}`).toEqual(expect.arrayContaining(keys))
    }
  })
})

describe('keys as people write them', () => {
  test.each<[string, string | null]>([
    ['Ctrl+Enter', 'ctrl+return'],
    ['cmd+c', 'super+c'],
    ['Option+B', 'alt+B'],
    ['shift+ctrl+Z', 'ctrl+shift+z'],
    ['ESC', 'escape'],
    ['PgUp', 'pageup'],
    ['ctrl+x  A', 'ctrl+x A'],
    ['ctrl++', 'ctrl++'],
    ['?', '?'],
    ['F5', 'f5'],
    ['hyper+a', null],
    ['ctrl+nothing', null],
    ['', null],
    ['a b c', null],
  ])('%s is %s', (written, name) => {
    expect(normalizeKey(written)).toBe(name)
  })
})

describe('rebinding', () => {
  function messages(bindings: KeyBindings): string[] {
    return rebind(defaultKeys, bindings).problems.map(({ message }) => message)
  }

  test('replaces the keys of an action, and null takes them away', () => {
    const { table, problems } = rebind(defaultKeys, {
      composer: { newline: 'Shift+Enter', killWordLeft: null },
      global: { mode: ['ctrl+o', 'F2'] },
    })
    expect(problems).toEqual([])
    expect(table.composer?.newline?.keys).toEqual(['shift+return'])
    expect(table.composer?.killWordLeft?.keys).toEqual([])
    expect(table.global?.mode?.keys).toEqual(['ctrl+o', 'f2'])
    expect(defaultKeys.global?.mode?.keys).toEqual(['shift+tab'])
  })

  test('moves all sequences with their first key', () => {
    const { table, problems } = rebind(defaultKeys, { leader: { start: 'ctrl+o' } })
    expect(problems).toEqual([])
    expect(table.leader?.answer?.keys).toEqual(['ctrl+o a'])
    expect(table.composer?.unfold?.keys).toEqual(['ctrl+o v'])
  })

  test.each<[string, KeyBindings, RegExp]>([
    ['an unknown context', { compser: {} }, /no key context "compser".*composer/],
    ['an unknown action', { composer: { undos: 'ctrl+o' } }, /no action "undos".*"undo"/],
    ['what is no key', { composer: { undo: 'ctrl+banana' } }, /"ctrl\+banana" is no key/],
    ['a letter where letters are text', { composer: { undo: 'z' } }, /"z" types text/],
    ['a key for two actions', { composer: { undo: 'ctrl+o', redo: 'ctrl+o' } }, /"ctrl\+o" is already "undo"/],
    ['a key that begins sequences', { composer: { undo: 'ctrl+x' } }, /begins sequences/],
    ['an action that loses its last key', { composer: { undo: 'ctrl+g' } }, /"editor" has no key any more/],
    [
      'a key that the draft takes first',
      { global: { mode: 'ctrl+a' } },
      /"ctrl\+a" never reaches "mode" in "global": "lineStart"/,
    ],
    [
      'a key that the draft now takes',
      { composer: { undo: 'ctrl+l' } },
      /"ctrl\+l" never reaches "redraw" in "global": "undo"/,
    ],
    ['a sequence start that is text', { leader: { start: 'x' } }, /cannot begin sequences/],
  ])('names %s', (_name, bindings, message) => {
    expect(messages(bindings)).toEqual([expect.stringMatching(message)])
  })

  test('a letter is fine where nothing is typed', () => {
    expect(messages({ dialog: { apply: 'o' } })).toEqual([])
  })

  test('a key of the person wins over a default that has others left', () => {
    const { table, problems } = rebind(defaultKeys, { composer: { undo: 'ctrl+p' } })
    expect(problems).toEqual([])
    expect(table.composer?.up?.keys).toEqual(['up'])
  })

  test('problems name context, action and key', () => {
    const { problems } = rebind(defaultKeys, { composer: { undo: 'ctrl+o', redo: 'ctrl+o' } })
    expect(problems[0]).toMatchObject({ context: 'composer', action: 'redo', key: 'ctrl+o' })
  })
})
