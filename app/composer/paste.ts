/** Pastes: cleaned to plain text, and long ones folded into a chip that is one character of the draft. */

/** Chip number → what was pasted. Chips are only added, so that undo finds them again. */
export type Chips = ReadonlyMap<number, string>

export type Chip = { id: number; text: string; label: string; length: number }

/** A paste of so many lines or characters becomes a chip. */
export const chipLines = 10
export const chipCharacters = 2000

/**
 * Plain text: `\n` as the only line break, no escape sequences, no control characters but the tab, no halves of characters.
 * What is merely invisible stays and is shown as such.
 */
export function cleanText(text: string): string {
  if (!unclean.test(text)) return text
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]?/g, '')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
    .replace(/[\u{10f000}-\u{10fffd}]/gu, '\ufffd')
    .toWellFormed()
}

/** What stands in the draft for a paste: the text itself, or a new chip. `text` must be clean. */
export function foldPaste(chips: Chips, text: string): { text: string; chips: Chips } {
  if (text.length < chipCharacters && countLines(text) < chipLines) return { text, chips }
  const id = Math.max(0, ...chips.keys()) + 1
  if (id > mostChips) return { text, chips }
  return { text: chipCharacter(id), chips: new Map(chips).set(id, text) }
}

/** The chip whose character stands at `index`, or null. */
export function chipAt(chips: Chips, text: string, index: number): Chip | null {
  const code = text.codePointAt(index)
  if (code === undefined || code <= firstChip) return null
  const id = code - firstChip
  const pasted = chips.get(id)
  return pasted === undefined ? null : { id, text: pasted, label: chipLabel(id, pasted), length: 2 }
}

/** `text` with every chip replaced by what was pasted. */
export function chipText(chips: Chips, text: string): string {
  if (chips.size === 0) return text
  return text.replace(/[\u{10f000}-\u{10fffd}]/gu, (char) => chips.get((char.codePointAt(0) ?? 0) - firstChip) ?? '')
}

/** `text` with a word in the place of every chip, for where there is no room for what was pasted. */
export function chipWords(text: string): string {
  return text.replace(/ *[\u{10f000}-\u{10fffd}] */gu, ' [pasted] ').trim()
}

/** `[pasted 10,000 lines #1]` */
export function chipLabel(id: number, text: string): string {
  const lines = countLines(text)
  const size = lines > 1 ? `${grouped(lines)} lines` : `${grouped(text.length)} characters`
  return `[pasted ${size} #${id}]`
}

/** The character that stands for chip `id`. */
export function chipCharacter(id: number): string {
  return String.fromCodePoint(firstChip + id)
}

function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

const unclean = /[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]/
/** Private characters of the last plane; icon fonts use the plane before it. */
const firstChip = 0x10f000
/** More would need another first half (see layout.ts). */
const mostChips = 0x3ff
