/** What a review comes to: the amendment that goes with a yes, or the words of a no. */
import { commentWords, hunkKey } from '@sluice/engine/change'
import type { Amendment, LineComment } from '@sluice/engine/protocol'
import { changedLines } from './places.ts'
import { type ReviewState, summaryOf } from './state.ts'

/** What a yes means now: the amendment that goes with it (null: none), or `refused` with the comments as words. */
export function outcomeOf(state: ReviewState): { amendment: Amendment | null } | { refused: string } {
  const { all, kept, partial } = summaryOf(state)
  if (kept === 0) return { refused: reviewWords(state) }
  const amendment: Amendment = {}
  if (kept < all || partial) {
    const selection: NonNullable<Amendment['selection']> = {}
    for (const [file, diff] of state.changed.entries()) {
      const hunks = state.kept[file] ?? []
      if (hunks.every((part) => part === true)) continue
      selection[diff.path] = selectionOf(state, file)
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
    hunk: state.parts[file]?.[hunk]?.hunk ?? hunk,
    line: number,
    snippet,
    text,
  }))
}

/** What of a file is kept, by the hunks of the change and their lines, whatever parts they are shown in. */
function selectionOf(state: ReviewState, file: number): Record<number, true | number[]> {
  const lines = new Map<number, number[]>()
  const whole = new Map<number, boolean>()
  for (const [index, part] of (state.parts[file] ?? []).entries()) {
    const kept = state.kept[file]?.[index] ?? []
    whole.set(part.hunk, (whole.get(part.hunk) ?? true) && kept === true)
    const body = state.diffs[file]?.hunks[index]
    if (body === undefined) continue
    const mine = (kept === true ? changedLines(body) : kept).map((line) => line - part.above + part.from)
    lines.set(part.hunk, [...(lines.get(part.hunk) ?? []), ...mine])
  }
  const out: [number, true | number[]][] = []
  for (const [hunk, kept] of lines) {
    if (whole.get(hunk)) out.push([hunk, true])
    else if (kept.length > 0) out.push([hunk, kept])
  }
  return Object.fromEntries(out)
}
