/** Two changes of one text, made apart, as one text: what each of them changed, where they do not touch. */
import { diffHunks } from './hunks.ts'
import { joinLines, lineText, splitLines } from './select.ts'

/** Lines `from` up to `to` of the base, and what stands in their place. */
type Change = { from: number; to: number; lines: string[] }

/** The text with both changes; null where they overlap or touch without being the same. */
export function mergeTexts(base: string, ours: string, theirs: string): string | null {
  if (ours === theirs || base === theirs) return ours
  if (base === ours) return theirs
  const left = changesOf(base, ours)
  const right = changesOf(base, theirs)
  const lines = splitLines(base)
  const out: string[] = []
  let at = 0
  let l = 0
  let r = 0
  while (l < left.length || r < right.length) {
    const a = left[l]
    const b = right[r]
    if (a && b && a.from <= b.to && b.from <= a.to) {
      if (a.from !== b.from || a.to !== b.to || a.lines.join('') !== b.lines.join('')) return null
      r++
    }
    const first = a && (!b || a.from <= b.from) ? a : (b as Change)
    if (first === a) l++
    else r++
    out.push(...lines.slice(at, first.from), ...first.lines)
    at = first.to
  }
  out.push(...lines.slice(at))
  return joinLines(out, base)
}

function changesOf(base: string, text: string): Change[] {
  return diffHunks(base, text, 0).map((hunk) => {
    const from = hunk.oldLines > 0 ? hunk.oldStart - 1 : hunk.oldStart
    const lines = hunk.lines.filter((line) => line.kind === 'add').map(lineText)
    return { from, to: from + hunk.oldLines, lines }
  })
}
