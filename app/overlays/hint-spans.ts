/** The keys of a place on one line, or on a few: those that fit whole, the last ones give way. */
import { cellWidth, fitSpans, rowWidth, type StyledSpan, type Theme } from '@sluice/permissions-ui'

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

/** As many lines as the hints need, at most `most`: none is cut, and a line that is full goes on in the next. */
export function hintLines(hints: readonly Hint[], width: number, most: number, theme: Theme): StyledSpan[][] {
  const lines: Hint[][] = [[]]
  for (const hint of hints.filter(([key]) => key !== '')) {
    const line = lines.at(-1) ?? []
    if (line.length === 0 || lines.length === most || lineCells([...line, hint]) <= width) line.push(hint)
    else lines.push([hint])
  }
  return lines.map((line) => hintSpans(line, width, theme))
}

function lineCells(hints: readonly Hint[]): number {
  return hints.reduce((sum, [key, help], i) => sum + cellWidth(`${i === 0 ? ' ' : '   '}${key} ${help}`), 0)
}
