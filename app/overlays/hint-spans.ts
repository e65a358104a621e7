/** The keys of a place on one line: those that fit whole, the last ones give way. */
import { fitSpans, rowWidth, type StyledSpan, type Theme } from '@sluice/permissions-ui'

export type Hint = [key: string, help: string]

/** Hints that fit whole; the last ones give way. */
export function hintSpans(hints: readonly Hint[], width: number, theme: Theme): StyledSpan[] {
  const out: StyledSpan[] = [{ text: ' ' }]
  for (const [key, help] of hints) {
    if (key === '') continue
    const next: StyledSpan[] = [
      { text: `${out.length > 1 ? '   ' : ''}${key}` },
      { text: ` ${help}`, color: theme.muted },
    ]
    if (rowWidth({ spans: [...out, ...next] }) > width) break
    out.push(...next)
  }
  return fitSpans(out, width)
}
