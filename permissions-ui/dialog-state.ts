/** What a dialog does with a key: a pure step from state to state, and sometimes to a decision. */
import type { Decision, PermissionRequest, RuleSuggestion } from '@sluice/engine/protocol'
import { editLine, emptyLine, insertText, type LineState } from './choice/line-editor.ts'
import type { DialogAction } from './dialog-keys.ts'
import { actionOf, type KeyPress, type KeyTable } from './keys.ts'

export type DialogControl = 'apply' | 'deny' | 'always'
export type AlwaysScope = 'session' | 'project' | 'user'
export const alwaysScopes: readonly AlwaysScope[] = ['session', 'project', 'user']

/**
 * `read` is where every dialog begins; `reason` edits the words of a denial; `always` chooses a rule.
 * For a question `stop` is the focused answer: an option, then the free text, then the refusal; -1 is none.
 */
export type DialogState = {
  mode: 'read' | 'reason' | 'always'
  control: DialogControl
  scroll: number
  left: number
  /** Null follows the width. */
  split: boolean | null
  /** The end of the body has been on the screen. */
  endSeen: boolean
  reason: LineState
  rule: number
  scope: number
  stop: number
  answer: LineState
  /** Why the last key did not do what it says. */
  hint: string | null
  decided: boolean
}

/** What is on the screen when the key arrives. */
export type DialogScene = {
  request: PermissionRequest
  table: KeyTable
  rows: number
  height: number
  /** A yes counts only once the end was seen. */
  mustSeeEnd: boolean
  hunks: readonly number[]
  files: readonly number[]
  /** What `split` is while it follows the width. */
  autoSplit: boolean
}

/** `used` false hands the key to the layers below. */
export type DialogStep = {
  state: DialogState
  used: boolean
  decision?: Decision
  fullScreen?: true
  leave?: true
}

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
  }
}

export function controlsOf(request: PermissionRequest): DialogControl[] {
  return request.suggestions.length > 0 ? ['apply', 'deny', 'always'] : ['apply', 'deny']
}

export function optionsOf(request: PermissionRequest): string[] {
  return request.question?.options ?? []
}

/** The state as it is drawn: scrolled no further than there are rows. */
export function settle(state: DialogState, scene: Pick<DialogScene, 'rows' | 'height'>): DialogState {
  const scroll = Math.max(0, Math.min(state.scroll, scene.rows - scene.height))
  return scroll === state.scroll ? state : { ...state, scroll }
}

/** The state after it was drawn: a person may have seen the end of the body only now. */
export function drawn(state: DialogState, scene: Pick<DialogScene, 'rows' | 'height'>): DialogState {
  const shown = settle(state, scene)
  return shown.endSeen || shown.scroll + scene.height < scene.rows ? shown : { ...shown, endSeen: true }
}

export function dialogKey(before: DialogState, press: KeyPress, scene: DialogScene): DialogStep {
  if (before.decided) return { state: before, used: true }
  const state: DialogState = { ...settle(before, scene), hint: null }
  if (state.mode === 'reason') return reasonKey(state, press)
  if (state.mode === 'always') return alwaysKey(state, press, scene)
  if (scene.request.kind === 'ask') return questionKey(state, press, scene)
  return readKey(state, press, scene)
}

/** A paste never decides: it only goes into a field that is being edited. */
export function dialogPaste(state: DialogState, text: string, scene: DialogScene): DialogStep {
  if (state.decided) return { state, used: false }
  if (state.mode === 'reason') return { state: { ...state, reason: insertText(state.reason, text) }, used: true }
  if (state.mode === 'read' && onAnswerField(state, scene.request)) {
    return { state: { ...state, answer: insertText(state.answer, text) }, used: true }
  }
  return { state, used: false }
}

function readKey(state: DialogState, press: KeyPress, scene: DialogScene): DialogStep {
  const action = actionOf(scene.table, 'dialog', press) as DialogAction | undefined
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
      return allow(state, scene, {})
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
      if (state.control === 'apply') return allow(state, scene, {})
      if (state.control === 'always') return openAlways(state, scene)
      return { state: { ...state, mode: 'reason' }, used: true }
    default:
      return common(state, action)
  }
}

const deciding: ReadonlySet<DialogAction> = new Set<DialogAction>(['apply', 'deny', 'always', 'activate'])

function common(state: DialogState, action: DialogAction | undefined): DialogStep {
  if (action === 'leave') return { state, used: true, leave: true }
  if (action === 'fullscreen') return { state, used: true, fullScreen: true }
  return { state, used: false }
}

function allow(state: DialogState, scene: DialogScene, extra: Partial<Decision & { type: 'allow' }>): DialogStep {
  if (scene.mustSeeEnd && !state.endSeen) {
    return { state: { ...state, hint: 'Read it to the end first: there is more below.' }, used: true }
  }
  const decision: Decision = { type: 'allow', digest: scene.request.digest, ...extra }
  return { state: { ...state, decided: true }, used: true, decision }
}

function openAlways(state: DialogState, scene: DialogScene): DialogStep {
  if (scene.request.suggestions.length === 0) {
    return { state: { ...state, hint: 'No rule may be written for this: it is asked every time.' }, used: true }
  }
  return { state: { ...state, control: 'always', mode: 'always' }, used: true }
}

function reasonKey(state: DialogState, press: KeyPress): DialogStep {
  if (press.name === 'escape') return { state: { ...state, mode: 'read' }, used: true }
  if (press.name === 'return') {
    if (press.repeat) return { state, used: true }
    const message = state.reason.text.trim()
    const decision: Decision = message === '' ? { type: 'deny' } : { type: 'deny', message }
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
      return allow(state, scene, { rule: { text: rule.text, scope } })
    }
    default: {
      const action = actionOf(scene.table, 'dialog', press) as DialogAction | undefined
      const paged = action === 'pageUp' || action === 'pageDown' ? scrollKey(state, action, scene) : null
      return paged ?? { state, used: !isChord(press) }
    }
  }
}

function questionKey(state: DialogState, press: KeyPress, scene: DialogScene): DialogStep {
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
  return common(state, action)
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

function onAnswerField(state: DialogState, request: PermissionRequest): boolean {
  return request.kind === 'ask' && state.stop === optionsOf(request).length
}

function scrollKey(state: DialogState, action: DialogAction | undefined, scene: DialogScene): DialogStep | null {
  const to = (scroll: number): DialogStep => ({
    state: { ...state, scroll: Math.max(0, Math.min(scroll, scene.rows - scene.height)) },
    used: true,
  })
  const page = Math.max(1, scene.height - 1)
  switch (action) {
    case 'up':
      return to(state.scroll - 1)
    case 'down':
      return to(state.scroll + 1)
    case 'pageUp':
      return to(state.scroll - page)
    case 'pageDown':
    case 'toggle':
      return to(state.scroll + page)
    case 'top':
      return to(0)
    case 'bottom':
      return to(scene.rows)
    case 'nextHunk':
      return to(scene.hunks.find((row) => row > state.scroll) ?? state.scroll)
    case 'previousHunk':
      return to(scene.hunks.findLast((row) => row < state.scroll) ?? 0)
    case 'nextFile':
      return to(scene.files.find((row) => row > state.scroll) ?? state.scroll)
    case 'previousFile':
      return to(scene.files.findLast((row) => row < state.scroll) ?? 0)
    case 'back':
      return { state: { ...state, left: Math.max(0, state.left - 16) }, used: true }
    case 'sideways':
      return { state: { ...state, left: state.left + 16 }, used: true }
    case 'split':
      return { state: { ...state, split: !(state.split ?? scene.autoSplit), scroll: 0 }, used: true }
    default:
      return null
  }
}

/** Keys with a modifier belong to the app even while a field is open. */
function isChord(press: KeyPress): boolean {
  return /^(ctrl|alt|shift)\+/.test(press.name)
}

function clamp(index: number, count: number): number {
  return Math.max(0, Math.min(count - 1, index))
}

/** The rule that ⏎ would write in `always` mode. */
export function chosenRule(state: DialogState, request: PermissionRequest): RuleSuggestion | undefined {
  return request.suggestions[state.rule]
}
