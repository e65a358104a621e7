/** The panel beside the transcript. */
import { KeysContext, keyLabel, RowView, type StyledRow, useTheme } from '@sluice/permissions-ui'
import { Box } from 'ink'
import { memo, useContext, useRef } from 'react'
import { keepEqualRows } from '../markdown/spans.ts'
import type { OpenQuestion, SessionView } from '../state/index.ts'
import { type Section, stack } from './section.ts'
import {
  changesSection,
  metersSection,
  planSection,
  questionsSection,
  runningSection,
  verificationSection,
} from './sections.ts'

export type SidePanelProps = {
  view: SessionView
  questions: readonly OpenQuestion[]
  width: number
  height: number
  /** ms since 1970; moves only while something runs. */
  now: number
}

export const SidePanel = memo(function SidePanel({ view, questions, width, height, now }: SidePanelProps) {
  const theme = useTheme()
  const { table } = useContext(KeysContext)
  const inner = width - 3
  const answer = keyLabel(table, 'leader', 'answer')
  const sections = [
    questionsSection(questions, view.id, answer, inner, theme, keyLabel(table, 'leader', 'inbox')),
    planSection(view.todo, inner, theme),
    runningSection(view, now, inner, theme),
    changesSection(view, inner, theme, keyLabel(table, 'leader', 'review')),
    verificationSection(view, inner, theme),
    metersSection(view, now, inner, theme),
  ].filter((section): section is Section => section !== null)
  const rows = stack(sections, inner, height, theme)
  const edge = { text: `${theme.glyphs.vertical} `, color: theme.muted }
  const drawn = useRef<readonly StyledRow[]>([])
  drawn.current = keepEqualRows(
    drawn.current,
    Array.from({ length: height }, (_, i) => ({ spans: [edge, ...(rows[i]?.spans ?? [])] })),
  )
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden" flexShrink={0}>
      {drawn.current.map((row, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of the panel have no identity but their place
        <RowView key={i} row={row} />
      ))}
    </Box>
  )
})
