/** Notices text whose line breaks were escaped twice on the way. */

/**
 * A sentence for the model when `text` has no real newline but the two characters `\n` outside of quoted strings,
 * where code has them for good reason; undefined otherwise. The text itself is always taken as it is.
 */
export function escapeWarning(text: string, field: string): string | undefined {
  if (text.includes('\n') || !text.includes('\\n')) return undefined
  const unquoted = text.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|\/(?:\\.|[^/\\\s])+\//g, '')
  if (!unquoted.includes('\\n')) return undefined
  return (
    `Warning: ${field} has no line break but holds the two characters \\n, and was written exactly so. ` +
    'If line breaks were meant, send them unescaped and edit again.'
  )
}
