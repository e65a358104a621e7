/** A single line of text being edited: a pure function from a key press to the next state. */
import type { KeyPress } from '../keys.ts'
import { cellWidth, graphemes } from '../text/cells.ts'
import { sanitizeForTerminal } from '../text/sanitize.ts'

/** `caret` counts graphemes before it. */
export type LineState = { text: string; caret: number }

export const emptyLine: LineState = { text: '', caret: 0 }

/** The line after `press`, or null when the key means nothing to an editor. */
export function editLine(line: LineState, press: KeyPress): LineState | null {
  const parts = graphemes(line.text)
  const caret = Math.min(line.caret, parts.length)
  const at = (next: number): LineState => ({ text: line.text, caret: Math.max(0, Math.min(parts.length, next)) })
  const without = (from: number, to: number): LineState => ({
    text: [...parts.slice(0, from), ...parts.slice(to)].join(''),
    caret: from,
  })
  switch (press.name) {
    case 'left':
    case 'ctrl+b':
      return at(caret - 1)
    case 'right':
    case 'ctrl+f':
      return at(caret + 1)
    case 'home':
    case 'ctrl+a':
      return at(0)
    case 'end':
    case 'ctrl+e':
      return at(parts.length)
    case 'alt+b':
    case 'ctrl+left':
    case 'alt+left':
      return at(wordStart(parts, caret))
    case 'alt+f':
    case 'ctrl+right':
    case 'alt+right':
      return at(wordEnd(parts, caret))
    case 'backspace':
      return caret === 0 ? line : without(caret - 1, caret)
    case 'delete':
    case 'ctrl+d':
      return without(caret, Math.min(parts.length, caret + 1))
    case 'ctrl+w':
    case 'alt+backspace':
      return without(wordStart(parts, caret), caret)
    case 'alt+d':
      return without(caret, wordEnd(parts, caret))
    case 'ctrl+u':
      return without(0, caret)
    case 'ctrl+k':
      return without(caret, parts.length)
    default:
      return press.text === '' ? null : insertText(line, press.text)
  }
}

/** Inserts at the caret; line feeds and tabs become a space, control characters vanish. */
export function insertText(line: LineState, text: string): LineState {
  const parts = graphemes(line.text)
  const plain = text.replace(/[\r\n\t]+/g, ' ')
  // Cleaned together with what stands before it: a mark needs its letter.
  const before = sanitizeForTerminal(parts.slice(0, line.caret).join('') + plain, 'output')
  // What was typed may join with what stands there: the caret is counted anew.
  return { text: before + parts.slice(line.caret).join(''), caret: graphemes(before).length }
}

/** The part of a line that fits into `width` cells around its caret, split at the caret; `at` is '' at the end. */
export function lineWindow(line: LineState, width: number): { before: string; at: string; after: string } {
  const parts = graphemes(line.text)
  const caret = Math.min(line.caret, parts.length)
  const caretCells = Math.max(1, cellWidth(parts[caret] ?? ' '))
  let from = caret
  let used = caretCells
  while (from > 0 && used + cellWidth(parts[from - 1] ?? '') <= Math.max(width, 1))
    used += cellWidth(parts[--from] ?? '')
  let to = Math.min(parts.length, caret + 1)
  while (to < parts.length && used + cellWidth(parts[to] ?? '') <= width) used += cellWidth(parts[to++] ?? '')
  return {
    before: parts.slice(from, caret).join(''),
    at: parts[caret] ?? '',
    after: parts.slice(caret + 1, to).join(''),
  }
}

function wordStart(parts: readonly string[], caret: number): number {
  let i = caret
  while (i > 0 && !isWord(parts[i - 1])) i--
  while (i > 0 && isWord(parts[i - 1])) i--
  return i
}

function wordEnd(parts: readonly string[], caret: number): number {
  let i = caret
  while (i < parts.length && !isWord(parts[i])) i++
  while (i < parts.length && isWord(parts[i])) i++
  return i
}

function isWord(grapheme: string | undefined): boolean {
  return grapheme !== undefined && /[\p{L}\p{N}_]/u.test(grapheme)
}
