/** What each key does to a draft. */
import { actionOf, type KeyPress } from '@sluice/permissions-ui'
import {
  backspace,
  createEditor,
  cut,
  deleteForward,
  type Editor,
  expand,
  type Motion,
  move,
  pasteText,
  type Reach,
  redo,
  replaceRange,
  setText,
  typeText,
  undo,
  unfold,
  yank,
  yankOlder,
} from './buffer.ts'
import type { Draft, DraftWorld } from './draft.ts'
import { down, entryOf, pressInSearch, up } from './draft-history.ts'
import { closeMenu, pressInMenu, updateMenu } from './draft-menu.ts'
import { chipAt } from './paste.ts'

/** Returns false when the key is not for the composer: the layers below see it. */
export function pressKey(draft: Draft, press: KeyPress, world: DraftWorld): boolean {
  if (draft.search !== null && pressInSearch(draft, draft.search, press, world) === true) return true
  if (draft.menu !== null && draft.menu.choices.length > 0) {
    const outcome = pressInMenu(draft, draft.menu, press, world)
    if (outcome === 'submit') submit(draft, world)
    if (outcome !== 'unused') return true
  }
  const before = draft.editor
  const used = pressInText(draft, press, world)
  if (draft.editor.text !== before.text || draft.editor.caret !== before.caret) updateMenu(draft, world)
  return used
}

export function pasteInto(draft: Draft, text: string, world: DraftWorld): void {
  if (draft.search !== null) {
    const words = text.replace(/\s+/g, ' ').slice(0, longestQuery)
    pressInSearch(draft, draft.search, { name: 'paste', text: words, time: 0 }, world)
    return
  }
  draft.walk = null
  draft.editor = pasteText(draft.editor, text)
  updateMenu(draft, world)
}

function pressInText(draft: Draft, press: KeyPress, world: DraftWorld): boolean {
  const { editor } = draft
  const action = actionOf(world.table, 'composer', press)
  const global = actionOf(world.table, 'global', press)
  if (action === undefined) {
    if (global === 'cancel') return clear(draft)
    if (global === 'help' && editor.text === '') return false
    if (press.text === '') return false
    draft.walk = null
    draft.editor = typeText(editor, press.text)
    return true
  }
  const motion = motions[action]
  if (motion !== undefined) {
    draft.editor = move(editor, motion)
    return true
  }
  const reach = reaches[action]
  if (reach !== undefined) return edit(draft, cut(editor, reach))
  switch (action) {
    case 'submit':
      submit(draft, world)
      return true
    case 'newline':
      return edit(draft, typeText(editor, '\n'))
    case 'backspace':
      return edit(draft, backspace(editor))
    case 'delete':
      // On an empty draft the key means the end of input.
      if (editor.text === '' && global === 'leave') return false
      return edit(draft, deleteForward(editor))
    case 'yank':
      return edit(draft, yank(editor))
    case 'yankOlder':
      return edit(draft, yankOlder(editor))
    case 'undo':
      return edit(draft, undo(editor))
    case 'redo':
      return edit(draft, redo(editor))
    case 'unfold':
      return edit(draft, unfold(editor))
    case 'complete':
      return complete(draft, world)
    case 'up':
      return up(draft, world)
    case 'down':
      return down(draft, world)
    case 'search':
      draft.search = { query: '', index: world.history.entries().length, failed: false, before: editor }
      closeMenu(draft)
      return true
    case 'editor':
      if (world.onEditor === undefined) return false
      world.onEditor(expand(editor))
      return true
    default:
      return false
  }
}

function edit(draft: Draft, next: Editor): true {
  if (next.text !== draft.editor.text) draft.walk = null
  draft.editor = next
  return true
}

/** Ctrl+C on a draft that is not empty; undo brings it back. */
function clear(draft: Draft): boolean {
  if (draft.editor.text === '') return false
  closeMenu(draft)
  return edit(draft, setText(draft.editor, ''))
}

function submit(draft: Draft, world: DraftWorld): void {
  const { editor } = draft
  if (editor.text.charAt(editor.caret - 1) === '\\' && world.table.composer?.newline !== undefined) {
    draft.editor = replaceRange(editor, editor.caret - 1, editor.caret, '\n')
    return
  }
  const text = expand(editor)
  if (text.trim() === '') return
  // First of all: an interrupt in the next moment must find the words again.
  world.history.commit(entryOf(editor))
  closeMenu(draft)
  draft.walk = null
  draft.scroll = 0
  draft.editor = { ...createEditor(), cuts: editor.cuts }
  world.onSubmit(text)
}

function complete(draft: Draft, world: DraftWorld): boolean {
  const { editor } = draft
  if (touchesChip(editor)) return edit(draft, unfold(editor))
  draft.closedAt = null
  updateMenu(draft, world)
  return draft.menu !== null
}

function touchesChip(editor: Editor): boolean {
  return (
    chipAt(editor.chips, editor.text, editor.caret) !== null ||
    chipAt(editor.chips, editor.text, editor.caret - 2) !== null
  )
}

const longestQuery = 200

const motions: Record<string, Motion> = {
  left: 'left',
  right: 'right',
  wordLeft: 'wordLeft',
  wordRight: 'wordRight',
  lineStart: 'lineStart',
  lineEnd: 'lineEnd',
  start: 'start',
  end: 'end',
}

const reaches: Record<string, Reach> = {
  killWordLeft: 'blankLeft',
  killPartLeft: 'wordLeft',
  killWordRight: 'wordRight',
  killLineStart: 'lineStart',
  killLineEnd: 'lineEnd',
}
