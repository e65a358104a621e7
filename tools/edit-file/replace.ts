/** What a matched place becomes: the new text in the file's own line endings, with every untouched character kept. */
import { diffHunks } from '@sluice/engine/change'
import { type Line, linesOf } from './lines.ts'
import { type Match, meansBytes, shifted } from './match.ts'

/**
 * The replacement of `match` in `text`. Characters of the place that `fresh` does not change against `old` stay as
 * they are in the file, even where `old` matched only after normalisation. `endingAt` is an `endingFinder` of `text`.
 * Null when a line of `fresh` is indented
 * less than the shift of the match takes away.
 */
export function replacementFor(
  text: string,
  match: Match,
  old: string,
  fresh: string,
  endingAt: (start: number) => '\n' | '\r\n',
): string | null {
  const ending = fresh.includes('\n') ? endingAt(match.start) : '\n'
  if (match.how === 'exact') return meansBytes(old) ? fresh : withEnding(fresh, ending)
  const cut = match.withoutFinalNewline ? (s: string) => s.replace(/\r?\n$/, '') : (s: string) => s
  const frame = (s: string) => {
    const bodies = linesOf(cut(s)).map((line) => line.body)
    return match.shift ? bodies.map((body) => shifted(body, match.shift as NonNullable<typeof match.shift>)) : bodies
  }
  const framed = frame(fresh)
  if (framed.includes(null)) return null
  return mergeLines(linesOf(text.slice(match.start, match.end)), frame(old) as string[], framed as string[], ending)
}

/** `place` and `old` have the same number of lines and mean the same; `fresh` is what `old` is to become. */
function mergeLines(place: Line[], old: string[], fresh: string[], ending: string): string {
  const out: string[] = []
  const endings: string[] = []
  const put = (body: string, own: string | undefined) => {
    out.push(body)
    endings.push(own || ending)
  }
  let at = 0
  const keepUntil = (index: number) => {
    for (; at < index; at++) put(place[at]?.body ?? '', place[at]?.ending)
  }
  for (const hunk of diffHunks(`${old.join('\n')}\n`, `${fresh.join('\n')}\n`, 0)) {
    const added = hunk.lines.filter((line) => line.kind === 'add').map((line) => line.text)
    const removed = hunk.lines.filter((line) => line.kind === 'del').length
    keepUntil(removed > 0 ? hunk.oldStart - 1 : hunk.newStart - 1 - (out.length - at))
    const paired = added.length === removed
    for (const [i, text] of added.entries()) {
      const own = paired ? place[at + i] : undefined
      put(own ? mergeLine(own.body, old[at + i] ?? '', text) : text, own?.ending)
    }
    at += removed
  }
  keepUntil(place.length)
  return out.map((body, i) => (i < out.length - 1 ? body + endings[i] : body)).join('')
}

/** One line of the file that `old` matched, changed as `fresh` changes `old`. */
function mergeLine(place: string, old: string, fresh: string): string {
  const [placeCore, placeTail] = coreAndTail(place)
  const [oldCore, oldTail] = coreAndTail(old)
  const [freshCore, freshTail] = coreAndTail(fresh)
  const tail = freshTail === oldTail ? placeTail : freshTail
  if (placeCore === oldCore || placeCore.length !== oldCore.length) return freshCore + tail
  const kept = commonCharacters(oldCore, freshCore)
  return (
    freshCore
      .split('')
      .map((unit, i) => placeCore[kept[i] ?? -1] ?? unit)
      .join('') + tail
  )
}

function coreAndTail(line: string): [string, string] {
  const core = line.replace(/[ \t\u00a0]+$/, '')
  return [core, line.slice(core.length)]
}

/** For each unit of `fresh` the unit of `old` that it continues, by a longest common subsequence; undefined for new ones. */
function commonCharacters(old: string, fresh: string): (number | undefined)[] {
  const kept: (number | undefined)[] = new Array(fresh.length).fill(undefined)
  let head = 0
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) kept[head] = head++
  let tail = 0
  const room = Math.min(old.length, fresh.length) - head
  while (tail < room && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) {
    tail++
    kept[fresh.length - tail] = old.length - tail
  }
  const a = old.slice(head, old.length - tail)
  const b = fresh.slice(head, fresh.length - tail)
  // Lines of thousands of characters keep their common ends only.
  if (a.length * b.length > 4_000_000) return kept
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const same = a[i] === b[j]
      const down = lengths[(i + 1) * width + j] ?? 0
      const right = lengths[i * width + j + 1] ?? 0
      lengths[i * width + j] = same ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(down, right)
    }
  }
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) kept[head + j++] = head + i++
    else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i++
    else j++
  }
  return kept
}

/** Line ends of `text`, whichever they are, become `ending`. */
export function withEnding(text: string, ending: '\n' | '\r\n'): string {
  return text.replace(/\r?\n/g, ending)
}
