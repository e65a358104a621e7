/** What a person writes in a review: comments on lines, and the proposed text anew. */
import { editHunks, proposedText } from '@sluice/engine/change'
import type { DiffLine, FileDiff, Hunk } from '@sluice/engine/protocol'
import type { HunkPart } from './layout.ts'
import { firstChanged, hunkAt, inOrder, lineAt, marked, ownLines, shown } from './places.ts'
import type { Kept, ReviewComment, ReviewCursor, ReviewState } from './state.ts'

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
  if (text.trim() === '' || line === undefined) return marked(state, { ...state, comments: others })
  // The cursor goes there, so that both are in sight.
  const comment = { ...at, number: numberOf(line), snippet: line.text.replace(/\r$/, ''), text: text.trim() }
  return marked(state, { ...state, cursor: at, range: null, comments: [...others, comment].sort(inOrder) })
}

/**
 * What the hunk under the cursor proposes, for an editor, and the line of it that the cursor is nearest to. Null where it
 * is one of several parts and something of the others is left out: written anew they are one again, and selected.
 */
export function editable(state: ReviewState): { text: string; name: string; row: number; first: number } | null {
  const { file, hunk, line } = state.cursor
  const part = state.parts[file]?.[hunk]
  const body = hunkAt(state, state.cursor)
  if (body === undefined || part === undefined || !othersKept(state, file, hunk)) return null
  const until = line < 0 ? firstChanged(body) : Math.min(line, body.lines.length - part.below)
  const row = body.lines.slice(part.above, until).filter((each) => each.kind !== 'del').length
  return {
    text: proposedText(ownLines(body, part)),
    name: state.diffs[file]?.path.split('/').at(-1) ?? 'hunk',
    row,
    first: Math.max(1, body.newStart + part.above),
  }
}

/** The hunk under the cursor with the person's text as its proposed side, compared anew and selected as a whole. */
export function edited(state: ReviewState, text: string): ReviewState {
  const { file, hunk: at } = state.cursor
  const part = state.parts[file]?.[at]
  const proposed = state.proposed[file]
  const before = hunkAt(state, state.cursor)
  if (part === undefined || proposed === undefined || before === undefined) return state
  if (text === proposedText(ownLines(before, part))) return state
  const { hunk } = part
  const whole = wholeText(state, file, at, text)
  const edits = { ...state.edits[file], [hunk]: whole }
  const original = proposed.hunks[hunk]
  if (original !== undefined && whole === proposedText(original)) delete edits[hunk]
  const hunks = editHunks(proposed.hunks, edits)
  const count = (kind: DiffLine['kind']) =>
    hunks.reduce((sum, body) => sum + body.lines.filter((line) => line.kind === kind).length, 0)
  const diff: FileDiff = { ...proposed, hunks, additions: count('add'), deletions: count('del') }
  const all = state.parts[file] ?? []
  const first = all.findIndex((one) => one.hunk === hunk)
  const size = all.filter((one) => one.hunk === hunk).length
  const body = hunks[hunk]
  const one: HunkPart = { hunk, from: 0, to: body?.lines.length ?? 0, above: 0, below: 0 }
  const joined = <T>(list: readonly T[], item: T) => [...list.slice(0, first), item, ...list.slice(first + size)]
  const comments = state.comments.map((comment) => {
    if (comment.file !== file || comment.hunk < first) return comment
    if (comment.hunk >= first + size) return { ...comment, hunk: comment.hunk - size + 1 }
    return { ...comment, hunk: first, line: body ? anchored(comment, body) : 0 }
  })
  return marked(
    state,
    shown({
      ...state,
      changed: state.changed.map((old, i) => (i === file ? diff : old)),
      parts: state.parts.map((old, i) => (i === file ? joined(old, one) : old)),
      kept: state.kept.map((old, i) => (i === file ? joined<Kept>(old, true) : old)),
      edits: state.edits.map((old, i) => (i === file ? edits : old)),
      comments: comments.sort(inOrder),
      cursor: { file, hunk: first, line: -1 },
      range: null,
    }),
  )
}

function othersKept(state: ReviewState, file: number, at: number): boolean {
  const hunk = state.parts[file]?.[at]?.hunk
  return (state.parts[file] ?? []).every((part, i) => part.hunk !== hunk || i === at || state.kept[file]?.[i] === true)
}

/** The proposed side of a whole hunk, with the person's text in place of one of its parts. */
function wholeText(state: ReviewState, file: number, at: number, text: string): string {
  const hunk = state.parts[file]?.[at]?.hunk
  const texts = (state.parts[file] ?? []).flatMap((part, i) => {
    if (part.hunk !== hunk) return []
    const body = ownLines(state.diffs[file]?.hunks[i] as Hunk, part)
    // A part of which nothing is left is no line at all.
    if (i === at) return text === '' ? [] : [text]
    return body.lines.some((line) => line.kind !== 'del') ? [proposedText(body)] : []
  })
  return texts.join('\n')
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

function numberOf(line: DiffLine | undefined): number {
  return line?.newLine ?? line?.oldLine ?? 0
}

function samePlace(a: ReviewCursor, b: ReviewCursor): boolean {
  return a.file === b.file && a.hunk === b.hunk && a.line === b.line
}
