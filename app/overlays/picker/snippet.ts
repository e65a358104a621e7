/** Text with what was searched for in it, lit. */
import { cellWidth, type StyledSpan, sanitizeForTerminal, type Theme } from '@sluice/permissions-ui'

/** One line; `marks` are [from, to) in `text`, and `look` is what the rest looks like. */
export function marked(
  text: string,
  marks: readonly (readonly [number, number])[],
  theme: Theme,
  look: Omit<StyledSpan, 'text'> = { color: theme.muted },
): StyledSpan[] {
  const spans: StyledSpan[] = []
  const put = (piece: string, style: Omit<StyledSpan, 'text'>) => {
    const clean = sanitizeForTerminal(piece, 'output').replace(/\s+/g, ' ')
    if (clean !== '') spans.push({ text: clean, ...style })
  }
  let at = 0
  for (const [from, to] of marks) {
    if (from < at || to > text.length) continue
    put(text.slice(at, from), look)
    put(text.slice(from, to), { color: theme.accent, bold: true })
    at = to
  }
  put(text.slice(at), look)
  return spans
}

export type Snippet = { text: string; marks: readonly (readonly [number, number])[] }

/** The same where the first mark is within `room` cells; else it begins a few words before that mark. */
export function fromFirstMark({ text, marks }: Snippet, room: number, ellipsis: string): Snippet {
  const [first] = marks
  if (first === undefined || cellWidth(text.slice(0, first[1])) < room) return { text, marks }
  let start = first[0]
  for (let word = start; word > 0; ) {
    const before = text.lastIndexOf(' ', word - 2) + 1
    if (before >= word) break
    word = before
    if (cellWidth(text.slice(word, first[1])) > room / 2) break
    start = word
  }
  const moved = ellipsis.length - start
  return { text: ellipsis + text.slice(start), marks: marks.map(([from, to]) => [from + moved, to + moved]) }
}

/** Where the words occur in `text`, in order and without overlaps. */
export function marksIn(text: string, words: string): [number, number][] {
  const lower = text.toLowerCase()
  // A few letters change their length in lower case; then nothing is lit rather than the wrong thing.
  if (lower.length !== text.length) return []
  const found: [number, number][] = []
  for (const word of words.toLowerCase().split(/\s+/)) {
    if (word === '') continue
    for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + word.length))
      found.push([at, at + word.length])
  }
  found.sort((a, b) => a[0] - b[0] || b[1] - a[1])
  return found.filter(([from], i) => found.slice(0, i).every(([, to]) => to <= from))
}
