import type { PermissionRequest } from '@sluice/engine/protocol'
import type { KeyPress } from '@sluice/permissions-ui'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commandRequest, editRequest, questionRequest } from '../../fixtures/screen/requests.ts'
import { defaultKeys } from '../keymap.ts'
import { type FlowStep, flowField, flowKey, flowPaste, type QuestionFlow } from './question-flow.ts'

const press = (name: string): KeyPress => ({ name, text: [...name].length === 1 ? name : '', time: 0 })

/** The last step after these keys. */
function after(request: PermissionRequest, ...names: string[]): FlowStep {
  let step: FlowStep = { flow: { mode: 'ask' }, used: true }
  for (const name of names) step = flowKey(step.flow, press(name), request, defaultKeys)
  return step
}

describe('a permission', () => {
  test.each<[string, string[], FlowStep['decision']]>([
    ['y allows', ['y'], { type: 'allow', digest: 'digest_1' }],
    ['n and Enter deny silently', ['n', 'return'], { type: 'deny' }],
    ['n and words deny with them', ['n', 'n', 'o', 'return'], { type: 'deny', message: 'no' }],
    [
      'A, a rule and a scope allow for always',
      ['A', '2', 'p'],
      { type: 'allow', digest: 'digest_1', rule: { text: 'edit_file(src/**)', scope: 'project' } },
    ],
    ['Escape in a reason goes back', ['n', 'x', 'escape', 'y'], { type: 'allow', digest: 'digest_1' }],
    ['Escape in a rule goes back', ['A', 'escape', 'A', '1', 'escape'], undefined],
    ['Enter alone decides nothing', ['return'], undefined],
    ['a rule that is not there decides nothing', ['A', '9', 'y'], undefined],
    ['y in a reason is a letter', ['n', 'y'], undefined],
  ])('%s', (_name, keys, decision) => {
    expect(after(editRequest, ...keys).decision).toEqual(decision)
  })

  test('with one rule asks for whom at once, with none says so', () => {
    expect(after(commandRequest(), 'A').flow).toEqual({ mode: 'scope', rule: 0 })
    expect(after({ ...editRequest, suggestions: [] }, 'A').say?.[0]).toMatch(/No rule may be written/)
  })

  test('hands keys that mean nothing to the draft, and held keys to nobody', () => {
    expect(after(editRequest, 'x').used).toBe(false)
    const held = flowKey({ mode: 'ask' }, { ...press('y'), repeat: true }, editRequest, defaultKeys)
    expect([held.used, held.decision]).toEqual([true, undefined])
  })
})

describe('a question of the model', () => {
  const ask = questionRequest(['half up', 'half even'])

  test.each<[string, string[], FlowStep['decision']]>([
    ['a number and Enter answer', ['2', 'return'], { type: 'allow', digest: 'digest_3', answer: 'half even' }],
    ['another number changes the mind', ['2', '1', 'return'], { type: 'allow', digest: 'digest_3', answer: 'half up' }],
    ['a number alone does not', ['1'], undefined],
    ['t and words answer', ['t', 'u', 'p', 'return'], { type: 'allow', digest: 'digest_3', answer: 'up' }],
    ['no words are no answer', ['t', 'return'], undefined],
    ['n gives none', ['n', 'return'], { type: 'deny' }],
    ['Escape after a number goes back', ['1', 'escape', 'return'], undefined],
  ])('%s', (_name, keys, decision) => {
    expect(after(ask, ...keys).decision).toEqual(decision)
  })
})

test('a paste never decides: it goes into the field that is written, or to the draft', () => {
  const reason: QuestionFlow = { mode: 'reason', line: { text: 'a', caret: 1 } }
  expect(flowField(flowPaste(reason, 'y\n').flow)?.text).toMatch(/^ay/)
  expect(flowPaste({ mode: 'ask' }, 'y').used).toBe(false)
})

test('no keys but those of an answer ever decide, and a decision is for what was told', () => {
  const keys = fc.constantFrom(
    'y',
    'n',
    'A',
    'return',
    'escape',
    '1',
    '2',
    's',
    'p',
    'u',
    'r',
    't',
    'x',
    'space',
    'ctrl+a',
  )
  fc.assert(
    fc.property(fc.array(keys, { maxLength: 12 }), fc.boolean(), (names, asks) => {
      const request = asks ? questionRequest(['a', 'b']) : editRequest
      let flow: QuestionFlow = { mode: 'ask' }
      for (const name of names) {
        const before = flow
        const step = flowKey(flow, press(name), request, defaultKeys)
        flow = step.flow
        if (step.decision?.type === 'allow') {
          expect(step.decision.digest).toBe(request.digest)
          if (asks) expect(name).toBe('return')
          else expect(before.mode === 'scope' ? /^[spu]$/.test(name) : name === 'y' && before.mode === 'ask').toBe(true)
        } else if (step.decision) expect([before.mode, name]).toEqual(['reason', 'return'])
      }
    }),
  )
})
