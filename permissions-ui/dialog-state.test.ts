import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commandRequest, editRequest, questionRequest } from '../fixtures/screen/requests.ts'
import { dialogKeys, withDialogKeys } from './dialog-keys.ts'
import { type DialogScene, type DialogState, dialogKey, dialogPaste, drawn, openDialog } from './dialog-state.ts'

const scene = (extra: Partial<DialogScene> = {}): DialogScene => ({
  request: editRequest,
  table: { dialog: dialogKeys },
  rows: 100,
  height: 10,
  mustSeeEnd: false,
  hunks: [0, 20, 60],
  files: [0, 60],
  autoSplit: false,
  ...extra,
})
const press = (name: string, repeat = false) => ({
  name,
  text: name === 'space' ? ' ' : [...name].length === 1 ? name : '',
  time: 0,
  ...(repeat ? { repeat } : {}),
})
const after = (keys: string[], at = scene(), from: DialogState = openDialog(at.request)) =>
  keys.reduce((state, key) => drawn(dialogKey(state, press(key), at).state, at), from)

describe('scrolling', () => {
  // Where nothing can be selected, the same keys scroll.
  const plain = scene({ request: { ...editRequest, kind: 'network' } })
  test.each([
    [['down', 'down'], 2],
    [['up'], 0],
    [['pagedown'], 9],
    [['space', 'pageup'], 0],
    [['end'], 90],
    [['end', 'down'], 90],
    [['end', 'home'], 0],
    [[']'], 20],
    [[']', ']', ']'], 60],
    [[']', ']', '['], 20],
    [['}'], 60],
    [['}', '{'], 0],
  ])('%j scrolls to row %i', (keys, scroll) => {
    expect(after(keys, plain).scroll).toBe(scroll)
  })

  test('the end counts as seen once it was drawn, also when the dialog has shrunk since', () => {
    expect(after(['pagedown'], plain).endSeen).toBe(false)
    expect(after(['end', 'home'], plain).endSeen).toBe(true)
    expect(drawn(after(['end', 'home'], plain), { ...plain, height: 5 }).endSeen).toBe(true)
    expect(drawn(openDialog(editRequest), scene({ rows: 10 })).endSeen).toBe(true)
  })
})

describe('what can never be a yes', () => {
  const anyKey = fc.constantFrom(
    ...['return', 'space', 'up', 'down', 'tab', 'escape', 'pagedown', 'end', 'n', 'f', 'x', '1', '2', 'left', 'right'],
    ...['a', 'c', 'e', 'E', 'w', ']', '[', 'ctrl+s'],
  )

  test('no single key but y allows, from any fresh dialog', () => {
    const requests = [editRequest, commandRequest(), questionRequest(['a', 'b']), questionRequest()]
    fc.assert(
      fc.property(fc.constantFrom(...requests), anyKey, (request, key) => {
        expect(dialogKey(openDialog(request), press(key), scene({ request })).decision).toBeUndefined()
      }),
    )
  })

  test('held keys and pastes decide nothing in any state', () => {
    const step = fc.oneof(anyKey, fc.constantFrom('A', 'y'))
    fc.assert(
      fc.property(
        fc.constantFrom(editRequest, commandRequest(), questionRequest(['a', 'b'])),
        fc.array(step, { maxLength: 6 }),
        step,
        (request, keys, held) => {
          const at = scene({ request })
          const state = after(keys, at)
          expect(dialogKey(state, press(held, true), at).decision).toBeUndefined()
          expect(dialogPaste(state, 'y\r', at).decision).toBeUndefined()
        },
      ),
    )
  })

  test('a command whose end was not drawn is never allowed', () => {
    const request = commandRequest()
    const at = scene({ request, mustSeeEnd: true })
    const keys = fc.array(fc.constantFrom('y', 'A', 'return', 'down', 'right', 'left', 'escape', 'tab'), {
      maxLength: 20,
    })
    fc.assert(
      fc.property(keys, (names) => {
        let state = openDialog(request)
        for (const name of names) {
          const step = dialogKey(state, press(name), at)
          expect(step.decision?.type).not.toBe('allow')
          state = drawn(step.state, at)
          if (step.decision) return
          fc.pre(!state.endSeen)
        }
      }),
    )
  })

  test('a decision is given once', () => {
    const first = dialogKey(openDialog(editRequest), press('y'), scene())
    expect(first.decision).toEqual({ type: 'allow', digest: 'digest_1' })
    expect(dialogKey(first.state, press('y'), scene())).toEqual({ state: first.state, used: true })
  })
})

test('keys that the app rebound win, and what it does not name keeps its default', () => {
  const table = withDialogKeys({ dialog: { apply: { keys: ['ctrl+y'], help: 'apply' } } })
  const at = scene({ table })
  expect(dialogKey(openDialog(editRequest), press('y'), at)).toMatchObject({ used: false })
  expect(dialogKey(openDialog(editRequest), press('ctrl+y'), at).decision).toEqual({
    type: 'allow',
    digest: 'digest_1',
  })
  expect(dialogKey(openDialog(editRequest), press('n'), at).state.mode).toBe('reason')
})

test('v switches between one and two columns, from what the width chose', () => {
  expect(after(['v']).split).toBe(true)
  expect(after(['v'], scene({ autoSplit: true })).split).toBe(false)
})
