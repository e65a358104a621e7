/** What a dialog does with a key: a pure step from state to state, and sometimes to a decision. */
import type { PermissionRequest } from '@sluice/engine/protocol'
import { editLine, emptyLine, insertText } from './choice/line-editor.ts'
import type { DialogAction } from './dialog-keys.ts'
import {
  allowSelected,
  alwaysScopes,
  common,
  controlsOf,
  type DialogScene,
  type DialogState,
  type DialogStep,
  isChord,
  onAnswerField,
  optionsOf,
  refusal,
  scrollKey,
} from './dialog-steps.ts'
import { actionOf, type KeyPress } from './keys.ts'
import { questionKey } from './question-keys.ts'
import { areaKey, areaPaste, commentKey, reviewKey } from './review/keys.ts'
import { reviewWords } from './review/outcome.ts'
import { openReview } from './review/state.ts'

export type { DialogScene, DialogState, DialogStep } from './dialog-steps.ts'

/** The focus never begins on a yes. */
export function openDialog(request: PermissionRequest): DialogState {
  return {
    mode: 'read',
    control: 'deny',
    scroll: 0,
    left: 0,
    split: null,
    endSeen: false,
    reason: emptyLine,
    rule: 0,
    scope: 0,
    stop: request.kind === 'ask' && optionsOf(request).length === 0 ? 0 : -1,
    answer: emptyLine,
    hint: null,
    decided: false,
    review: openReview(request),
    follow: null,
    comment: emptyLine,
    area: null,
    dropping: false,
    command: null,
    blanks: false,
  }
}

type Window = Pick<DialogScene, 'rows' | 'height' | 'places'>

/** The state as it is drawn: scrolled no further than there are rows, with what the view follows in sight. */
export function settle(state: DialogState, scene: Window): DialogState {
  const wanted = followed(state, scene)
  const scroll = Math.max(0, Math.min(wanted, scene.rows - scene.height))
  return scroll === state.scroll ? state : { ...state, scroll }
}

/** The state after it was drawn: a person may have seen the end of the body only now. */
export function drawn(state: DialogState, scene: Window): DialogState {
  const shown = settle(state, scene)
  return shown.endSeen || shown.scroll + scene.height < scene.rows ? shown : { ...shown, endSeen: true }
}

export function dialogKey(before: DialogState, press: KeyPress, scene: DialogScene): DialogStep {
  if (before.decided) return { state: before, used: true }
  const state: DialogState = { ...settle(before, scene), hint: null }
  if (state.mode === 'reason') return reasonKey(state, press)
  if (state.mode === 'always') return alwaysKey(state, press, scene)
  if (state.mode === 'comment') return commentKey(state, press)
  if (state.mode === 'edit') return areaKey(state, press, scene)
  if (scene.request.kind === 'ask') return questionKey(state, press, scene)
  return readKey(state, press, scene)
}

/** A paste never decides: it only goes into a field that is being edited. */
export function dialogPaste(state: DialogState, text: string, scene: DialogScene): DialogStep {
  if (state.decided) return { state, used: false }
  if (state.mode === 'reason') return { state: { ...state, reason: insertText(state.reason, text) }, used: true }
  if (state.mode === 'comment') return { state: { ...state, comment: insertText(state.comment, text) }, used: true }
  if (state.mode === 'edit') return areaPaste(state, text)
  if (state.mode === 'read' && onAnswerField(state, scene.request)) {
    return { state: { ...state, answer: insertText(state.answer, text) }, used: true }
  }
  return { state, used: false }
}

/** The scroll at which what the view follows is in sight: a hunk from its head, as much of it as there is room for. */
function followed(state: DialogState, { height, places }: Window): number {
  const { review, follow, scroll } = state
  if (state.mode === 'edit' && state.area !== null)
    return intoSight(scroll, height, state.area.area.row, state.area.area.row)
  if (review === null || follow === null || places === undefined) return scroll
  const row = places.row(review.cursor)
  return intoSight(scroll, height, row, follow === 'hunk' ? places.end(review.cursor) : places.tail(review.cursor))
}

function intoSight(scroll: number, height: number, first: number, last: number): number {
  if (first < scroll) return first
  return last < scroll + height ? scroll : Math.min(first, last - height + 1)
}

function readKey(state: DialogState, press: KeyPress, scene: DialogScene): DialogStep {
  const action = actionOf(scene.table, 'dialog', press) as DialogAction | undefined
  const reviewed = reviewKey(state, action, press, scene)
  if (reviewed) return reviewed
  const moved = scrollKey(state, action, scene)
  if (moved) return moved
  const controls = controlsOf(scene.request)
  const turn = (by: number): DialogStep => {
    const next = controls[(controls.indexOf(state.control) + by + controls.length) % controls.length]
    return { state: { ...state, control: next ?? 'deny' }, used: true }
  }
  // A held key reaches no decision, and says nothing either.
  if (press.repeat && action !== undefined && deciding.has(action)) return { state, used: true }
  switch (action) {
    case 'apply':
      return allowSelected(state, scene, {})
    case 'deny':
      return { state: { ...state, control: 'deny', mode: 'reason' }, used: true }
    case 'always':
      return openAlways(state, scene)
    case 'next':
    case 'right':
      return turn(1)
    case 'previous':
    case 'left':
      return turn(-1)
    case 'activate':
      if (state.control === 'apply') return allowSelected(state, scene, {})
      if (state.control === 'always') return openAlways(state, scene)
      return { state: { ...state, mode: 'reason' }, used: true }
    default:
      return common(state, action)
  }
}

const deciding: ReadonlySet<DialogAction> = new Set<DialogAction>(['apply', 'deny', 'always', 'activate'])

function openAlways(state: DialogState, scene: DialogScene): DialogStep {
  if (scene.request.suggestions.length === 0) {
    const hint = scene.request.changeSet
      ? 'No one rule covers all of these files: each would need its own.'
      : 'No rule may be written for this: it is asked every time.'
    return { state: { ...state, hint }, used: true }
  }
  return { state: { ...state, control: 'always', mode: 'always' }, used: true }
}

function reasonKey(state: DialogState, press: KeyPress): DialogStep {
  if (press.name === 'escape') return { state: { ...state, mode: 'read' }, used: true }
  if (press.name === 'return') {
    if (press.repeat) return { state, used: true }
    const decision = refusal(state.reason.text.trim(), state.review === null ? '' : reviewWords(state.review))
    return { state: { ...state, decided: true }, used: true, decision }
  }
  const reason = editLine(state.reason, press)
  // Every other key stays here: a field that is open is what the person is typing into.
  return { state: reason ? { ...state, reason } : state, used: reason !== null || !isChord(press) }
}

function alwaysKey(state: DialogState, press: KeyPress, scene: DialogScene): DialogStep {
  const { suggestions } = scene.request
  const to = (rule: number, scope: number): DialogStep => ({
    state: { ...state, rule: clamp(rule, suggestions.length), scope: clamp(scope, alwaysScopes.length) },
    used: true,
  })
  switch (press.name) {
    case 'up':
      return to(state.rule - 1, state.scope)
    case 'down':
      return to(state.rule + 1, state.scope)
    case 'left':
      return to(state.rule, state.scope - 1)
    case 'right':
      return to(state.rule, state.scope + 1)
    case 'escape':
      return { state: { ...state, mode: 'read' }, used: true }
    case 'return': {
      const rule = suggestions[state.rule]
      const scope = alwaysScopes[state.scope]
      if (press.repeat || !rule || !scope) return { state, used: true }
      return allowSelected(state, scene, { rule: { text: rule.text, scope } })
    }
    default: {
      const action = actionOf(scene.table, 'dialog', press) as DialogAction | undefined
      const paged = action === 'pageUp' || action === 'pageDown' ? scrollKey(state, action, scene) : null
      return paged ?? { state, used: !isChord(press) }
    }
  }
}

function clamp(index: number, count: number): number {
  return Math.max(0, Math.min(count - 1, index))
}
