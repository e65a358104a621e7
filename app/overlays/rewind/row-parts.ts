/** What the rows of the list and of the preview have in common. */
import {
  cellWidth,
  fitSpans,
  type KeyTable,
  type StyledRow,
  type StyledSpan,
  type Theme,
  wrapCells,
} from '@sluice/permissions-ui'
import { oneLine } from '../../dashboard/sections.ts'
import { plural } from '../../transcript/format.ts'
import { type Hint, hintLines } from '../hint-spans.ts'
import type { RewindState } from './rewind-state.ts'

export type RewindPlace = {
  width: number
  height: number
  theme: Theme
  table: KeyTable
  /** ms since 1970. */
  now: number
}

export const blank: StyledRow = { spans: [] }

/** At most so many rows; the last of them says how much more there is. */
export function gapRows(gaps: readonly string[], { theme }: RewindPlace, most = 1): StyledRow[] {
  return gaps.slice(0, most).map((gap, i) => {
    const more = i === most - 1 ? gaps.length - most : 0
    const rest = more === 0 ? '' : ` (and ${plural(more, 'thing')} more)`
    return {
      spans: [
        { text: ` ${theme.glyphs.warn} not captured: `, color: theme.warn },
        { text: oneLine(gap) + rest, color: theme.muted },
      ],
    }
  })
}

export function title(name: string, words: string, { theme }: RewindPlace): StyledRow {
  return {
    spans: [
      { text: ` ${name}`, color: theme.accent, bold: true },
      { text: `   ${words}`, color: theme.muted },
    ],
  }
}

/** What is said, or the keys that do something now; exactly `lines` rows. */
export function foot(
  { problem, doing }: RewindState,
  hints: readonly Hint[],
  { width, theme }: RewindPlace,
  lines = 1,
): StyledRow[] {
  let said: StyledSpan[][]
  if (problem !== null) {
    const words = wrapCells(`${theme.glyphs.warn} ${oneLine(problem)}`, Math.max(1, width - 2))
    const kept = [...words.slice(0, lines - 1), words.slice(lines - 1).join(' ')]
    said = kept.map((text) => [{ text: ` ${text}`, color: theme.warn }])
  } else if (doing !== null) said = [[{ text: ` ${doing}`, color: theme.muted }]]
  else said = hintLines(hints, width, lines, theme)
  return Array.from({ length: lines }, (_, i) => ({ spans: said[i] ?? [] }))
}

/** With `words` near its end. */
export function rule({ width, theme }: RewindPlace, words = ''): StyledRow {
  const line = theme.glyphs.horizontal
  const left = Math.max(0, width - cellWidth(words) - 3)
  const text = words === '' ? line.repeat(Math.max(0, width)) : `${line.repeat(left)} ${words} ${line}`
  return { spans: [{ text, color: theme.muted }] }
}

export function muted(text: string, { theme }: RewindPlace): StyledRow {
  return { spans: [{ text, color: theme.muted }] }
}

export function cut(row: StyledRow, width: number, theme: Theme): StyledRow {
  return { spans: fitSpans(row.spans, width, theme.glyphs.ellipsis) }
}
