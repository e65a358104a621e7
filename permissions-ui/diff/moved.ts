/** Lines that a change only carries to another place: taken out here and put in there, as they are. */
import type { DiffLine, FileDiff } from '@sluice/engine/protocol'

/**
 * The lines on both sides of each move. A line counts where it is the only one of its text on each side, and stands with
 * another one that moved along, or is long enough to be no chance. Empty for changes too large to be looked through.
 */
export function movedLines(diffs: readonly FileDiff[]): ReadonlySet<DiffLine> {
  const known = movesOf.get(diffs)
  if (known) return known
  const found = findMoves(diffs)
  movesOf.set(diffs, found)
  return found
}

const movesOf = new WeakMap<readonly FileDiff[], ReadonlySet<DiffLine>>()
const mostLines = 20_000
const shortest = 8
/** From so many characters on a line is a move by itself. */
const alone = 30

type Sides = { del: DiffLine[]; add: DiffLine[] }

function findMoves(diffs: readonly FileDiff[]): ReadonlySet<DiffLine> {
  const out = new Set<DiffLine>()
  const hunks = diffs.flatMap((diff) => diff.hunks)
  if (hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0) > mostLines) return out
  const byText = new Map<string, Sides>()
  for (const hunk of hunks) {
    for (const line of hunk.lines) {
      if (line.kind === 'context' || line.text.trim().length < shortest) continue
      const sides = byText.get(line.text) ?? { del: [], add: [] }
      sides[line.kind].push(line)
      byText.set(line.text, sides)
    }
  }
  const partner = new Map<DiffLine, DiffLine>()
  for (const { del, add } of byText.values()) {
    const [from] = del
    const [to] = add
    if (del.length !== 1 || add.length !== 1 || !from || !to) continue
    partner.set(from, to)
    partner.set(to, from)
  }
  for (const hunk of hunks) {
    for (const [i, line] of hunk.lines.entries()) {
      if (!partner.has(line)) continue
      const beside = [hunk.lines[i - 1], hunk.lines[i + 1]].some(
        (near) => near?.kind === line.kind && partner.has(near),
      )
      if (beside || line.text.trim().length >= alone) out.add(line)
    }
  }
  // A move has two ends.
  for (const line of [...out]) if (!out.has(partner.get(line) as DiffLine)) out.delete(line)
  return out
}
