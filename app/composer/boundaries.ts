/** Where graphemes and words begin and end in a text, found by looking at its neighbourhood only. */

/** The start of the grapheme that ends at `index`; 0 at the beginning. `index` must stand between graphemes. */
export function graphemeStart(text: string, index: number): number {
  if (index <= 0) return 0
  if (isPlain(text, index - 1) && (index < 2 || isPlain(text, index - 2))) return index - 1
  let start = 0
  for (const boundary of boundariesAround(text, index)) {
    if (boundary >= index) break
    start = boundary
  }
  return start
}

/** The end of the grapheme that begins at `index`. */
export function graphemeEnd(text: string, index: number): number {
  if (index >= text.length) return text.length
  if (isPlain(text, index) && (index + 1 >= text.length || isPlain(text, index + 1))) return index + 1
  for (const boundary of boundariesAround(text, index)) if (boundary > index) return boundary
  return text.length
}

/** The first place between graphemes at or after `index`. */
export function snapForward(text: string, index: number): number {
  if (index <= 0) return 0
  if (index >= text.length) return text.length
  if (isPlain(text, index) && isPlain(text, index - 1)) return index
  for (const boundary of boundariesAround(text, index)) if (boundary >= index) return boundary
  return text.length
}

/** The start of the word at or before `index`. */
export function wordStart(text: string, index: number): number {
  const from = windowStart(text, Math.max(0, index - wordReach))
  let start = from
  let found = false
  for (const word of words(text, from, index)) {
    start = word.start
    found = true
  }
  return found || from === 0 ? start : graphemeStart(text, index)
}

/** The end of the word at or after `index`. */
export function wordEnd(text: string, index: number): number {
  const from = windowStart(text, index)
  const to = Math.min(text.length, index + wordReach)
  for (const word of words(text, from, to)) if (word.end > index) return word.end
  return to
}

function* words(text: string, from: number, to: number): Generator<{ start: number; end: number }> {
  wordSegmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })
  for (const { segment, index, isWordLike } of wordSegmenter.segment(text.slice(from, to))) {
    if (isWordLike) yield { start: from + index, end: from + index + segment.length }
  }
}

/** Boundaries from a safe place before `index` up to the first ones after it. */
function* boundariesAround(text: string, index: number): Generator<number> {
  const from = windowStart(text, index)
  let to = index + reach
  if (to < text.length && isLow(text, to)) to++
  const part = text.slice(from, to)
  graphemeSegmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  for (const { index: offset } of graphemeSegmenter.segment(part)) yield from + offset
  yield from + part.length
}

/** A place at or before `index` that is a boundary whatever stands before it: between two plain characters. */
function windowStart(text: string, index: number): number {
  let at = Math.min(index, text.length) - 1
  while (at > 0 && !(isPlain(text, at) && isPlain(text, at - 1))) at--
  return Math.max(0, at)
}

/** Printable ASCII or a line break: begins a grapheme after another such character. */
function isPlain(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return (code >= 0x20 && code < 0x7f) || code === 0x0a || code === 0x09
}

function isLow(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code >= 0xdc00 && code <= 0xdfff
}

let graphemeSegmenter: Intl.Segmenter | undefined
let wordSegmenter: Intl.Segmenter | undefined
/** UTF-16 units: no grapheme that people write is longer. */
const reach = 256
const wordReach = 4096
