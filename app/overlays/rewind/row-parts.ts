/** What the rows of the list and of the preview have in common. */
import { fitSpans, type KeyTable, type StyledRow, type Theme } from '@sluice/permissions-ui'
import { oneLine } from '../../dashboard/sections.ts'
import { plural } from '../../transcript/format.ts'
import { type Hint, hintSpans } from '../hint-spans.ts'
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

export function gapRows(gaps: readonly string[], { theme }: RewindPlace): StyledRow[] {
  const [first, ...more] = gaps
  if (first === undefined) return []
  const rest = more.length === 0 ? '' : ` (and ${plural(more.length, 'thing')} more)`
  return [
    {
      spans: [
        { text: ` ${theme.glyphs.warn} not captured: `, color: theme.warn },
        { text: oneLine(first) + rest, color: theme.muted },
      ],
    },
  ]
}

export function title(name: string, words: string, { theme }: RewindPlace): StyledRow {
  return {
    spans: [
      { text: ` ${name}`, color: theme.accent, bold: true },
      { text: `   ${words}`, color: theme.muted },
    ],
  }
}

export function foot(state: RewindState, hints: readonly Hint[], { width, theme }: RewindPlace): StyledRow {
  if (state.problem !== null)
    return { spans: [{ text: ` ${theme.glyphs.warn} ${oneLine(state.problem)}`, color: theme.warn }] }
  if (state.doing !== null) return { spans: [{ text: ` ${state.doing}`, color: theme.muted }] }
  return { spans: hintSpans(hints, width, theme) }
}

export function rule({ width, theme }: RewindPlace): StyledRow {
  return { spans: [{ text: theme.glyphs.horizontal.repeat(Math.max(0, width)), color: theme.muted }] }
}

export function muted(text: string, { theme }: RewindPlace): StyledRow {
  return { spans: [{ text, color: theme.muted }] }
}

export function cut(row: StyledRow, width: number, theme: Theme): StyledRow {
  return { spans: fitSpans(row.spans, width, theme.glyphs.ellipsis) }
}
