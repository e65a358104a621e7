/** Lets a person choose a model, or the demo, when nothing is set up yet. */
import {
  actionOf,
  editLine,
  emptyLine,
  insertText,
  KeysContext,
  type LineState,
  RowsView,
  useKeys,
  useTheme,
} from '@sluice/permissions-ui'
import { Box } from 'ink'
import { useContext, useState } from 'react'
import { type FirstRunChoice, type FirstRunFound, fieldChoice, firstRunEntries, firstRunRows } from './first-run.ts'

export type FirstRunProps = {
  width: number
  height: number
  found: FirstRunFound
  onChoose(choice: FirstRunChoice): void
  onClose(): void
}

export function FirstRun({ width, height, found, onChoose, onClose }: FirstRunProps) {
  const theme = useTheme()
  const { table } = useContext(KeysContext)
  const [picked, setPicked] = useState(0)
  const [line, setLine] = useState<LineState | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const entries = firstRunEntries(found)
  const selected = Math.min(picked, entries.length - 1)
  const entry = entries[selected]

  const go = (to: number) => setPicked(Math.max(0, Math.min(entries.length - 1, to)))
  const change = (next: LineState | null) => {
    setLine(next)
    setProblem(null)
  }
  const accept = () => {
    if (entry?.kind === 'choice') onChoose(entry.choice)
    else if (entry !== undefined && line === null) change(emptyLine)
    else if (entry !== undefined && line !== null) {
      const choice = fieldChoice(entry.field, line.text)
      if (typeof choice === 'string') setProblem(choice)
      else onChoose(choice)
    }
  }

  useKeys(
    'overlay',
    true,
    (press) => {
      const action = actionOf(table, 'overlay', press)
      if (action === 'accept') accept()
      else if (line !== null) {
        if (action === 'close') change(null)
        else {
          const edited = editLine(line, press)
          if (edited !== null) change(edited)
        }
      } else if (action === 'close') onClose()
      else if (action === 'up') go(selected - 1)
      else if (action === 'down') go(selected + 1)
      else if (action === 'top') go(0)
      else if (action === 'bottom') go(entries.length - 1)
      else return false
      return true
    },
    (text) => {
      if (line !== null) change(insertText(line, text.trim()))
      return true
    },
  )

  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <RowsView rows={firstRunRows({ found, selected, line, problem }, width, height, theme)} />
    </Box>
  )
}
