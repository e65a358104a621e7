/** Shorter texts for records and screens, cut so that no half of a secret is left: only a whole one is known for what it is. */

/** Shorter words are no secrets. */
const longWord = 8
/** Longer ones are no words: a whole program may stand in one line without a blank. */
const longestWord = 4_000

/** At most `max` characters, `…` included. Of a word that the cut would go through, a few letters are left. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  // Half of a surrogate pair is no character.
  return `${text.slice(0, cutBefore(text, max - 1)).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Where to end a text that goes on behind `at`: there, or early in the word that would be cut. */
export function cutBefore(text: string, at: number): number {
  if (at <= 0 || at >= text.length || isBlank(text, at - 1) || isBlank(text, at)) return at
  let start = at
  while (start > 0 && at - start <= longestWord && !isBlank(text, start - 1)) start--
  return at - start < longWord || at - start > longestWord ? at : start + longWord - 1
}

/** Where to begin a text that stands before `at` too: there, or late in the word that would be cut. */
export function cutAfter(text: string, at: number): number {
  if (at <= 0 || at >= text.length || isBlank(text, at - 1) || isBlank(text, at)) return at
  let end = at
  while (end < text.length && end - at <= longestWord && !isBlank(text, end)) end++
  return end - at < longWord || end - at > longestWord ? at : end - longWord + 1
}

function isBlank(text: string, at: number): boolean {
  return /\s/.test(text.charAt(at))
}
