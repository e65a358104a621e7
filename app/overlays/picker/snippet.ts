/** Text with what was searched for in it, lit. */
import { type StyledSpan, sanitizeForTerminal, type Theme } from '@sluice/permissions-ui'

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
