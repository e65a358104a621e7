/** Judges the characters of a command line before anybody parses it: what the eye cannot see must be asked about. */

/** The longest command line that a rule may allow, in UTF-16 units. */
const longestPlain = 16_384

/**
 * Sentences about characters and spacing that hide what a line does; empty when the line shows all of itself.
 * A line with one of these is never plain.
 */
export function lexicalHazards(line: string): string[] {
  const hazards: string[] = []
  const hidden = hiddenCharacters(line)
  if (hidden.length > 0) hazards.push(`the command contains hidden or unusual characters (${hidden.join(', ')})`)
  if (line.length > 40 && /[ \t]{41}/.test(line))
    hazards.push('a long run of blanks may push a part of the command out of sight')
  if (line.includes('\n') && /(?:\n[ \t]*){9}/.test(line))
    hazards.push('a long run of empty lines may push a part of the command out of sight')
  if (line.endsWith('\\')) hazards.push('the command ends in a backslash')
  if (line.length > longestPlain) hazards.push('the command is longer than 16 kB')
  return hazards
}

/** Names (U+202E) of at most five different characters that a reader would not see or would take for another one. */
function hiddenCharacters(line: string): string[] {
  if (/^[\t\n\x20-\x7e]*$/.test(line)) return []
  const found = new Set<string>()
  for (const match of line.matchAll(suspect)) {
    const character = match[0]
    if (joinsEmoji(line, match.index, character)) continue
    found.add(`U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`)
    if (found.size === 5) break
  }
  return [...found]
}

const suspectRanges = [
  // Controls other than tab and newline, C1, no-break space.
  '\\0-\\x08\\x0b-\\x1f\\x7f-\\xa0',
  // Characters that draw nothing: soft hyphen, joiners, fillers, vowel marks without a letter, braille blank.
  '\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2800\\u3164\\ufeff\\uffa0',
  // Direction marks and overrides, zero-width characters, line separators, spaces of other widths.
  '\\u061c\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000',
  // Variation selectors, interlinear and musical marks, tags, and halves of surrogate pairs.
  '\\ufe00-\\ufe0f\\ufff9-\\ufffb\\ud800-\\udfff\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}',
]
const suspect = new RegExp(`[${suspectRanges.join('')}]`, 'gu')

/** True for a joiner or an emoji selector that sits where an emoji needs it. */
function joinsEmoji(line: string, index: number, character: string): boolean {
  const before = line.slice(Math.max(0, index - 2), index)
  if (character === '\ufe0f') return /[\p{Extended_Pictographic}#*0-9]$/u.test(before)
  if (character !== '\u200d') return false
  return (
    /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u.test(before) &&
    /^\p{Extended_Pictographic}/u.test(line.slice(index + 1, index + 3))
  )
}
