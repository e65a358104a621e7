/** Hunks in smaller parts, and with more of the file around them. */
import type { DiffLine } from '@sluice/engine/protocol'
import { type HunkPart, splitPart, widened } from './layout.ts'
import { hunkAt, marked, shown, withKept } from './places.ts'
import type { Kept, ReviewCursor, ReviewState } from './state.ts'

/** The hunk under the cursor in smaller ones; null where it cannot be cut. */
export function split(state: ReviewState): ReviewState | null {
  const { file, hunk, line } = state.cursor
  const part = state.parts[file]?.[hunk]
  const body = hunkAt(state, state.cursor)
  const kept = state.kept[file]?.[hunk]
  if (part === undefined || body === undefined || kept === undefined) return null
  const cut = splitPart(part, body, line)
  if (cut.length < 2) return null
  const parts = state.parts.map((all, i) =>
    i === file ? [...all.slice(0, hunk), ...cut, ...all.slice(hunk + 1)] : all,
  )
  const place = (index: number) => placeOf(cut, part, index)
  const shares = cut.map((_, n): Kept => {
    if (kept === true) return true
    const mine = kept.map(place).flatMap((at) => (at.part === n ? [at.line] : []))
    return mine
  })
  const moveTo = <T extends ReviewCursor>(at: T): T => {
    if (at.file !== file || at.hunk < hunk) return at
    if (at.hunk > hunk) return { ...at, hunk: at.hunk + cut.length - 1 }
    const there = place(Math.max(0, at.line))
    return at.line < 0 ? at : { ...at, hunk: hunk + there.part, line: there.line }
  }
  return marked(
    state,
    shown({
      ...state,
      parts,
      kept: state.kept.map((all, i) => (i === file ? [...all.slice(0, hunk), ...shares, ...all.slice(hunk + 1)] : all)),
      comments: state.comments.map(moveTo),
      cursor: moveTo(state.cursor),
      range: null,
    }),
  )
}

/** With three lines more around the hunk of the cursor; null where there are none. The file's `texts` must be known. */
export function wider(state: ReviewState): ReviewState | null {
  const { file, hunk } = state.cursor
  const diff = state.changed[file]
  const parts = state.parts[file]
  const text = state.texts[file]
  if (diff === undefined || parts === undefined || text === undefined) return null
  const next = widened(diff, parts, hunk, text.length, 3)
  if (next === parts) return null
  const by = (next[hunk]?.above ?? 0) - (parts[hunk]?.above ?? 0)
  const moveTo = <T extends ReviewCursor>(at: T): T =>
    at.file === file && at.hunk === hunk && at.line >= 0 ? { ...at, line: at.line + by } : at
  const kept = state.kept[file]?.[hunk] ?? true
  return marked(
    state,
    shown({
      ...withKept(state, file, hunk, kept === true ? true : kept.map((line) => line + by)),
      parts: state.parts.map((all, i) => (i === file ? next : all)),
      comments: state.comments.map(moveTo),
      cursor: moveTo(state.cursor),
      range: null,
    }),
  )
}

/** With the old text of a file, for `wider`. */
export function withText(state: ReviewState, file: number, lines: readonly DiffLine[]): ReviewState {
  return { ...state, texts: state.texts.map((text, i) => (i === file ? lines : text)) }
}

/** Where a line of a shown hunk is, once that is cut into parts. */
function placeOf(cut: readonly HunkPart[], part: HunkPart, line: number): { part: number; line: number } {
  const own = line - part.above + part.from
  const found = cut.findIndex((one) => own < one.to)
  const index = found < 0 ? cut.length - 1 : found
  const there = cut[index] as HunkPart
  return { part: index, line: own - there.from + there.above }
}
