/** What the steps of a dialog share: its state, the scene it acts in, and the moves that every mode has. */
import type { Decision, PermissionRequest } from '@sluice/engine/protocol'
import type { LineState } from './choice/line-editor.ts'
import type { DialogAction } from './dialog-keys.ts'
import type { ReviewPlaces } from './dialogs/review.ts'
import type { KeyPress, KeyTable } from './keys.ts'
import { outcomeOf } from './review/outcome.ts'
import type { ReviewState } from './review/state.ts'
import type { TextArea } from './review/text-area.ts'

export type DialogControl = 'apply' | 'deny' | 'always'
export type AlwaysScope = 'session' | 'project' | 'user'
export const alwaysScopes: readonly AlwaysScope[] = ['session', 'project', 'user']

/**
 * `read` is where every dialog begins; `reason` edits the words of a denial; `always` chooses a rule; `comment` edits the
 * words below a line, `edit` the proposed text itself.
 * For a question `stop` is the focused answer: an option, then the free text, then the refusal; -1 is none.
 */
export type DialogState = {
  mode: 'read' | 'reason' | 'always' | 'comment' | 'edit'
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
  /** Null where there is nothing to select from. */
  review: ReviewState | null
  /** What the view follows until it is paged: the line of the cursor, or its whole hunk. */
  follow: 'line' | 'hunk' | null
  comment: LineState
  /** The text being edited, and the text that it was. */
  area: { area: TextArea; before: string; first: number } | null
  /** Esc was pressed in a changed text: once more drops it. */
  dropping: boolean
  /** The person's own command. */
  command: string | null
  /** Blanks are drawn. */
  blanks: boolean
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
  /** Where the places of the review stand. */
  places?: ReviewPlaces
  /** There is an editor to open. */
  hasEditor?: boolean
  /** Hunks may be split and shown with more of the file around: places need not be those of the change. */
  parts?: boolean
}

/** `used` false hands the key to the layers below. */
export type DialogStep = {
  state: DialogState
  used: boolean
  decision?: Decision
  fullScreen?: true
  leave?: true
  /** Open this text in the person's editor. */
  editor?: { text: string; name: string }
  /** The old text of this file is wanted, to show more of it. */
  file?: number
}

/** The buttons of a request, from left to right. */
export function controlsOf(request: PermissionRequest): DialogControl[] {
  return request.suggestions.length > 0 ? ['apply', 'deny', 'always'] : ['apply', 'deny']
}

/** The answers that a question offers. */
export function optionsOf(request: PermissionRequest): string[] {
  return request.question?.options ?? []
}

/** Whether the person is writing an answer of their own. */
export function onAnswerField(state: DialogState, request: PermissionRequest): boolean {
  return request.kind === 'ask' && state.stop === optionsOf(request).length
}

/** A yes to exactly what was shown, unless its end was not on the screen yet. */
export function allow(
  state: DialogState,
  scene: DialogScene,
  extra: Partial<Decision & { type: 'allow' }>,
): DialogStep {
  if (scene.mustSeeEnd && !state.endSeen) {
    return { state: { ...state, hint: 'Read it to the end first: there is more below.' }, used: true }
  }
  const amendment = state.command === null ? {} : { amendment: { editedCommand: state.command } }
  const decision: Decision = { type: 'allow', digest: scene.request.digest, ...amendment, ...extra }
  return { state: { ...state, decided: true }, used: true, decision }
}

/** A yes to what is selected; to nothing it is a no, in the words of the comments. */
export function allowSelected(
  state: DialogState,
  scene: DialogScene,
  extra: Partial<Decision & { type: 'allow' }>,
): DialogStep {
  if (state.review === null) return allow(state, scene, extra)
  const outcome = outcomeOf(state.review)
  if ('amendment' in outcome) {
    return allow(state, scene, { ...extra, ...(outcome.amendment === null ? {} : { amendment: outcome.amendment }) })
  }
  if (extra.rule !== undefined) {
    return { state: { ...state, mode: 'read', hint: 'Nothing is selected, so there is nothing to allow.' }, used: true }
  }
  return { state: { ...state, decided: true }, used: true, decision: refusal(outcome.refused) }
}

/** A no with the words that there are. */
export function refusal(...words: string[]): Decision {
  const message = words.filter((text) => text !== '').join('\n')
  return message === '' ? { type: 'deny' } : { type: 'deny', message }
}

/** What the keys mean in every mode that edits nothing. */
export function common(state: DialogState, action: DialogAction | undefined): DialogStep {
  if (action === 'leave') return { state, used: true, leave: true }
  if (action === 'fullscreen') return { state, used: true, fullScreen: true }
  return { state, used: false }
}

/** The step of a key that moves the body; null for any other key. */
export function scrollKey(state: DialogState, action: DialogAction | undefined, scene: DialogScene): DialogStep | null {
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
export function isChord(press: KeyPress): boolean {
  return /^(ctrl|alt|shift)\+/.test(press.name)
}
