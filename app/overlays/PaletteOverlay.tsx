/** Every command in one list that typing filters. */
import { actionOf, asciiGlyphs, fitCells, KeysContext, useKeys, useTheme } from '@sluice/permissions-ui'
import { Box, Text } from 'ink'
import { useContext, useState } from 'react'
import { CompletionList } from '../composer/CompletionList.tsx'
import { type CommandChoice, chooseCommands } from '../composer/completion.ts'

type Props = {
  width: number
  height: number
  commands: readonly CommandChoice[]
  /** `/name`, of a command that does without an argument. */
  onRun(command: string): void
  /** `/name `, of one that needs an argument: the person writes it. */
  onWrite(beginning: string): void
  onClose(): void
}

export function PaletteOverlay({ width, height, commands, onRun, onWrite, onClose }: Props) {
  const { table } = useContext(KeysContext)
  const theme = useTheme()
  const [query, setQuery] = useState('')
  const [picked, setPicked] = useState(0)
  const choices = chooseCommands(commands, query.replace(/^\//, ''))
  const selected = Math.min(picked, Math.max(0, choices.length - 1))
  const choice = choices[selected]
  const room = Math.max(1, height - 3)
  const step = (by: number) => setPicked(Math.max(0, Math.min(choices.length - 1, selected + by)))
  const search = (next: string) => {
    setQuery(next)
    setPicked(0)
  }
  useKeys(
    'overlay',
    true,
    (press) => {
      switch (actionOf(table, 'overlay', press)) {
        case 'close':
          onClose()
          return true
        case 'accept':
          if (choice?.needsArgument) onWrite(choice.insert)
          else if (choice !== undefined) onRun(choice.insert.trimEnd())
          return true
        case 'up':
          step(-1)
          return true
        case 'down':
          step(1)
          return true
        case 'pageUp':
          step(-room)
          return true
        case 'pageDown':
          step(room)
          return true
        case 'top':
          setPicked(0)
          return true
        case 'bottom':
          setPicked(Math.max(0, choices.length - 1))
          return true
      }
      if (press.text !== '') search(query + press.text)
      else if (press.name === 'backspace') search([...query].slice(0, -1).join(''))
      else if (press.name === 'ctrl+u') search('')
      else return false
      return true
    },
    (text) => {
      search(query + text.replace(/\s+/g, ' '))
      return true
    },
  )
  const does = choice?.needsArgument ? 'write its argument' : 'run'
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Text wrap="truncate">
        <Text color={theme.accent} bold>
          {' Commands '}
        </Text>
        <Text color={query === '' ? theme.muted : undefined}>
          {fitCells(query === '' ? 'type to filter' : query, Math.max(0, width - 12), theme.glyphs.ellipsis)}
        </Text>
      </Text>
      <Text color={theme.muted}>{theme.glyphs.horizontal.repeat(Math.max(0, width))}</Text>
      <Box height={room}>
        {choices.length === 0 ? (
          <Text color={theme.muted}>{'  no command is called that'}</Text>
        ) : (
          <CompletionList choices={choices} selected={selected} rows={Math.min(room, choices.length)} width={width} />
        )}
      </Box>
      <Text color={theme.muted} wrap="truncate">
        {theme.glyphs === asciiGlyphs
          ? ` enter ${does}   up/down move   esc close`
          : ` ⏎ ${does}   ↑↓ move   esc close`}
      </Text>
    </Box>
  )
}
