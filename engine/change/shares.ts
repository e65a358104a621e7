/** What of each of several edits of one text is in the change that a person made of all of them. */
import type { Hunk } from '../protocol/index.ts'
import type { HunkSelection } from './select.ts'

/** `none`: nothing of the edit was kept. `words`: its hunks by number and place, and what became of each. */
export type EditShare = { none: boolean; words: string }

export type DecidedChange = {
  /** The hunks of all edits together, as they were proposed. */
  hunks: readonly Hunk[]
  selection: HunkSelection
  /** Hunks whose text the person wrote anew. */
  edited: readonly number[]
}

/**
 * The edits are given as the hunks of each, made on what the one before left. A line that an edit put in is followed
 * through the later ones, a line that it took out back through the earlier ones, to the hunk in which it was decided on.
 */
export function editShares(edits: readonly (readonly Hunk[])[], decided: DecidedChange): EditShare[] {
  const fates = fatesOf(decided)
  const forward = edits.map((hunks) => lineMap(hunks, 'new'))
  const backward = edits.map((hunks) => lineMap(hunks, 'old'))
  return edits.map((hunks, index) => {
    let kept = 0
    let left = 0
    const rows = hunks.map((hunk, n) => {
      const count = { kept: 0, left: 0, edited: 0, replaced: 0, same: 0 }
      for (const line of hunk.lines) {
        if (line.kind === 'context') continue
        const added = line.kind === 'add'
        const path = added ? forward.slice(index + 1) : backward.slice(0, index).reverse()
        const at = path.reduce<number | null>(
          (place, map) => (place === null ? null : map(place)),
          (added ? line.newLine : line.oldLine) ?? null,
        )
        count[at === null ? 'replaced' : (fates[added ? 'added' : 'removed'].get(at) ?? 'same')]++
      }
      kept += count.kept + count.edited
      left += count.left
      return `hunk ${n + 1} (@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@): ${wordFor(count)}`
    })
    if (rows.length > mostRows) rows.splice(mostRows, rows.length - mostRows, `… ${rows.length - mostRows} more`)
    return { none: kept === 0 && left > 0, words: rows.join('\n') }
  })
}

const mostRows = 60

type Fate = 'kept' | 'left' | 'edited'

function wordFor(count: Record<Fate | 'replaced' | 'same', number>): string {
  if (count.edited > 0) return 'in a part that the person wrote anew'
  if (count.kept > 0) return count.left > 0 ? 'applied in part' : 'applied'
  if (count.left > 0) return 'NOT applied'
  return count.replaced > 0 ? 'replaced by another edit of this reply' : 'applied'
}

/** What became of the changed lines, by their number in the old and in the new text. */
function fatesOf({ hunks, selection, edited }: DecidedChange) {
  const added = new Map<number, Fate>()
  const removed = new Map<number, Fate>()
  for (const [index, hunk] of hunks.entries()) {
    const kept = selection[index] ?? []
    // Of what was written anew the lines are others than those that were proposed.
    const anew = edited.includes(index) && (kept === true || kept.length > 0)
    for (const [i, line] of hunk.lines.entries()) {
      const fate: Fate = anew ? 'edited' : kept === true || kept.includes(i) ? 'kept' : 'left'
      if (line.kind === 'add' && line.newLine !== undefined) added.set(line.newLine, fate)
      if (line.kind === 'del' && line.oldLine !== undefined) removed.set(line.oldLine, fate)
    }
  }
  return { added, removed }
}

/** From a line of one side to the same line on the other (`to`); null where it is not there. */
function lineMap(hunks: readonly Hunk[], to: 'old' | 'new'): (line: number) => number | null {
  const known = new Map<number, number | null>()
  /** Behind each hunk lines are moved by so many. */
  const moves: { after: number; by: number }[] = []
  for (const hunk of hunks) {
    const [start, length, other, otherLength] =
      to === 'new'
        ? [hunk.oldStart, hunk.oldLines, hunk.newStart, hunk.newLines]
        : [hunk.newStart, hunk.newLines, hunk.oldStart, hunk.oldLines]
    for (const line of hunk.lines) {
      const [from, there] = to === 'new' ? [line.oldLine, line.newLine] : [line.newLine, line.oldLine]
      if (from !== undefined) known.set(from, there ?? null)
    }
    // The start of an empty side is the line before it.
    const end = length > 0 ? start + length - 1 : start
    const otherEnd = otherLength > 0 ? other + otherLength - 1 : other
    moves.push({ after: end, by: otherEnd - end })
  }
  return (line) => {
    const place = known.get(line)
    if (place !== undefined) return place
    return line + (moves.findLast(({ after }) => after < line)?.by ?? 0)
  }
}
