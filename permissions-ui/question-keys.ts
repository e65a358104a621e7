/** The keys of a question to the person: choosing an answer, or writing one. */
import { editLine, insertText } from './choice/line-editor.ts'
import type { DialogAction } from './dialog-keys.ts'
import {
  allow,
  common,
  type DialogScene,
  type DialogState,
  type DialogStep,
  onAnswerField,
  optionsOf,
  scrollKey,
} from './dialog-steps.ts'
import { actionOf, type KeyPress } from './keys.ts'

export function questionKey(state: DialogState, press: KeyPress, scene: DialogScene): DialogStep {
  const { request } = scene
  const options = optionsOf(request)
  const last = options.length + 1
  const go = (stop: number): DialogStep => ({
    state: { ...state, stop: Math.max(0, Math.min(last, stop)) },
    used: true,
  })
  const action = actionOf(scene.table, 'dialog', press) as DialogAction | undefined
  if (press.name === 'up' || press.name === 'shift+tab') return go(state.stop - 1)
  if (press.name === 'down' || press.name === 'tab') return go(state.stop + 1)
  if (press.name === 'return' && !press.repeat) return answerStop(state, scene)
  if (onAnswerField(state, request) && press.name !== 'return' && press.name !== 'escape') {
    const answer = editLine(state.answer, press)
    if (answer) return { state: { ...state, answer }, used: true }
  }
  if (press.name === 'return') return { state, used: true }
  if (action === 'pageUp' || action === 'pageDown') return scrollKey(state, action, scene) ?? { state, used: true }
  if (onAnswerField(state, request)) {
    // Esc first leaves the field for the list, then the question.
    return press.name === 'escape' && options.length > 0
      ? { state: { ...state, stop: -1 }, used: true }
      : common(state, action)
  }
  const digit = /^[1-9]$/.test(press.name) ? Number(press.name) : 0
  if (digit > 0 && digit <= options.length) return go(digit - 1)
  if (action === 'apply') return press.repeat ? { state, used: true } : answerStop(state, scene)
  if (action === 'deny') return { state: press.repeat ? state : { ...state, mode: 'reason' }, used: true }
  const known = common(state, action)
  if (known.used || known.leave || known.fullScreen || press.text.trim() === '') return known
  // Whoever begins to write has an answer of their own.
  return { state: { ...state, stop: options.length, answer: insertText(state.answer, press.text) }, used: true }
}

/** Answers with what has the focus, if it is an answer. */
function answerStop(state: DialogState, scene: DialogScene): DialogStep {
  const options = optionsOf(scene.request)
  const option = options[state.stop]
  if (option !== undefined) return allow(state, scene, { answer: option })
  if (state.stop === options.length + 1) return { state: { ...state, mode: 'reason' }, used: true }
  if (onAnswerField(state, scene.request) && state.answer.text.trim() !== '') {
    return allow(state, scene, { answer: state.answer.text.trim() })
  }
  const hint = onAnswerField(state, scene.request)
    ? 'Type an answer first.'
    : 'Choose an answer first: ↑ ↓ or its number.'
  return { state: { ...state, hint }, used: true }
}
