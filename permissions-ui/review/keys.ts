/** The keys of a review: moving, selecting, commenting and editing. */
import type { PermissionRequest } from '@sluice/engine/protocol'
import { editLine, emptyLine, insertText } from '../choice/line-editor.ts'
import type { DialogAction } from '../dialog-keys.ts'
import { type DialogScene, type DialogState, type DialogStep, isChord } from '../dialog-steps.ts'
import type { KeyPress } from '../keys.ts'
import { commentAt, commented, editable, edited } from './edit.ts'
import { textLines } from './layout.ts'
import { split, wider, withText } from './parts.ts'
import { toggled, toggledAll } from './select.ts'
import { extended, moved, type ReviewMove, type ReviewState, ranged, undone } from './state.ts'
import { areaText, editArea, insertArea, openArea } from './text-area.ts'

const moves: Partial<Record<DialogAction, { move: ReviewMove; follow: 'line' | 'hunk' }>> = {
  down: { move: 'down', follow: 'line' },
  up: { move: 'up', follow: 'line' },
  nextHunk: { move: 'nextHunk', follow: 'hunk' },
  previousHunk: { move: 'previousHunk', follow: 'hunk' },
  nextFile: { move: 'nextFile', follow: 'hunk' },
  previousFile: { move: 'previousFile', follow: 'hunk' },
  top: { move: 'first', follow: 'hunk' },
  bottom: { move: 'last', follow: 'line' },
}

/** The step of a key that belongs to reviewing, or to editing a command; null for any other key. */
export function reviewKey(
  state: DialogState,
  action: DialogAction | undefined,
  press: KeyPress,
  scene: DialogScene,
): DialogStep | null {
  if (action === 'edit' || action === 'editor') return openEdit(state, action, press, scene)
  const { review } = state
  if (review === null || action === undefined) return null
  const move = moves[action]
  if (move) return { state: { ...state, review: moved(review, move.move), follow: move.follow }, used: true }
  if (press.repeat && marking.has(action)) return { state, used: true }
  switch (action) {
    case 'pageUp':
    case 'pageDown':
      return paged(state, action === 'pageUp' ? -1 : 1, scene)
    case 'toggle':
      return { state: { ...state, review: toggled(review), follow: 'line' }, used: true }
    case 'selectAll':
      return { state: { ...state, review: toggledAll(review) }, used: true }
    case 'range':
      return { state: { ...state, review: ranged(review) }, used: true }
    case 'extendUp':
    case 'extendDown': {
      const next = extended(review, action === 'extendUp' ? 'up' : 'down')
      return { state: { ...state, review: next, follow: 'line' }, used: true }
    }
    case 'leave':
      // Esc first ends the range, then leaves the question.
      return review.range === null ? null : { state: { ...state, review: { ...review, range: null } }, used: true }
    case 'undo': {
      if (review.past === null) return { state: { ...state, hint: 'There is nothing to undo.' }, used: true }
      return { state: { ...state, review: undone(review), follow: 'line' }, used: true }
    }
    case 'hunkParts': {
      if (!scene.parts) return null
      const cut = split(review)
      const hint = 'It cannot be split here. Put the cursor on the line that the next part begins with.'
      return { state: cut ? { ...state, review: cut, follow: 'line' } : { ...state, hint }, used: true }
    }
    case 'wider':
      return scene.parts ? widerStep(state, review) : null
    case 'comment': {
      const text = commentAt(review)
      const follow = state.follow ?? 'line'
      return { state: { ...state, mode: 'comment', comment: insertText(emptyLine, text), follow }, used: true }
    }
    case 'whitespace':
      return { state: { ...state, blanks: !state.blanks }, used: true }
    default:
      return null
  }
}

export function commentKey(state: DialogState, press: KeyPress): DialogStep {
  if (press.name === 'escape') return { state: { ...state, mode: 'read' }, used: true }
  if (press.name === 'return') {
    if (press.repeat || state.review === null) return { state, used: true }
    const review = commented(state.review, state.comment.text)
    return { state: { ...state, mode: 'read', review, follow: 'line' }, used: true }
  }
  const comment = editLine(state.comment, press)
  return { state: comment ? { ...state, comment } : state, used: comment !== null || !isChord(press) }
}

export function areaKey(state: DialogState, press: KeyPress, scene: DialogScene): DialogStep {
  if (state.area === null) return { state: { ...state, mode: 'read' }, used: true }
  const { area, before } = state.area
  if (scene.table.dialog?.keep?.keys.includes(press.name)) {
    return keepText({ ...state, dropping: false }, areaText(area), scene.request)
  }
  if (press.name === 'escape') {
    if (areaText(area) === before || state.dropping) return { state: leaveArea(state), used: true }
    const hint = 'Esc again drops what you wrote here.'
    return { state: { ...state, dropping: true, hint }, used: true }
  }
  const next = editArea(area, press, Math.max(1, scene.height - 1))
  if (next === null) return { state: { ...state, dropping: false }, used: !isChord(press) }
  return { state: { ...state, dropping: false, area: { ...state.area, area: next } }, used: true }
}

export function areaPaste(state: DialogState, text: string): DialogStep {
  if (state.area === null) return { state, used: false }
  return { state: { ...state, area: { ...state.area, area: insertArea(state.area.area, text) } }, used: true }
}

/** The state after the person gave a text for the hunk under the cursor, or for the command. */
export function keepText(state: DialogState, text: string, request: PermissionRequest): DialogStep {
  const { review } = state
  if (review !== null) {
    return { state: { ...leaveArea(state), review: edited(review, text), follow: 'hunk' }, used: true }
  }
  if (text.trim() === '') {
    return { state: { ...state, hint: 'A command cannot be empty. Esc drops what you wrote.' }, used: true }
  }
  const proposed = request.blocks.some((block) => block.type === 'command' && block.command === text)
  const command = proposed ? null : text
  // Whoever wrote it has it before their eyes, but not always its end.
  return { state: { ...leaveArea(state), command, endSeen: false, scroll: 0 }, used: true }
}

/** Keys that would undo themselves while they are held. */
const marking: ReadonlySet<DialogAction> = new Set<DialogAction>([
  'toggle',
  'selectAll',
  'comment',
  'whitespace',
  'range',
  'hunkParts',
])

/** More of the file around the hunk; its old text is fetched first. */
function widerStep(state: DialogState, review: ReviewState): DialogStep {
  const { file } = review.cursor
  const diff = review.diffs[file]
  if (diff === undefined || diff.change === 'create') {
    return { state: { ...state, hint: 'There is nothing around it: the file is new.' }, used: true }
  }
  if (review.texts[file]?.length === 0) return { state, used: true, file }
  const next = wider(review)
  const hint = 'There are no more lines around this hunk.'
  return { state: next ? { ...state, review: next, follow: 'line' } : { ...state, hint }, used: true }
}

/** The old text of a file has come (null: it is not the one that the change was made for); more of it is shown. */
export function keepFile(state: DialogState, file: number, text: string | null): DialogStep {
  const { review } = state
  if (review === null) return { state, used: true }
  if (text === null) {
    return { state: { ...state, hint: 'The file has changed since: its lines cannot be shown here.' }, used: true }
  }
  const known = withText(review, file, textLines(text))
  return text === ''
    ? { state: { ...state, review: known }, used: true }
    : widerStep({ ...state, review: known }, known)
}

function openEdit(
  state: DialogState,
  action: 'edit' | 'editor',
  press: KeyPress,
  { request, hasEditor }: DialogScene,
): DialogStep | null {
  const command = request.blocks.find((block) => block.type === 'command')
  const source =
    state.review !== null
      ? editable(state.review)
      : request.kind === 'execute' && command?.type === 'command'
        ? { text: state.command ?? command.command, name: 'command.sh', row: 0, first: 1 }
        : null
  if (source === null) {
    if (state.review === null) return null
    const hint = 'Select the other parts of this hunk first: written anew, they are one again.'
    return { state: { ...state, hint }, used: true }
  }
  if (press.repeat) return { state, used: true }
  if (action === 'editor') {
    if (!hasEditor) return { state: { ...state, hint: 'There is no editor to open here.' }, used: true }
    return { state, used: true, editor: { text: source.text, name: source.name } }
  }
  const area = { area: openArea(source.text, source.row), before: source.text, first: source.first }
  return { state: { ...state, mode: 'edit', area, dropping: false, scroll: 0 }, used: true }
}

/** Back to the change, with what was being edited in sight. */
function leaveArea(state: DialogState): DialogState {
  return { ...state, mode: 'read', area: null, dropping: false, hint: null, follow: 'hunk' }
}

/** Turns a page; the cursor comes along into what is in sight. */
function paged(state: DialogState, by: 1 | -1, scene: DialogScene): DialogStep {
  const page = Math.max(1, scene.height - 1)
  const most = Math.max(0, scene.rows - scene.height)
  const scroll = Math.max(0, Math.min(most, state.scroll + by * page))
  const { review } = state
  const { places } = scene
  const stay: DialogStep = { state: { ...state, scroll, follow: null }, used: true }
  if (review === null || places === undefined) return stay
  if (scroll === state.scroll) {
    return { state: { ...state, review: moved(review, by > 0 ? 'last' : 'first'), follow: 'line' }, used: true }
  }
  const end = scroll + scene.height - 1
  const target = Math.max(scroll, Math.min(end, places.row(review.cursor)))
  for (let away = 0; away < scene.height; away++) {
    for (const row of [target + away, target - away]) {
      const cursor = row < scroll || row > end ? null : places.under(row)
      if (cursor) return { state: { ...stay.state, review: { ...review, cursor } }, used: true }
    }
  }
  return stay
}
