/** Which words changed between a removed line and the line that took its place. */
import type { Hunk } from '@sluice/engine/protocol'
import { diffWordsWithSpace } from 'diff'

/** UTF-16 offsets of changed stretches, rising, not touching. */
export type Ranges = [from: number, to: number][]
export type WordDiff = { del: Ranges; add: Ranges }

/** The changed words of two lines, or null when they have too little in common, or too much text, for that to help. */
export function wordDiff(del: string, add: string): WordDiff | null {
  if (del === add || del.length >= longestLine || add.length >= longestLine) return null
  const out: WordDiff = { del: [], add: [] }
  let common = 0
  let delAt = 0
  let addAt = 0
  for (const part of diffWordsWithSpace(del, add, { maxEditLength: 400 }) ?? []) {
    const length = part.value.length
    if (part.added) {
      extend(out.add, addAt, addAt + length)
      addAt += length
    } else if (part.removed) {
      extend(out.del, delAt, delAt + length)
      delAt += length
    } else {
      if (part.value.trim() !== '') common += length
      delAt += length
      addAt += length
    }
  }
  return common >= Math.max(del.trim().length, add.trim().length) * leastCommon ? out : null
}

/** For each changed line of a hunk the index of the line it was paired with. Removed lines pair with the added ones below them. */
export function pairLines(hunk: Hunk): ReadonlyMap<number, number> {
  const known = pairs.get(hunk)
  if (known) return known
  const found = new Map<number, number>()
  pairs.set(hunk, found)
  const kind = (i: number) => hunk.lines[i]?.kind
  let i = 0
  while (i < hunk.lines.length) {
    if (kind(i) !== 'del') {
      i++
      continue
    }
    const dels = i
    while (kind(i) === 'del') i++
    const adds = i
    while (kind(i) === 'add') i++
    pairRuns(hunk, dels, adds, i, found)
  }
  return found
}

const longestLine = 2_000
const leastCommon = 0.3
const pairs = new WeakMap<Hunk, ReadonlyMap<number, number>>()

function pairRuns(hunk: Hunk, dels: number, adds: number, end: number, found: Map<number, number>): void {
  const pair = (del: number, add: number) => {
    found.set(del, add)
    found.set(add, del)
  }
  const delCount = adds - dels
  const addCount = end - adds
  if (delCount === addCount) {
    for (let i = 0; i < delCount; i++) pair(dels + i, adds + i)
    return
  }
  // Of unequal runs, each removed line takes the next added one that looks like it; the search is kept short.
  if (delCount * addCount > 10_000) return
  let add = adds
  for (let del = dels; del < adds && add < end; del++) {
    for (let candidate = add; candidate < end; candidate++) {
      if (alike(hunk.lines[del]?.text ?? '', hunk.lines[candidate]?.text ?? '') < 0.5) continue
      pair(del, candidate)
      add = candidate + 1
      break
    }
  }
}

/** Share of the longer text that is a common beginning or end. */
function alike(a: string, b: string): number {
  const left = a.trim().slice(0, 300)
  const right = b.trim().slice(0, 300)
  const shorter = Math.min(left.length, right.length)
  if (shorter === 0) return 0
  let start = 0
  while (start < shorter && left[start] === right[start]) start++
  let tail = 0
  while (tail < shorter - start && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++
  return (start + tail) / Math.max(left.length, right.length)
}

function extend(ranges: Ranges, from: number, to: number): void {
  const last = ranges[ranges.length - 1]
  if (last && last[1] === from) last[1] = to
  else ranges.push([from, to])
}
