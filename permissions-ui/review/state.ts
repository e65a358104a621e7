/** What a person decides about a change, hunk by hunk and line by line: a pure state that keys move and mark. */
import type { DiffLine, FileDiff, Hunk, PermissionRequest } from '@sluice/engine/protocol'
import { type HunkPart, wholeParts } from './layout.ts'
import { firstAtLeast, hunkAt, inOrder, isChanged } from './places.ts'

/** Where the cursor is; all count from 0, and `line` -1 is the head of the hunk. */
export type ReviewCursor = { file: number; hunk: number; line: number }

/** What is kept of a hunk: all of it, or the indices of its kept changed lines, rising. */
export type Kept = true | readonly number[]

/** `line` is the index in the hunk that it stands below; `number` and `snippet` were captured when it was written. */
export type ReviewComment = ReviewCursor & { number: number; snippet: string; text: string }

export type ReviewState = {
  /** As it was proposed. A file without hunks (an empty one) has one that stands for it. */
  proposed: readonly FileDiff[]
  /** As it is now, with what the person wrote; hunk by hunk the proposed one. */
  changed: readonly FileDiff[]
  /** As it is shown: the same in parts, with more of the file around. All places count in it. */
  diffs: readonly FileDiff[]
  /** By file: what the shown hunks are of the changed ones. */
  parts: readonly (readonly HunkPart[])[]
  /** By file: the lines of the old text, where they were asked for. */
  texts: readonly (readonly DiffLine[])[]
  cursor: ReviewCursor
  /** The other end of a range of lines; it ends with the next plain move where `loose`. */
  range: (ReviewCursor & { loose: boolean }) | null
  /** By file and shown hunk. */
  kept: readonly (readonly Kept[])[]
  comments: readonly ReviewComment[]
  /** By file: hunk → the person's text of its proposed side. */
  edits: readonly Readonly<Record<number, string>>[]
  /** Before the last mark. */
  past: ReviewState | null
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

/** Everything is selected at first. Null for requests that are no change. */
export function openReview(request: PermissionRequest): ReviewState | null {
  const blocks = request.blocks.flatMap((block) => (block.type === 'diff' ? [block.diff] : []))
  if (request.kind !== 'edit' || blocks.length === 0) return null
  const diffs = blocks.map((diff) => (diff.hunks.length > 0 ? diff : { ...diff, hunks: [noLines] }))
  return {
    proposed: diffs,
    changed: diffs,
    diffs,
    parts: diffs.map(wholeParts),
    texts: diffs.map(() => []),
    cursor: { file: 0, hunk: 0, line: -1 },
    range: null,
    kept: diffs.map((diff) => diff.hunks.map(() => true as const)),
    comments: [],
    edits: diffs.map(() => ({})),
    past: null,
  }
}

/** What stands for a file that changes without lines. */
const noLines: Hunk = { oldStart: 0, oldLines: 0, newStart: 0, newLines: 0, lines: [] }

export type ReviewMove = 'down' | 'up' | 'nextHunk' | 'previousHunk' | 'nextFile' | 'previousFile' | 'first' | 'last'

/** The cursor after a move; it stays at the ends. `previousHunk` inside a hunk goes to its head first. */
export function moved(given: ReviewState, move: ReviewMove): ReviewState {
  const state = given.range?.loose ? { ...given, range: null } : given
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

/** A move that takes the lines it passes into the range. */
export function extended(state: ReviewState, move: 'up' | 'down'): ReviewState {
  const range = state.range ?? { ...state.cursor, loose: true }
  return { ...moved({ ...state, range: null }, move), range }
}

/** Begins a range at the cursor, or ends it. */
export function ranged(state: ReviewState): ReviewState {
  return { ...state, range: state.range === null ? { ...state.cursor, loose: false } : null }
}

/** From where to where the range goes, in the order of the change; null without one. */
export function rangeOf({ range, cursor }: ReviewState): { from: ReviewCursor; to: ReviewCursor } | null {
  if (range === null) return null
  return inOrder(range, cursor) <= 0 ? { from: range, to: cursor } : { from: cursor, to: range }
}

export function inRange(span: { from: ReviewCursor; to: ReviewCursor } | null, at: ReviewCursor): boolean {
  return span !== null && inOrder(span.from, at) <= 0 && inOrder(at, span.to) <= 0
}

/** Before the last mark, comment, edit or cut; the same state when there is none. */
export function undone(state: ReviewState): ReviewState {
  return state.past === null ? state : { ...state.past, texts: state.texts }
}

export function keptMark(hunk: Hunk, kept: Kept): 'all' | 'some' | 'none' {
  if (kept === true) return hunk.lines.length === 0 || hunk.lines.some(isChanged) ? 'all' : 'none'
  return kept.length === 0 ? 'none' : 'some'
}

/** Whether a line is among those that are kept. */
export function isKept(kept: Kept, line: number): boolean {
  return kept === true || kept[firstAtLeast(kept, line)] === line
}

/** Whether the person wrote anything in a shown hunk. */
export function isEdited(state: ReviewState, file: number, hunk: number): boolean {
  return state.edits[file]?.[state.parts[file]?.[hunk]?.hunk ?? hunk] !== undefined
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

function besideHunk({ diffs }: ReviewState, { file, hunk }: ReviewCursor, by: 1 | -1): ReviewCursor | null {
  if (diffs[file]?.hunks[hunk + by] !== undefined) return { file, hunk: hunk + by, line: -1 }
  const other = diffs[file + by]
  return other === undefined ? null : { file: file + by, hunk: by > 0 ? 0 : other.hunks.length - 1, line: -1 }
}
