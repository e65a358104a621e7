/** Applies a list of edits to a text: each to what the one before left, all of them or none. */
import { ToolFailure } from '@sluice/engine/ports'
import { endingFinder, lineNumber } from './lines.ts'
import { findMatches, type Match } from './match.ts'
import { explainMiss } from './near-miss.ts'
import { replacementFor } from './replace.ts'

export type Edit = { old_text: string; new_text: string; replace_all?: boolean }

/** `notes` say where an edit was found only after normalisation. */
export type Edited = { text: string; notes: string[] }

/** Throws ToolFailure, naming the edit, when one has no place, more places than wanted, or changes nothing. */
export function applyEdits(text: string, edits: readonly Edit[], shown: string): Edited {
  const notes = new Set<string>()
  let current = text
  edits.forEach((edit, index) => {
    const label = edits.length > 1 ? `edits[${index}]: ` : ''
    const matches = placesOf(current, edit, label, shown)
    const how = matches[0] && howMatched(matches[0])
    if (how !== undefined) notes.add(`${label}${how}`)
    current = replaceAll(current, matches, edit, label)
  })
  return { text: current, notes: [...notes] }
}

function placesOf(text: string, edit: Edit, label: string, shown: string): Match[] {
  if (edit.old_text === '') {
    throw new ToolFailure(
      `${label}old_text is empty, but ${shown} exists. Send the text that is to be replaced, or use write_file to ` +
        'replace the whole file.',
    )
  }
  if (edit.old_text === edit.new_text) {
    throw new ToolFailure(`${label}no change: old_text and new_text are the same. Nothing was written.`)
  }
  const matches = findMatches(text, edit.old_text)
  if (matches.length === 0) throw new ToolFailure(`${label}${explainMiss(text, edit.old_text, edit.new_text, shown)}`)
  if (matches.length > 1 && !edit.replace_all) throw ambiguous(text, matches, label, shown)
  return matches
}

function replaceAll(text: string, matches: Match[], edit: Edit, label: string): string {
  const parts: string[] = []
  const endingAt = endingFinder(text)
  let at = 0
  for (const match of matches) {
    // The next place overlaps the one just replaced.
    if (match.start < at) continue
    const replacement = replacementFor(text, match, edit.old_text, edit.new_text, endingAt)
    if (replacement === null) throw unshiftable(match, label)
    parts.push(text.slice(at, match.start), replacement)
    at = match.end
  }
  return parts.join('') + text.slice(at)
}

function ambiguous(text: string, matches: Match[], label: string, shown: string): ToolFailure {
  const numbers = matches.slice(0, 10).map((match) => lineNumber(text, match.start))
  const listed = numbers.join(', ') + (matches.length > 10 ? ' …' : '')
  return new ToolFailure(
    `${label}old_text stands ${matches.length} times in ${shown} (lines ${listed}). Nothing was written. ` +
      'Add lines around it until it is unique, or set replace_all to change every place.',
    'TOOL_EXECUTION_FAILED',
    { lines: numbers },
  )
}

function unshiftable(match: Match, label: string): ToolFailure {
  const blanks = JSON.stringify(match.shift?.prefix ?? '')
  return new ToolFailure(
    `${label}old_text is indented by ${blanks} more than the file, but a line of new_text lacks these blanks. ` +
      'Nothing was written. Send both with the indentation of the file.',
  )
}

function howMatched(match: Match): string | undefined {
  switch (match.how) {
    case 'exact':
    case 'endings':
      return undefined
    case 'spaces':
      return 'old_text was found after ignoring blanks at line ends and typographic quotes, dashes and spaces.'
    case 'indentation': {
      const more = match.shift?.kind === 'add' ? 'more' : 'less'
      const blanks = JSON.stringify(match.shift?.prefix ?? '')
      return `old_text was found with every line indented by ${blanks} ${more}; new_text was indented alike.`
    }
  }
}
