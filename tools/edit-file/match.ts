/** Finds the places of a text that `old_text` means: exactly, or under a normalisation that loses nothing. */
import { type Level, linesOf, normalLine, normalText, plain } from './lines.ts'

/** Blanks that all lines of the file have more (`add`) or less (`remove`) than those of `old_text`. */
export type Shift = { kind: 'add' | 'remove'; prefix: string }

export type Match = {
  /** Range of the original text. */
  start: number
  end: number
  how: 'exact' | Level | 'indentation'
  shift?: Shift
  /** The file ends without a newline where `old_text` has one. */
  withoutFinalNewline?: boolean
}

/**
 * All places of the strictest kind that has any, in order and possibly overlapping: the same text, whatever its line
 * endings (which a model does not see); other blanks at line ends and typographic characters; all lines indented more
 * or less by the same blanks. Nothing between the first and the last character is ever skipped or taken for similar.
 */
export function findMatches(text: string, old: string): Match[] {
  const same = sameText(text, old)
  if (same.length > 0) return same
  const spaces = normalMatches(text, old, 'spaces')
  return spaces.length > 0 ? spaces : shiftedMatches(text, old)
}

function sameText(text: string, old: string): Match[] {
  const bytes = occurrences(text, old).map((start): Match => ({ start, end: start + old.length, how: 'exact' }))
  if (bytes.length > 0 && (meansBytes(old) || !text.includes('\r\n'))) return bytes
  return normalMatches(text, old, 'endings').map((match) =>
    text.slice(match.start, match.end) === old ? { ...match, how: 'exact' } : match,
  )
}

/** True for text that shows line endings as they are: it is taken to the byte where it can be. */
export function meansBytes(old: string): boolean {
  return /\r(\n|$)/.test(old)
}

function normalMatches(text: string, old: string, level: Level): Match[] {
  const hay = normalText(text, level)
  const needle = normalText(old, level).text
  if (needle === '') return []
  const blankEnd = level === 'spaces' && /[ \t]$/.test(plain(old))
  const found = (haystack: string, virtual: boolean): Match[] =>
    occurrences(haystack, needle).flatMap((at): Match[] => {
      const last = at + needle.length - 1
      // Blanks that were dropped at the end of old_text can only have meant blanks at the end of a line.
      if (blankEnd && last + 1 < haystack.length && haystack[last + 1] !== '\n') return []
      const start = hay.start(at)
      if (virtual) return [{ start, end: text.length, how: level, withoutFinalNewline: true }]
      return [{ start, end: blankEnd ? hay.bodyEnd(last) : hay.end(last), how: level }]
    })
  const matches = found(hay.text, false)
  if (matches.length > 0 || !needle.endsWith('\n') || hay.text.endsWith('\n')) return matches
  return needle.length > 1 && hay.text.endsWith(needle.slice(0, -1)) ? found(`${hay.text}\n`, true) : []
}

/** Whole lines only: each line that is not blank differs from its counterpart by the very same leading blanks. */
function shiftedMatches(text: string, old: string): Match[] {
  const lines = linesOf(text)
  const bodies = lines.map((line) => normalLine(line.body, 'spaces'))
  const wanted = linesOf(old).map((line) => normalLine(line.body, 'spaces'))
  const endsWithNewline = wanted.length > 1 && old.endsWith('\n')
  if (endsWithNewline) wanted.pop()
  const first = wanted.findIndex((body) => body !== '')
  if (first < 0) return []
  const matches: Match[] = []
  for (let at = 0; at + wanted.length <= lines.length; at++) {
    const shift = shiftBetween(bodies[at + first] ?? '', wanted[first] ?? '')
    if (shift === null) continue
    if (!wanted.every((body, i) => shifted(body, shift) === bodies[at + i])) continue
    const opening = lines[at]
    const closing = lines[at + wanted.length - 1]
    if (!opening || !closing) continue
    const end = closing.start + closing.body.length
    const match: Match = { start: opening.start, end, how: 'indentation', shift }
    if (endsWithNewline && closing.ending === '') match.withoutFinalNewline = true
    else if (endsWithNewline) match.end = end + closing.ending.length
    matches.push(match)
  }
  return matches
}

/** The line as it looks in the file; null when it lacks the blanks that were to be taken away. Blank lines stay blank. */
export function shifted(line: string, shift: Shift): string | null {
  if (line.trim() === '') return line
  if (shift.kind === 'add') return shift.prefix + line
  return line.startsWith(shift.prefix) ? line.slice(shift.prefix.length) : null
}

function shiftBetween(file: string, old: string): Shift | null {
  const longer = file.length > old.length ? file : old
  const shorter = file.length > old.length ? old : file
  const prefix = longer.slice(0, longer.length - shorter.length)
  if (shorter === '' || prefix === '' || !/^[ \t]+$/.test(prefix) || !longer.endsWith(shorter)) return null
  return { kind: longer === file ? 'add' : 'remove', prefix }
}

function occurrences(text: string, part: string): number[] {
  const found: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) found.push(at)
  return found
}
