/** A window over file changes: only the rows in it are made and mounted. */
import type { FileDiff } from '@sluice/engine/protocol'
import { Box } from 'ink'
import { useMemo } from 'react'
import { RowView } from '../blocks/RowView.tsx'
import { useTheme } from '../theme.ts'
import { diffLines } from './diff-lines.ts'
import { useHighlighter } from './highlight.ts'

/** One `diff` or several `diffs`. */
export type DiffViewProps = {
  diff?: FileDiff
  diffs?: readonly FileDiff[]
  width: number
  height: number
  /** First visible row. */
  offset: number
  /** Cells that long lines are moved to the left. */
  left?: number
  /** The row that is marked. */
  cursor?: number
  split?: boolean
  /** Heads each file with its name; by default where there are several. */
  files?: boolean
  hunks?: boolean
  reveal?: boolean
}

export function DiffView(props: DiffViewProps) {
  const { diff, width, height, offset, left = 0, cursor, split = false, hunks, reveal } = props
  const diffs = useMemo(() => props.diffs ?? (diff ? [diff] : []), [props.diffs, diff])
  const files = props.files ?? diffs.length > 1
  const theme = useTheme()
  const version = useHighlighter()
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours that have come since make other rows
  const lines = useMemo(
    () => diffLines(diffs, { width, theme, left, split, files, hunks, reveal }),
    [diffs, width, theme, left, split, files, hunks, reveal, version],
  )
  const first = Math.max(0, Math.min(offset, lines.count - 1))
  const count = Math.min(height, lines.count - first)
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      {Array.from({ length: count }, (_, i) => {
        const index = first + i
        return <RowView key={index} row={index === cursor ? lines.pointed(index) : lines.at(index)} />
      })}
    </Box>
  )
}
