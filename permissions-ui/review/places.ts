/** The places of a review and what is kept at them: what its steps share. */
import type { DiffLine, Hunk } from '@sluice/engine/protocol'
import { type HunkPart, laidOut } from './layout.ts'
import type { Kept, ReviewCursor, ReviewState } from './state.ts'

/** The next state, from which `undone` comes back to this one. */
export function marked(state: ReviewState, next: ReviewState): ReviewState {
  return { ...next, past: state }
}

/** The state with its files laid out anew where their parts have changed. */
export function shown(state: ReviewState): ReviewState {
  const diffs = state.changed.map((diff, file) => laidOut(diff, state.parts[file] ?? [], state.texts[file] ?? []))
  return { ...state, diffs }
}

/** The lines of a shown hunk that are its own, without those that were only added around. */
export function ownLines(body: Hunk, part: HunkPart): Hunk {
  if (part.above === 0 && part.below === 0) return body
  return { ...body, lines: body.lines.slice(part.above, body.lines.length - part.below) }
}

/** Where the first of the rising numbers stands that is at least `value`. */
export function firstAtLeast(numbers: readonly number[], value: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}

export function withKept(state: ReviewState, file: number, hunk: number, value: Kept): ReviewState {
  const kept = state.kept.map((hunks, i) => (i === file ? hunks.map((old, k) => (k === hunk ? value : old)) : hunks))
  return { ...state, kept }
}

export function hunkAt({ diffs }: ReviewState, { file, hunk }: ReviewCursor): Hunk | undefined {
  return diffs[file]?.hunks[hunk]
}

export function lineAt(state: ReviewState, at: ReviewCursor): DiffLine | undefined {
  return hunkAt(state, at)?.lines[at.line]
}

const changedOf = new WeakMap<Hunk, number[]>()

/** The indices of the changed lines of a hunk, which never changes itself. */
export function changedLines(hunk: Hunk): readonly number[] {
  const known = changedOf.get(hunk)
  if (known) return known
  const lines: number[] = []
  for (let i = 0; i < hunk.lines.length; i++) if (hunk.lines[i]?.kind !== 'context') lines.push(i)
  changedOf.set(hunk, lines)
  return lines
}

/** The first line that is new, or else the first that goes: that is what one has something to say about. */
export function firstChanged(hunk: Hunk): number {
  const added = hunk.lines.findIndex((line) => line.kind === 'add')
  return added >= 0 ? added : Math.max(0, hunk.lines.findIndex(isChanged))
}

export function isChanged(line: DiffLine): boolean {
  return line.kind !== 'context'
}

export function inOrder(a: ReviewCursor, b: ReviewCursor): number {
  return a.file - b.file || a.hunk - b.hunk || a.line - b.line
}
