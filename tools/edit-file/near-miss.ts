/** Explains to the model why its old_text was not found: where it nearly stands and which line differs. */
import { shorten } from '@sluice/engine/protocol'
import { lineNumber, linesOf, normalLine } from './lines.ts'
import { findMatches } from './match.ts'

/** One paragraph: that nothing was written, the likely cause, and the closest places with line numbers. */
export function explainMiss(text: string, old: string, fresh: string, shown: string): string {
  const opening = `old_text was not found in ${shown}. Nothing was written.`
  const cause = likelyCause(text, old, fresh)
  const near = nearPlaces(text, old)
  const advice = 'Copy old_text exactly as read_file shows it, without the line numbers.'
  return [opening, cause, near, cause === undefined ? advice : undefined]
    .filter((part) => part !== undefined)
    .join('\n')
}

function likelyCause(text: string, old: string, fresh: string): string | undefined {
  const unnumbered = old.replace(/^ *\d+\t/gm, '')
  if (unnumbered !== old && findMatches(text, unnumbered).length > 0) {
    return 'old_text holds the line numbers of read_file: leave them out.'
  }
  const unescaped = old.replace(/\\n/g, '\n').replace(/\\t/g, '\t').replace(/\\"/g, '"')
  if (unescaped !== old && findMatches(text, unescaped).length > 0) {
    return 'old_text holds the two characters backslash and n (or t, or ") where the file has the character itself.'
  }
  const already = fresh.trim().length >= 8 ? findMatches(text, fresh)[0] : undefined
  if (already) return `new_text already stands at line ${lineNumber(text, already.start)}: was this edit made before?`
  return undefined
}

type Place = { from: number; same: number }

function nearPlaces(text: string, old: string): string | undefined {
  const file = linesOf(text).map((line) => normalLine(line.body, 'spaces'))
  const wanted = linesOf(old).map((line) => normalLine(line.body, 'spaces'))
  if (wanted.length > 1 && wanted[wanted.length - 1] === '') wanted.pop()
  const places = votedPlaces(file, wanted)
  const best = places[0]
  if (!best) return similarLine(file, wanted)
  const others = places
    .slice(1, 4)
    .filter((place) => place.same === best.same)
    .map((place) => place.from + 1)
  const alsoAt = others.length > 0 ? ` (as close: line ${others.join(', ')})` : ''
  const differing = wanted.findIndex((line, i) => line !== (file[best.from + i] ?? ''))
  if (differing < 0) return undefined
  const last = Math.min(best.from + wanted.length, file.length)
  return (
    `The closest place is lines ${best.from + 1}–${last}${alsoAt}, where ${best.same} of ${wanted.length} lines are the ` +
    `same. Line ${best.from + differing + 1} differs:\n${pair(file[best.from + differing], wanted[differing])}`
  )
}

/** Places where lines of old_text stand in the right distance to each other, most lines first. */
function votedPlaces(file: string[], wanted: string[]): Place[] {
  const byContent = new Map<string, number[]>()
  file.forEach((line, i) => {
    const key = line.trim()
    if (!/\w{2}/.test(key)) return
    const known = byContent.get(key)
    if (known) known.push(i)
    else byContent.set(key, [i])
  })
  const votes = new Map<number, number>()
  for (const [j, line] of wanted.slice(0, 500).entries()) {
    const at = byContent.get(line.trim()) ?? []
    // A line that stands everywhere says nothing about the place.
    if (at.length > 50) continue
    for (const i of at) if (i >= j) votes.set(i - j, (votes.get(i - j) ?? 0) + 1)
  }
  return [...votes]
    .map(([from, count]) => {
      const same = wanted.filter((line, i) => file[from + i] === line).length
      return { from, same, count }
    })
    .sort((a, b) => b.count - a.count || b.same - a.same || a.from - b.from)
}

/** The line of the file that is most like the longest line of old_text, if any is much like it. */
function similarLine(file: string[], wanted: string[]): string | undefined {
  const longest = wanted.reduce((a, b) => (b.trim().length > a.trim().length ? b : a), '')
  const target = pairsOf(longest.trim())
  if (target.size < 3) return undefined
  let best = { index: -1, likeness: 0 }
  for (const [index, line] of file.slice(0, 50_000).entries()) {
    const trimmed = line.trim()
    if (Math.abs(trimmed.length - longest.trim().length) > longest.length) continue
    const likeness = dice(target, pairsOf(trimmed.slice(0, 1000)))
    if (likeness > best.likeness) best = { index, likeness }
  }
  if (best.likeness < 0.6) return undefined
  return `The most similar line is line ${best.index + 1}:\n${pair(file[best.index], longest)}`
}

function pair(file: string | undefined, old: string | undefined): string {
  const quoted = (line: string | undefined) =>
    line === undefined ? '(the file ends before)' : JSON.stringify(shorten(line, 301))
  return `  in the file: ${quoted(file)}\n  in old_text: ${quoted(old)}`
}

function pairsOf(text: string): Set<string> {
  const pairs = new Set<string>()
  for (let i = 0; i + 1 < text.length; i++) pairs.add(text.slice(i, i + 2))
  return pairs
}

function dice(a: Set<string>, b: Set<string>): number {
  let shared = 0
  for (const pair of b) if (a.has(pair)) shared++
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size)
}
