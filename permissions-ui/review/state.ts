/** What a person decides about a change, hunk by hunk and line by line: a pure state that keys move and mark. */
import { commentWords, editHunks, hunkKey, proposedText } from '@sluice/engine/change'
import type { Amendment, DiffLine, FileDiff, Hunk, LineComment, PermissionRequest } from '@sluice/engine/protocol'

/** Where the cursor is; all count from 0, and `line` -1 is the head of the hunk. */
export type ReviewCursor = { file: number; hunk: number; line: number }
/** What is kept of a hunk: all of it, or the indices of its kept changed lines, rising. */
export type Kept = true | readonly number[]
/** `line` is the index in the hunk that it stands below; `number` and `snippet` were captured when it was written. */
export type ReviewComment = ReviewCursor & { number: number; snippet: string; text: string }

export type ReviewState = {
  /** As it was proposed. */
  proposed: readonly FileDiff[]
  /** As it is now, with what the person wrote. */
  diffs: readonly FileDiff[]
  cursor: ReviewCursor
  /** By file and hunk. */
  kept: readonly (readonly Kept[])[]
  comments: readonly ReviewComment[]
  /** By file: hunk → the person's text of its proposed side. */
  edits: readonly Readonly<Record<number, string>>[]
}

/** `hunk` and `hunks` count within the file of the cursor, from 1; the rest counts over all files. */
export type ReviewSummary = {
  file: number
  files: number
  hunk: number
  hunks: number
  all: number
  /** Hunks of which anything is kept. */
  kept: number
  /** Some hunk is kept in part only. */
  partial: boolean
}

/** Everything is selected at first. Null for requests that are no change in hunks. */
export function openReview(request: PermissionRequest): ReviewState | null {
  const diffs = request.blocks.flatMap((block) => (block.type === 'diff' ? [block.diff] : []))
  if (request.kind !== 'edit' || diffs.length === 0 || diffs.some((diff) => diff.hunks.length === 0)) return null
  return {
    proposed: diffs,
    diffs,
    cursor: { file: 0, hunk: 0, line: -1 },
    kept: diffs.map((diff) => diff.hunks.map(() => true as const)),
    comments: [],
    edits: diffs.map(() => ({})),
  }
}

export type ReviewMove = 'down' | 'up' | 'nextHunk' | 'previousHunk' | 'nextFile' | 'previousFile' | 'first' | 'last'

/** The cursor after a move; it stays at the ends. `previousHunk` inside a hunk goes to its head first. */
export function moved(state: ReviewState, move: ReviewMove): ReviewState {
  const { cursor } = state
  const to = (next: ReviewCursor | null): ReviewState => (next === null ? state : { ...state, cursor: next })
  const lines = hunkAt(state, cursor)?.lines.length ?? 0
  const next = besideHunk(state, cursor, 1)
  const before = besideHunk(state, cursor, -1)
  switch (move) {
    case 'down':
      return to(cursor.line + 1 < lines ? { ...cursor, line: cursor.line + 1 } : next)
    case 'up':
      if (cursor.line >= 0) return to({ ...cursor, line: cursor.line - 1 })
      return to(before && { ...before, line: (hunkAt(state, before)?.lines.length ?? 0) - 1 })
    case 'nextHunk':
      return to(next)
    case 'previousHunk':
      return to(cursor.line >= 0 ? { ...cursor, line: -1 } : before)
    case 'nextFile':
      return to(cursor.file + 1 < state.diffs.length ? { file: cursor.file + 1, hunk: 0, line: -1 } : null)
    case 'previousFile':
      return to({ file: Math.max(0, cursor.file - (cursor.hunk > 0 || cursor.line >= 0 ? 0 : 1)), hunk: 0, line: -1 })
    case 'first':
      return to({ file: 0, hunk: 0, line: -1 })
    case 'last': {
      const file = state.diffs.length - 1
      const hunk = (state.diffs[file]?.hunks.length ?? 1) - 1
      return to({ file, hunk, line: (state.diffs[file]?.hunks[hunk]?.lines.length ?? 0) - 1 })
    }
  }
}

/** On a changed line that line is put in or left out, anywhere else the whole hunk. */
export function toggled(state: ReviewState): ReviewState {
  const { file, hunk, line } = state.cursor
  const body = hunkAt(state, state.cursor)
  const kept = state.kept[file]?.[hunk]
  if (body === undefined || kept === undefined) return state
  const changed = changedLines(body)
  if (!changed.includes(line)) return withKept(state, file, hunk, keptMark(body, kept) === 'all' ? [] : true)
  const lines = kept === true ? changed : kept
  const next = lines.includes(line) ? lines.filter((index) => index !== line) : [...lines, line].sort((a, b) => a - b)
  return withKept(state, file, hunk, next.length === changed.length ? true : next)
}

/** Everything, or nothing where everything is selected already. */
export function toggledAll(state: ReviewState): ReviewState {
  const { all, kept, partial } = summaryOf(state)
  const value: Kept = kept === all && !partial ? [] : true
  return { ...state, kept: state.kept.map((hunks) => hunks.map(() => value)) }
}

export function keptMark(hunk: Hunk, kept: Kept): 'all' | 'some' | 'none' {
  if (kept === true) return hunk.lines.some(isChanged) ? 'all' : 'none'
  return kept.length === 0 ? 'none' : 'some'
}

/** The words of the comment under the cursor; '' where there is none. */
export function commentAt(state: ReviewState): string {
  const at = commentPlace(state)
  return state.comments.find((comment) => samePlace(comment, at))?.text ?? ''
}

/** The number in the file of the line that a comment made now would be about. */
export function commentLine(state: ReviewState): number {
  return numberOf(lineAt(state, commentPlace(state)))
}

/** Puts a comment below the line of the cursor, or below the first new line of its hunk; '' takes it away. */
export function commented(state: ReviewState, text: string): ReviewState {
  const at = commentPlace(state)
  const line = lineAt(state, at)
  const others = state.comments.filter((comment) => !samePlace(comment, at))
  if (text.trim() === '' || line === undefined) return { ...state, comments: others }
  // The cursor goes there, so that both are in sight.
  const comment = { ...at, number: numberOf(line), snippet: line.text.replace(/\r$/, ''), text: text.trim() }
  return { ...state, cursor: at, comments: [...others, comment].sort(inOrder) }
}

/** What the hunk under the cursor proposes, for an editor, and the line of it that the cursor is nearest to. */
export function editable(state: ReviewState): { text: string; name: string; row: number; first: number } | null {
  const hunk = hunkAt(state, state.cursor)
  if (hunk === undefined) return null
  const until = state.cursor.line < 0 ? firstChanged(hunk) : state.cursor.line
  const row = hunk.lines.slice(0, until).filter((line) => line.kind !== 'del').length
  return {
    text: proposedText(hunk),
    name: state.diffs[state.cursor.file]?.path.split('/').at(-1) ?? 'hunk',
    row,
    first: Math.max(1, hunk.newStart),
  }
}

/** The hunk under the cursor with the person's text as its proposed side, compared anew and selected as a whole. */
export function edited(state: ReviewState, text: string): ReviewState {
  const { file, hunk } = state.cursor
  const proposed = state.proposed[file]
  const before = hunkAt(state, state.cursor)
  if (proposed === undefined || before === undefined || text === proposedText(before)) return state
  const edits = { ...state.edits[file], [hunk]: text }
  const original = proposed.hunks[hunk]
  if (original !== undefined && text === proposedText(original)) delete edits[hunk]
  const hunks = editHunks(proposed.hunks, edits)
  const count = (kind: DiffLine['kind']) =>
    hunks.reduce((sum, body) => sum + body.lines.filter((line) => line.kind === kind).length, 0)
  const diff: FileDiff = { ...proposed, hunks, additions: count('add'), deletions: count('del') }
  const body = hunks[hunk]
  const comments = state.comments.map((comment) =>
    comment.file === file && comment.hunk === hunk && body ? { ...comment, line: anchored(comment, body) } : comment,
  )
  const next: ReviewState = {
    ...state,
    diffs: state.diffs.map((old, i) => (i === file ? diff : old)),
    edits: state.edits.map((old, i) => (i === file ? edits : old)),
    comments: comments.sort(inOrder),
    cursor: { file, hunk, line: -1 },
  }
  return withKept(next, file, hunk, true)
}

export function isEdited(state: ReviewState, file: number, hunk: number): boolean {
  return state.edits[file]?.[hunk] !== undefined
}

export function summaryOf(state: ReviewState): ReviewSummary {
  const { cursor, diffs } = state
  let all = 0
  let kept = 0
  let partial = false
  for (const [file, diff] of diffs.entries()) {
    for (const [hunk, body] of diff.hunks.entries()) {
      const mark = keptMark(body, state.kept[file]?.[hunk] ?? [])
      all++
      if (mark !== 'none') kept++
      if (mark === 'some') partial = true
    }
  }
  return {
    file: cursor.file + 1,
    files: diffs.length,
    hunk: cursor.hunk + 1,
    hunks: diffs[cursor.file]?.hunks.length ?? 0,
    all,
    kept,
    partial,
  }
}

/** What a yes means now: the amendment that goes with it (null: none), or `refused` with the comments as words. */
export function outcomeOf(state: ReviewState): { amendment: Amendment | null } | { refused: string } {
  const { all, kept, partial } = summaryOf(state)
  if (kept === 0) return { refused: reviewWords(state) }
  const amendment: Amendment = {}
  if (kept < all || partial) {
    const selection: NonNullable<Amendment['selection']> = {}
    for (const [file, diff] of state.diffs.entries()) {
      const hunks = state.kept[file] ?? []
      if (hunks.every((part) => part === true)) continue
      const parts: [number, true | number[]][] = []
      for (const [hunk, part] of hunks.entries()) {
        if (part === true) parts.push([hunk, true])
        else if (part.length > 0) parts.push([hunk, [...part]])
      }
      selection[diff.path] = Object.fromEntries(parts)
    }
    if (Object.keys(selection).length > 0) amendment.selection = selection
  }
  const texts = state.diffs.flatMap((diff, file) =>
    Object.entries(state.edits[file] ?? {}).map(([hunk, text]) => [hunkKey(diff.path, Number(hunk)), text] as const),
  )
  if (texts.length > 0) amendment.editedText = Object.fromEntries(texts)
  if (state.comments.length > 0) amendment.comments = lineComments(state)
  return { amendment: Object.keys(amendment).length === 0 ? null : amendment }
}

/** The comments as words for the model; '' when there are none. */
export function reviewWords(state: ReviewState): string {
  return commentWords(lineComments(state))
}

function lineComments(state: ReviewState): LineComment[] {
  return state.comments.map(({ file, hunk, number, snippet, text }) => ({
    path: state.diffs[file]?.path ?? '',
    hunk,
    line: number,
    snippet,
    text,
  }))
}

function withKept(state: ReviewState, file: number, hunk: number, value: Kept): ReviewState {
  const kept = state.kept.map((hunks, i) => (i === file ? hunks.map((old, k) => (k === hunk ? value : old)) : hunks))
  return { ...state, kept }
}

function besideHunk({ diffs }: ReviewState, { file, hunk }: ReviewCursor, by: 1 | -1): ReviewCursor | null {
  if (diffs[file]?.hunks[hunk + by] !== undefined) return { file, hunk: hunk + by, line: -1 }
  const other = diffs[file + by]
  return other === undefined ? null : { file: file + by, hunk: by > 0 ? 0 : other.hunks.length - 1, line: -1 }
}

function hunkAt({ diffs }: ReviewState, { file, hunk }: ReviewCursor): Hunk | undefined {
  return diffs[file]?.hunks[hunk]
}

function lineAt(state: ReviewState, at: ReviewCursor): DiffLine | undefined {
  return hunkAt(state, at)?.lines[at.line]
}

function commentPlace(state: ReviewState): ReviewCursor {
  const { cursor } = state
  const hunk = hunkAt(state, cursor)
  return cursor.line >= 0 || hunk === undefined ? cursor : { ...cursor, line: firstChanged(hunk) }
}

/** A comment stays with its line where that is still there. */
function anchored(comment: ReviewComment, hunk: Hunk): number {
  const same = hunk.lines.findIndex((line) => line.text.replace(/\r$/, '') === comment.snippet)
  return same >= 0 ? same : Math.max(0, Math.min(comment.line, hunk.lines.length - 1))
}

function changedLines(hunk: Hunk): number[] {
  return hunk.lines.flatMap((line, index) => (isChanged(line) ? [index] : []))
}

/** The first line that is new, or else the first that goes: that is what one has something to say about. */
function firstChanged(hunk: Hunk): number {
  const added = hunk.lines.findIndex((line) => line.kind === 'add')
  return added >= 0 ? added : Math.max(0, hunk.lines.findIndex(isChanged))
}

function isChanged(line: DiffLine): boolean {
  return line.kind !== 'context'
}

function numberOf(line: DiffLine | undefined): number {
  return line?.newLine ?? line?.oldLine ?? 0
}

function samePlace(a: ReviewCursor, b: ReviewCursor): boolean {
  return a.file === b.file && a.hunk === b.hunk && a.line === b.line
}

function inOrder(a: ReviewCursor, b: ReviewCursor): number {
  return a.file - b.file || a.hunk - b.hunk || a.line - b.line
}
