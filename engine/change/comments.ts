/** The comments of a person on single lines, as words for the model. */
import { type LineComment, shorten } from '../protocol/index.ts'

/** One line a comment: `src/cart.ts:41 `return n.toFixed(2)`: keep toFixed`; '' when there are none. */
export function commentWords(comments: readonly LineComment[]): string {
  if (comments.length === 0) return ''
  const rows = comments.map(({ path, line, snippet, text }) => `${path}:${line} \`${clipped(snippet)}\`: ${text}`)
  return [`The person's comments:`, ...rows].join('\n')
}

/** Enough of a line to know it again. */
function clipped(snippet: string): string {
  return shorten(snippet.trim(), 200)
}
