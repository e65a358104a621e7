/** A draft with all that is going on around it, and what it may ask of the world; no React, so that keys can follow each other at once. */
import type { KeyTable } from '@sluice/permissions-ui'
import { createEditor, type Editor, move, replaceRange, setText } from './buffer.ts'
import type { Choice, CommandChoice, CompletionToken } from './completion.ts'
import type { History, Walk } from './history.ts'

export type CompletionMenu = { token: CompletionToken; choices: readonly Choice[]; selected: number; loading: boolean }
export type HistorySearch = { query: string; index: number; failed: boolean; before: Editor }

/** The Screen keeps one per session, so that a draft outlives every dialog and every switch. */
export type Draft = {
  editor: Editor
  menu: CompletionMenu | null
  search: HistorySearch | null
  /** Walking through older prompts; `before` is the draft it began with. */
  walk: (Walk & { before: Editor }) | null
  /** Where the list was closed by hand; it stays closed while this token is being written. */
  closedAt: number | null
  /** First visible row. */
  scroll: number
  /** Stops the running file completion. */
  loading: AbortController | null
}

export function createDraft(text = ''): Draft {
  return { editor: createEditor(text), menu: null, search: null, walk: null, closedAt: null, scroll: 0, loading: null }
}

export type QueuedText = { id: string; text: string }

export type DraftWorld = {
  table: KeyTable
  /** Cells for the text. */
  width: number
  history: History
  commands: readonly CommandChoice[]
  completeFiles?: (query: string, signal: AbortSignal) => Promise<string[]>
  queue: readonly QueuedText[]
  /** Takes queued words back; null when they have gone already. */
  onUnqueue?: (id: string) => string | null
  onSubmit(text: string): void
  /** Opens the text in the person's editor. */
  onEditor?: (text: string) => void
  /** Something changed outside of a key press: paint again. */
  repaint(): void
}

export function isEmpty(draft: Draft): boolean {
  return draft.editor.text === ''
}

/**
 * What keys mean in the draft now: `menu` while the list of completions is open, `search` while older prompts are searched;
 * `command` and `shell` are texts that are run instead of sent, as `/name` and `!command`.
 */
export type DraftMode = 'empty' | 'text' | 'command' | 'shell' | 'menu' | 'search'

export function modeOf(draft: Draft): DraftMode {
  if (draft.search !== null) return 'search'
  if (draft.menu !== null && draft.menu.choices.length > 0) return 'menu'
  const { text } = draft.editor
  if (text === '') return 'empty'
  if (text.startsWith('!')) return 'shell'
  return text.trimEnd() === '/' || /^\/[A-Za-z][\w:-]*(?:\s|$)/.test(text) ? 'command' : 'text'
}

/** Replaces the text, as the person's editor does; one step of undo. */
export function replaceDraft(draft: Draft, text: string): void {
  beginAnew(draft)
  draft.editor = setText(draft.editor, text)
}

/** Puts a text before what is written, which stays behind it with what was pasted there; one step of undo. */
export function putBefore(draft: Draft, text: string): void {
  beginAnew(draft)
  const { editor } = draft
  draft.editor =
    editor.text.trim() === '' ? setText(editor, text) : move(replaceRange(editor, 0, 0, `${text}\n`), 'end')
}

function beginAnew(draft: Draft): void {
  draft.walk = null
  draft.loading?.abort()
  draft.loading = null
  draft.menu = null
  draft.search = null
}
