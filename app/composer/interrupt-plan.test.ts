import { describe, expect, test } from 'vitest'
import { type InterruptPlan, type InterruptState, interruptPlan } from './interrupt-plan.ts'

const idle: InterruptState = {
  draftEmpty: true,
  overlayOpen: false,
  running: false,
  hintAt: null,
  escapeAt: null,
  now: 10_000,
}

describe('interruptPlan', () => {
  test.each<[string, Partial<InterruptState>, 'escape' | 'ctrl+c' | 'ctrl+d', InterruptPlan]>([
    ['ctrl+c clears the draft first, whatever runs', { draftEmpty: false, running: true }, 'ctrl+c', 'clear-draft'],
    ['ctrl+c then interrupts', { running: true }, 'ctrl+c', 'interrupt'],
    ['ctrl+c then hints', {}, 'ctrl+c', 'hint'],
    ['ctrl+c leaves while the hint stands', { hintAt: 9_000 }, 'ctrl+c', 'leave'],
    ['ctrl+c hints again when the hint is gone', { hintAt: 5_000 }, 'ctrl+c', 'hint'],
    ['a hint does not make ctrl+c drop a draft', { draftEmpty: false, hintAt: 9_900 }, 'ctrl+c', 'clear-draft'],
    ['ctrl+c closes an overlay', { overlayOpen: true }, 'ctrl+c', 'close-overlay'],
    ['ctrl+d does nothing to a draft', { draftEmpty: false }, 'ctrl+d', 'nothing'],
    ['ctrl+d hints, also while a turn runs', { running: true }, 'ctrl+d', 'hint'],
    ['ctrl+d leaves while the hint stands', { hintAt: 9_500 }, 'ctrl+d', 'leave'],
    ['Esc closes an overlay before all', { overlayOpen: true, running: true }, 'escape', 'close-overlay'],
    ['Esc interrupts, draft or not', { running: true, draftEmpty: false }, 'escape', 'interrupt'],
    ['Esc leaves an idle draft alone', { draftEmpty: false }, 'escape', 'nothing'],
    ['one Esc on an idle session arms', {}, 'escape', 'arm-rewind'],
    ['two rewind', { escapeAt: 9_800 }, 'escape', 'rewind'],
    ['two slow ones do not', { escapeAt: 9_000 }, 'escape', 'arm-rewind'],
  ])('%s', (_name, state, key, plan) => {
    expect(interruptPlan({ ...idle, ...state }, key)).toBe(plan)
  })
})
