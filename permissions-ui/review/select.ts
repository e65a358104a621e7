/** Putting in and leaving out: lines, hunks, ranges and everything. */
import type { Hunk } from '@sluice/engine/protocol'
import { changedLines, firstAtLeast, hunkAt, isChanged, marked, withKept } from './places.ts'
import {
  inRange,
  isKept,
  type Kept,
  keptMark,
  type ReviewCursor,
  type ReviewState,
  rangeOf,
  summaryOf,
} from './state.ts'

/**
 * On a changed line that line is put in or left out, anywhere else the whole hunk; with a range all of its changed lines,
 * which are put in unless all of them are in.
 */
export function toggled(state: ReviewState): ReviewState {
  const span = rangeOf(state)
  if (span !== null) return toggledRange(state, span)
  const { file, hunk, line } = state.cursor
  const body = hunkAt(state, state.cursor)
  const kept = state.kept[file]?.[hunk]
  if (body === undefined || kept === undefined) return state
  const there = body.lines[line]
  if (there === undefined || !isChanged(there)) {
    return marked(state, withKept(state, file, hunk, keptMark(body, kept) === 'all' ? [] : true))
  }
  return marked(state, withKept(state, file, hunk, withLines(body, kept, [line], !isKept(kept, line))))
}

function toggledRange(state: ReviewState, span: { from: ReviewCursor; to: ReviewCursor }): ReviewState {
  const { from, to } = span
  const touched: { file: number; hunk: number; lines: number[] }[] = []
  for (let file = from.file; file <= to.file; file++) {
    for (const [hunk, body] of (state.diffs[file]?.hunks ?? []).entries()) {
      if (!inRange({ from: { ...from, line: -1 }, to: { ...to, line: -1 } }, { file, hunk, line: -1 })) continue
      const lines = changedLines(body).filter((line) => inRange(span, { file, hunk, line }))
      const head = body.lines.length === 0 && inRange(span, { file, hunk, line: -1 })
      if (lines.length > 0 || head) touched.push({ file, hunk, lines })
    }
  }
  const all = touched.every(({ file, hunk, lines }) => {
    const kept = state.kept[file]?.[hunk] ?? []
    return lines.length === 0 ? kept === true : lines.every((line) => isKept(kept, line))
  })
  const next = touched.reduce((made, { file, hunk, lines }) => {
    const body = state.diffs[file]?.hunks[hunk] as Hunk
    const kept = state.kept[file]?.[hunk] ?? []
    return withKept(made, file, hunk, lines.length === 0 ? (all ? [] : true) : withLines(body, kept, lines, !all))
  }, state)
  return marked(state, { ...next, range: null })
}

/** Everything, or nothing where everything is selected already. */
export function toggledAll(state: ReviewState): ReviewState {
  const { all, kept, partial } = summaryOf(state)
  const value: Kept = kept === all && !partial ? [] : true
  return marked(state, { ...state, kept: state.kept.map((hunks) => hunks.map(() => value)) })
}

/** What is kept of a hunk with some changed lines put in or left out. */
function withLines(body: Hunk, kept: Kept, lines: readonly number[], put: boolean): Kept {
  const changed = changedLines(body)
  const before = kept === true ? changed : kept
  const [only] = lines
  if (lines.length === 1 && only !== undefined) {
    const at = firstAtLeast(before, only)
    const next = put ? before.toSpliced(at, 0, only) : before.toSpliced(at, 1)
    return next.length === changed.length ? true : next
  }
  const named = new Set(lines)
  const next = put
    ? changed.filter((line) => named.has(line) || isKept(kept, line))
    : before.filter((line) => !named.has(line))
  return next.length === changed.length ? true : next
}
