/** The text being written: pure operations that never split a grapheme, with cut ring and undo. */

import { graphemeEnd, graphemeStart, snapForward, wordEnd, wordStart } from './boundaries.ts'
import { type Chips, chipAt, chipText, cleanText, foldPaste } from './paste.ts'

/** `caret` is an index into `text` and always stands between two graphemes. Pasted chips are one character of the text. */
export type Snapshot = { readonly text: string; readonly caret: number }

type Kind = 'start' | 'type' | 'erase' | 'cut' | 'yank' | 'move' | 'other'

export type Editor = Snapshot & {
  readonly chips: Chips
  readonly undo: readonly Snapshot[]
  readonly redo: readonly Snapshot[]
  /** What was cut, latest last. */
  readonly cuts: readonly string[]
  /** The cell column that up and down try to keep. */
  readonly goal: number | null
  readonly last: Kind
  /** Where the last yank stands, for yankOlder. */
  readonly yanked: { start: number; end: number; cut: number } | null
}

export type Motion = 'left' | 'right' | 'wordLeft' | 'wordRight' | 'lineStart' | 'lineEnd' | 'start' | 'end'
export type Reach = 'blankLeft' | 'wordLeft' | 'wordRight' | 'lineStart' | 'lineEnd'

export function createEditor(text = ''): Editor {
  const clean = cleanText(text)
  return {
    text: clean,
    caret: clean.length,
    chips: new Map(),
    undo: [],
    redo: [],
    cuts: [],
    goal: null,
    last: 'start',
    yanked: null,
  }
}

/** Inserts what was typed. Letters typed in a row are one step of undo, up to the next blank. */
export function typeText(editor: Editor, text: string): Editor {
  const clean = cleanText(text)
  if (clean === '') return editor
  const joins = editor.last === 'type' && !/^\s/.test(clean)
  return replace(editor, editor.caret, editor.caret, clean, 'type', joins)
}

/** Inserts a paste; a long one becomes a chip. */
export function pasteText(editor: Editor, text: string): Editor {
  const clean = cleanText(text)
  if (clean === '') return editor
  const folded = foldPaste(editor.chips, clean)
  return replace({ ...editor, chips: folded.chips }, editor.caret, editor.caret, folded.text, 'other', false)
}

/** Replaces everything; one step of undo. The caret goes to the end unless given. */
export function setText(editor: Editor, text: string, caret?: number): Editor {
  const clean = cleanText(text)
  const next = replace(editor, 0, editor.text.length, clean, 'other', false)
  return { ...next, caret: snapForward(clean, Math.min(caret ?? clean.length, clean.length)) }
}

/** Replaces a range with clean text, as completions do. */
export function replaceRange(editor: Editor, start: number, end: number, text: string): Editor {
  return replace(editor, start, end, cleanText(text), 'other', false)
}

export function move(editor: Editor, motion: Motion): Editor {
  return { ...editor, caret: target(editor, motion), goal: null, last: 'move', yanked: null }
}

/** Puts the caret at `caret`, keeping `goal` as the wanted column. */
export function moveTo(editor: Editor, caret: number, goal: number | null): Editor {
  return { ...editor, caret: snapForward(editor.text, caret), goal, last: 'move', yanked: null }
}

/** Deletes the grapheme before the caret. */
export function backspace(editor: Editor): Editor {
  const start = graphemeStart(editor.text, editor.caret)
  if (start === editor.caret) return editor
  return replace(editor, start, editor.caret, '', 'erase', editor.last === 'erase')
}

/** Deletes the grapheme after the caret. */
export function deleteForward(editor: Editor): Editor {
  const end = graphemeEnd(editor.text, editor.caret)
  if (end === editor.caret) return editor
  return replace(editor, editor.caret, end, '', 'erase', editor.last === 'erase')
}

/** Cuts into the ring; cuts in a row join into one piece. At a line's edge the line break itself is cut. */
export function cut(editor: Editor, reach: Reach): Editor {
  const { text, caret } = editor
  let to = reach === 'blankLeft' ? blankStart(text, caret) : target(editor, reach)
  if (to === caret && reach === 'lineEnd') to = graphemeEnd(text, caret)
  if (to === caret && reach === 'lineStart') to = graphemeStart(text, caret)
  if (to === caret) return editor
  const back = to < caret
  const piece = back ? text.slice(to, caret) : text.slice(caret, to)
  const joined = editor.last === 'cut'
  const before = editor.cuts.at(-1) ?? ''
  const cuts = joined
    ? [...editor.cuts.slice(0, -1), back ? piece + before : before + piece]
    : [...editor.cuts, piece].slice(-ringSize)
  return { ...replace(editor, Math.min(to, caret), Math.max(to, caret), '', 'cut', joined), cuts }
}

/** Inserts what was cut last. */
export function yank(editor: Editor): Editor {
  const index = editor.cuts.length - 1
  const piece = editor.cuts[index]
  if (piece === undefined) return editor
  return placeYank(editor, editor.caret, editor.caret, piece, index)
}

/** Right after a yank: puts the piece that was cut before it in its place. */
export function yankOlder(editor: Editor): Editor {
  const { yanked } = editor
  if (yanked === null || editor.last !== 'yank') return editor
  const index = (yanked.cut - 1 + editor.cuts.length) % editor.cuts.length
  return placeYank(editor, yanked.start, yanked.end, editor.cuts[index] ?? '', index)
}

export function undo(editor: Editor): Editor {
  const before = editor.undo.at(-1)
  if (before === undefined) return editor
  return {
    ...editor,
    ...before,
    undo: editor.undo.slice(0, -1),
    redo: [...editor.redo, { text: editor.text, caret: editor.caret }],
    goal: null,
    last: 'other',
    yanked: null,
  }
}

export function redo(editor: Editor): Editor {
  const after = editor.redo.at(-1)
  if (after === undefined) return editor
  return {
    ...editor,
    ...after,
    undo: [...editor.undo, { text: editor.text, caret: editor.caret }],
    redo: editor.redo.slice(0, -1),
    goal: null,
    last: 'other',
    yanked: null,
  }
}

/** Unfolds the chip next to the caret, or every chip when none is there. */
export function unfold(editor: Editor): Editor {
  const { text, caret, chips } = editor
  const before = graphemeStart(text, caret)
  const at = chipAt(chips, text, caret) !== null ? caret : chipAt(chips, text, before) !== null ? before : null
  if (at === null) {
    const whole = expand(editor)
    return whole === text ? editor : replace(editor, 0, text.length, whole, 'other', false)
  }
  const chip = chipAt(chips, text, at)
  return chip === null ? editor : replace(editor, at, at + chip.length, chip.text, 'other', false)
}

/** The text as it is sent: every chip is what was pasted. */
export function expand(editor: Pick<Editor, 'text' | 'chips'>): string {
  return chipText(editor.chips, editor.text)
}

function replace(editor: Editor, start: number, end: number, text: string, kind: Kind, joins: boolean): Editor {
  const next = editor.text.slice(0, start) + text + editor.text.slice(end)
  const undo = joins ? editor.undo : remember(editor.undo, { text: editor.text, caret: editor.caret })
  return {
    ...editor,
    text: next,
    // What was inserted may have joined with what follows, as a joiner between two emoji does.
    caret: snapForward(next, start + text.length),
    undo,
    redo: [],
    goal: null,
    last: kind,
    yanked: null,
  }
}

function remember(steps: readonly Snapshot[], step: Snapshot): readonly Snapshot[] {
  const depth = Math.max(5, Math.min(undoDepth, Math.floor(undoSize / (step.text.length + 1))))
  return [...steps, step].slice(-depth)
}

function placeYank(editor: Editor, start: number, end: number, piece: string, index: number): Editor {
  const next = replace(editor, start, end, piece, 'yank', editor.last === 'yank' && start !== end)
  return { ...next, yanked: { start, end: start + piece.length, cut: index } }
}

function target({ text, caret }: Snapshot, motion: Motion): number {
  switch (motion) {
    case 'left':
      return graphemeStart(text, caret)
    case 'right':
      return graphemeEnd(text, caret)
    case 'wordLeft':
      return wordStart(text, caret)
    case 'wordRight':
      return wordEnd(text, caret)
    case 'lineStart':
      return text.lastIndexOf('\n', caret - 1) + 1
    case 'lineEnd': {
      const end = text.indexOf('\n', caret)
      return end === -1 ? text.length : end
    }
    case 'start':
      return 0
    case 'end':
      return text.length
  }
}

/** Back over blanks and then over everything that is none, as shells do. */
function blankStart(text: string, caret: number): number {
  let at = caret
  while (at > 0 && /\s/.test(text.charAt(at - 1))) at--
  while (at > 0 && !/\s/.test(text.charAt(at - 1))) at--
  return at
}

const undoDepth = 500
/** Characters that undo may hold; a draft of megabytes has fewer steps. */
const undoSize = 8_000_000
const ringSize = 30
