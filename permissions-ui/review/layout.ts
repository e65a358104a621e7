/** The hunks of a change as a person has them before their eyes: split into parts, and with more of the file around. */
import type { DiffLine, FileDiff, Hunk } from '@sluice/engine/protocol'

/**
 * A hunk on the screen: the lines `from` up to `to` of a hunk of the change, below `above` and above `below` more lines of
 * the file. The first and the last part of a hunk may have such lines.
 */
export type HunkPart = { hunk: number; from: number; to: number; above: number; below: number }

/** Each hunk as it is. */
export function wholeParts(diff: FileDiff): HunkPart[] {
  return diff.hunks.map((hunk, index) => ({ hunk: index, from: 0, to: hunk.lines.length, above: 0, below: 0 }))
}

/** The change with its hunks laid out by parts; `text` are the lines of the old file, for what stands around. */
export function laidOut(diff: FileDiff, parts: readonly HunkPart[], text: readonly DiffLine[]): FileDiff {
  const hunks = parts.map((part) => {
    const whole = diff.hunks[part.hunk] as Hunk
    const { from, to, above, below } = part
    if (from === 0 && to === whole.lines.length && above === 0 && below === 0) return whole
    return partOf(whole, part, text)
  })
  return { ...diff, hunks }
}

function partOf(whole: Hunk, { from, to, above, below }: HunkPart, text: readonly DiffLine[]): Hunk {
  const before = whole.lines.slice(0, from)
  const inside = whole.lines.slice(from, to)
  const old = firstOld(whole) + count(before, 'add')
  const fresh = firstNew(whole) + count(before, 'del')
  const around = (first: number, length: number, shift: number): DiffLine[] =>
    Array.from({ length }, (_, i) => ({
      ...(text[first + i - 1] ?? { text: '' }),
      kind: 'context',
      oldLine: first + i,
      newLine: first + i + shift,
    }))
  const lines = [
    ...around(old - above, above, fresh - old),
    ...inside,
    ...around(old + count(inside, 'add'), below, fresh - old + count(inside, 'del') - count(inside, 'add')),
  ]
  const oldLines = count(lines, 'add')
  const newLines = count(lines, 'del')
  const hunk: Hunk = {
    oldStart: oldLines === 0 ? old - above - 1 : old - above,
    oldLines,
    newStart: newLines === 0 ? fresh - above - 1 : fresh - above,
    newLines,
    lines,
  }
  if (whole.section !== undefined) hunk.section = whole.section
  return hunk
}

/**
 * The part cut where unchanged lines stand between changes; without such a place above the line `at` of the part. One
 * part where it cannot be cut.
 */
export function splitPart(part: HunkPart, shown: Hunk, at: number): HunkPart[] {
  const changed = shown.lines.flatMap((line, i) => (line.kind === 'context' ? [] : [i]))
  const cuts: number[] = []
  for (const [n, line] of changed.entries()) {
    const next = changed[n + 1]
    // What stands between two changes is shared by both.
    if (next !== undefined && next > line + 1) cuts.push(Math.ceil((line + next + 1) / 2))
  }
  const [first = 0] = changed
  if (cuts.length === 0 && at > first && at <= (changed.at(-1) ?? 0)) cuts.push(at)
  if (cuts.length === 0) return [part]
  // Cuts are rows of what is shown; the hunk itself knows nothing of the lines around it.
  const places = [part.from, ...cuts.map((cut) => cut - part.above + part.from), part.to]
  return places.slice(1).map((to, i) => ({
    hunk: part.hunk,
    from: places[i] ?? part.from,
    to,
    above: i === 0 ? part.above : 0,
    below: i === places.length - 2 ? part.below : 0,
  }))
}

/** The parts with up to `more` lines more around one of them; the same parts where there is nothing around. */
export function widened(
  diff: FileDiff,
  parts: readonly HunkPart[],
  index: number,
  lineCount: number,
  more: number,
): readonly HunkPart[] {
  const part = parts[index]
  const whole = part && diff.hunks[part.hunk]
  if (!part || !whole) return parts
  const before = parts[index - 1]
  const after = parts[index + 1]
  const start = firstOld(whole)
  const end = start + whole.oldLines
  const beforeHunk = before === undefined ? undefined : diff.hunks[before.hunk]
  const afterHunk = after === undefined ? undefined : diff.hunks[after.hunk]
  const floor = before && beforeHunk ? firstOld(beforeHunk) + beforeHunk.oldLines + before.below : 1
  const ceiling = after && afterHunk ? firstOld(afterHunk) - after.above : lineCount + 1
  const top = part.from === 0 ? Math.max(0, Math.min(more, start - part.above - floor)) : 0
  const bottom = part.to === whole.lines.length ? Math.max(0, Math.min(more, ceiling - end - part.below)) : 0
  if (top === 0 && bottom === 0) return parts
  return parts.with(index, { ...part, above: part.above + top, below: part.below + bottom })
}

/** The lines of a text as a diff has them. */
export function textLines(text: string): DiffLine[] {
  if (text === '') return []
  const lines = text.split('\n')
  const open = lines.at(-1) !== ''
  if (!open) lines.pop()
  return lines.map((line, i) => ({
    kind: 'context',
    text: line,
    ...(open && i === lines.length - 1 ? { noNewline: true } : {}),
  }))
}

/** The number of the first old line of a hunk, or of the line that would come next where it has none. */
function firstOld({ oldStart, oldLines }: Hunk): number {
  return oldLines > 0 ? oldStart : oldStart + 1
}

function firstNew({ newStart, newLines }: Hunk): number {
  return newLines > 0 ? newStart : newStart + 1
}

/** Lines that are not of the kind `other`: those of one side. */
function count(lines: readonly DiffLine[], other: 'add' | 'del'): number {
  return lines.reduce((sum, line) => (line.kind === other ? sum : sum + 1), 0)
}
