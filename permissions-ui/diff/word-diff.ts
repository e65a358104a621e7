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

/** The line that a changed line of a hunk was paired with. Removed lines pair with the added ones below them. */
export function pairOf(hunk: Hunk, line: number): number | undefined {
  const run = runAt(hunk, line)
  if (run === undefined) return undefined
  const { dels, adds, end } = run
  if (adds - dels === end - adds) return line < adds ? adds + (line - dels) : dels + (line - adds)
  if (run.pairs === undefined) {
    run.pairs = new Map()
    pairRuns(hunk, dels, adds, end, run.pairs)
  }
  return run.pairs.get(line)
}

/** For each changed line of a hunk the index of the line it was paired with. */
export function pairLines(hunk: Hunk): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  for (const line of hunk.lines.keys()) {
    const other = pairOf(hunk, line)
    if (other !== undefined) found.set(line, other)
  }
  return found
}

/** Removed lines from `dels` on, and the added ones from `adds` up to `end` below them. */
type Run = { dels: number; adds: number; end: number; pairs?: Map<number, number> }

/** Runs that were looked at; a screen has a few. */
const runsOf = new WeakMap<Hunk, Run[]>()

function runAt(hunk: Hunk, line: number): Run | undefined {
  const known = runsOf.get(hunk) ?? []
  const before = known.findLast((run) => run.dels <= line && line < run.end)
  if (before) return before
  const kind = (i: number) => hunk.lines[i]?.kind
  if (kind(line) === 'context') return undefined
  let dels = line
  while (kind(dels - 1) === 'add' && kind(dels) === 'add') dels--
  while (kind(dels - 1) === 'del') dels--
  if (kind(dels) !== 'del') return undefined
  let adds = dels
  while (kind(adds) === 'del') adds++
  let end = adds
  while (kind(end) === 'add') end++
  const run = { dels, adds, end }
  runsOf.set(hunk, [...known.slice(-mostRuns), run])
  return run
}

const mostRuns = 200
const longestLine = 2_000
const leastCommon = 0.3

function pairRuns(hunk: Hunk, dels: number, adds: number, end: number, found: Map<number, number>): void {
  const pair = (del: number, add: number) => {
    found.set(del, add)
    found.set(add, del)
  }
  const delCount = adds - dels
  const addCount = end - adds
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
