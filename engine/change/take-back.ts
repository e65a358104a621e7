/** Takes parts of an applied change back out of a text that may have changed since, or says which cannot be. */
import type { Hunk } from '../protocol/index.ts'
import { type HunkSelection, joinLines, keptLines, lineText, splitLines } from './select.ts'

/** `conflicts` names the hunks, from 0, that stand nowhere for certain any more; then the text is the given one. */
export type TakenBack = { text: string; conflicts: Record<number, string> }

/**
 * The text without what is not `kept` of the hunks, which were made when the change was applied. `same` says that the
 * text is exactly what the change left; otherwise a hunk is looked for by its new lines and the lines around them, and
 * it must stand in one place only. Everything else in the text stays as it is, to the byte.
 */
export function takeBack(text: string, hunks: readonly Hunk[], kept: HunkSelection, same: boolean): TakenBack {
  const lines = splitLines(text)
  let standing: Places | undefined
  const known = () => (standing ??= placesOf(lines))
  const conflicts: Record<number, string> = {}
  const places: (Place & { kept: readonly number[] })[] = []
  for (const [index, hunk] of hunks.entries()) {
    const part = kept[index] ?? []
    if (part === true || !isPart(hunk, part)) continue
    const place = same ? exactPlace(hunk, lines) : searchedPlace(hunk, lines, known())
    if (typeof place === 'string') conflicts[index] = place
    else places.push({ ...place, kept: part })
  }
  places.sort((a, b) => a.at - b.at)
  const crossed = places.some((place, i) => {
    const next = places[i + 1]
    return next !== undefined && place.at + place.now.length > next.at
  })
  if (crossed) for (const index of hunks.keys()) if (kept[index] !== true) conflicts[index] ??= moved
  if (Object.keys(conflicts).length > 0) return { text, conflicts }
  for (const { at, now, hunk, first, kept: part } of places.reverse()) {
    const shifted = part.map((line) => line - first)
    lines.splice(at, now.length, ...keptLines(hunk, shifted))
  }
  return { text: joinLines(lines, text), conflicts }
}

/** `now` are the lines that stand there; `hunk` has the lines of the original from `first` on that were found. */
type Place = { at: number; now: string[]; hunk: Hunk; first: number }

const gone = 'the lines it made are not there any more'
const twice = 'its lines stand in several places by now'
const moved = 'its lines were moved'

/** Something of it is left out: with every changed line kept there is nothing to do. */
function isPart(hunk: Hunk, part: readonly number[]): boolean {
  return hunk.lines.some((line, index) => line.kind !== 'context' && !part.includes(index))
}

function exactPlace(hunk: Hunk, lines: readonly string[]): Place | string {
  const now = newSide(hunk)
  const at = hunk.newLines > 0 ? hunk.newStart - 1 : hunk.newStart
  return standsAt(now, lines, at) ? { at, now, hunk, first: 0 } : gone
}

/** With all the lines around it, then with fewer of them: those may have been edited. */
function searchedPlace(hunk: Hunk, lines: readonly string[], standing: Places): Place | string {
  const before = leading(hunk)
  const after = leading({ ...hunk, lines: [...hunk.lines].reverse() })
  for (let around = Math.max(before, after); around >= 0; around--) {
    const first = Math.max(0, before - around)
    const body = { ...hunk, lines: hunk.lines.slice(first, hunk.lines.length - Math.max(0, after - around)) }
    const now = newSide(body)
    // Blank lines alone are everywhere.
    if (!now.some((line) => line.trim() !== '')) break
    const found = everyPlace(now, lines, standing)
    if (found.length > 1) return twice
    if (found[0] !== undefined) return { at: found[0], now, hunk: body, first }
  }
  return gone
}

function leading(hunk: Hunk): number {
  const at = hunk.lines.findIndex((line) => line.kind !== 'context')
  return at < 0 ? hunk.lines.length : at
}

/** Where each line stands. */
type Places = ReadonlyMap<string, readonly number[]>

function placesOf(lines: readonly string[]): Places {
  const places = new Map<string, number[]>()
  for (const [at, line] of lines.entries()) {
    const known = places.get(line)
    if (known) known.push(at)
    else places.set(line, [at])
  }
  return places
}

/** At most two of them: more than one is one too many. The rarest line leads, so that long files are not read often. */
function everyPlace(now: readonly string[], lines: readonly string[], standing: Places): number[] {
  let lead = 0
  let rarest: readonly number[] | undefined
  for (const [i, line] of now.entries()) {
    const places = standing.get(line) ?? []
    if (rarest !== undefined && places.length >= rarest.length) continue
    rarest = places
    lead = i
  }
  const out: number[] = []
  for (const at of rarest ?? []) {
    if (standsAt(now, lines, at - lead)) out.push(at - lead)
    if (out.length > 1) break
  }
  return out
}

function standsAt(now: readonly string[], lines: readonly string[], at: number): boolean {
  return at >= 0 && now.every((line, i) => lines[at + i] === line)
}

function newSide(hunk: Hunk): string[] {
  return hunk.lines.filter((line) => line.kind !== 'del').map(lineText)
}
