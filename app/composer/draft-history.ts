/** Older prompts in a draft: up and down walk through them, ctrl+r searches them. */
import { actionOf, type KeyPress } from '@sluice/permissions-ui'
import { createEditor, type Editor, expand, move, moveTo, pasteText, typeText } from './buffer.ts'
import { createDraft, type Draft, type DraftWorld, type HistorySearch } from './draft.ts'
import { closeMenu } from './draft-menu.ts'
import { findEntry, type HistoryEntry, walkNewer, walkOlder } from './history.ts'
import { indexAt, layOut } from './layout.ts'
import { chipCharacter } from './paste.ts'

/** A row up; from the first row to the next older prompt; on an empty draft to the words that wait. */
export function up(draft: Draft, world: DraftWorld): boolean {
  const { editor } = draft
  if (editor.text === '' && draft.walk === null) {
    const last = world.queue.at(-1)
    const text = last === undefined ? null : (world.onUnqueue?.(last.id) ?? null)
    if (text !== null) {
      draft.editor = pasteText(editor, text)
      return true
    }
  }
  if (draft.walk === null || editor.last === 'move') {
    const layout = layOut(editor, world.width)
    if (layout.caret.row > 0) {
      const goal = editor.goal ?? layout.caret.column
      draft.editor = moveTo(editor, indexAt(editor, layout, layout.caret.row - 1, goal, world.width), goal)
      return true
    }
  }
  const entries = world.history.entries()
  const before = draft.walk?.before ?? editor
  const next = walkOlder(entries, draft.walk?.prefix ?? editor.text, draft.walk?.index ?? entries.length, editor.text)
  if (next !== null) show(draft, entries[next.index], { ...next, before })
  else if (draft.walk === null) draft.editor = move(editor, 'start')
  return true
}

/** A row down; from the last row to the next newer prompt. */
export function down(draft: Draft, world: DraftWorld): boolean {
  const { editor } = draft
  if (draft.walk === null || editor.last === 'move') {
    const layout = layOut(editor, world.width)
    if (layout.caret.row < layout.rows.length - 1) {
      const goal = editor.goal ?? layout.caret.column
      draft.editor = moveTo(editor, indexAt(editor, layout, layout.caret.row + 1, goal, world.width), goal)
      return true
    }
  }
  if (draft.walk === null) {
    draft.editor = move(editor, 'end')
    return true
  }
  const entries = world.history.entries()
  const next = walkNewer(entries, draft.walk, editor.text)
  if (next !== null) show(draft, entries[next.index], { ...next, before: draft.walk.before })
  else {
    draft.editor = draft.walk.before
    draft.walk = null
  }
  return true
}

/** Null when the key ended the search and now means what it means in the text. */
export function pressInSearch(draft: Draft, search: HistorySearch, press: KeyPress, world: DraftWorld): true | null {
  const entries = world.history.entries()
  const find = (query: string, from: number, step: -1 | 1) => {
    const index = findEntry(entries, query, from, step)
    if (index === -1) {
      draft.search = { ...search, query, failed: query !== '' }
      return
    }
    const entry = entries[index]
    draft.search = { ...search, query, index, failed: false }
    if (entry === undefined) return
    const found = editorOf(entry, search.before)
    const at = entry.text.toLowerCase().indexOf(query.toLowerCase())
    draft.editor = moveTo(found, at === -1 ? found.text.length : at, null)
  }
  switch (actionOf(world.table, 'search', press)) {
    case 'older':
      if (search.query !== '') find(search.query, search.index, -1)
      return true
    case 'newer':
      if (search.query !== '') find(search.query, search.index, 1)
      return true
    case 'accept':
      draft.search = null
      draft.editor = move(draft.editor, 'end')
      return true
    case 'cancel':
      draft.editor = search.before
      draft.search = null
      return true
  }
  if (actionOf(world.table, 'composer', press) === 'backspace') {
    const query = [...search.query].slice(0, -1).join('')
    if (query === '') {
      draft.search = { ...search, query, index: entries.length, failed: false }
      draft.editor = search.before
    } else find(query, entries.length, -1)
    return true
  }
  if (press.text !== '') {
    find(search.query + press.text, Math.min(search.index + 1, entries.length), -1)
    return true
  }
  // Any other key takes the match and then does what it does.
  draft.search = null
  return null
}

/** The draft as it is kept: with what its chips stand for. */
export function entryOf(editor: Editor): HistoryEntry {
  const pastes: Record<string, string> = {}
  for (const [id, text] of editor.chips) if (editor.text.includes(chipCharacter(id))) pastes[id] = text
  return Object.keys(pastes).length === 0 ? { text: editor.text } : { text: editor.text, pastes }
}

/** A draft that goes on with what was kept of another one. */
export function draftFrom(entry: HistoryEntry): Draft {
  const draft = createDraft()
  return { ...draft, editor: editorOf(entry, draft.editor) }
}

/** The first draft with the words of the second behind its own. */
export function typeAhead(draft: Draft, typed: Draft): Draft {
  return { ...draft, editor: typeText(draft.editor, expand(typed.editor)) }
}

/** An entry as a draft of its own; cuts are kept, undo begins anew. */
function editorOf(entry: HistoryEntry, before: Editor): Editor {
  const chips = new Map(Object.entries(entry.pastes ?? {}).map(([id, text]) => [Number(id), text]))
  return { ...createEditor(), text: entry.text, caret: entry.text.length, chips, cuts: before.cuts }
}

function show(draft: Draft, entry: HistoryEntry | undefined, walk: Draft['walk']): void {
  if (entry === undefined) return
  closeMenu(draft)
  draft.editor = editorOf(entry, draft.editor)
  draft.walk = walk
}
