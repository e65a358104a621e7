/** The list of completions above the draft: a window that keeps the selected row in sight. */
import { cellWidth, padCells, sanitizeForTerminal, sliceCells, truncateCells, useTheme } from '@sluice/permissions-ui'
import { Box, Text } from 'ink'
import type { Choice } from './completion.ts'

type Props = { choices: readonly Choice[]; selected: number; rows: number; width: number }

export function CompletionList({ choices, selected, rows, width }: Props) {
  const theme = useTheme()
  const first = Math.max(0, Math.min(selected - (rows >> 1), choices.length - rows))
  const shown = choices.slice(first, first + rows).map((choice) => ({
    label: sanitizeForTerminal(choice.label, 'visible'),
    detail: sanitizeForTerminal(choice.detail, 'visible'),
  }))
  const labels = Math.min(Math.max(...shown.map(({ label }) => cellWidth(label))), Math.max(8, Math.floor(width * 0.6)))
  return (
    <Box flexDirection="column" height={rows} flexShrink={0}>
      {shown.map(({ label, detail }, index) => {
        const isSelected = first + index === selected
        const room = width - labels - 4
        const cut = cutStart(label, detail === '' ? width - 2 : labels, theme.glyphs.ellipsis)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row of the window, whatever stands in it
          <Text key={index} wrap="truncate">
            <Text color={isSelected ? theme.accent : theme.muted}>
              {isSelected ? theme.glyphs.closed : ' '} {detail === '' ? cut : padCells(cut, labels)}
            </Text>
            {detail !== '' && room > 3 ? (
              <Text color={theme.muted}>{`  ${truncateCells(detail, room, theme.glyphs.ellipsis)}`}</Text>
            ) : null}
          </Text>
        )
      })}
    </Box>
  )
}

/** Paths are told apart by their ends. */
function cutStart(text: string, width: number, ellipsis: string): string {
  const cells = cellWidth(text)
  if (cells <= width) return text
  return ellipsis + sliceCells(text, cells - width + cellWidth(ellipsis), cells)
}
