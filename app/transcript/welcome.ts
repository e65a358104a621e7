/** What an empty transcript says. */
import { type KeyTable, keyLabel, type StyledRow, type Theme, wrapCells } from '@sluice/permissions-ui'
import { row, type Style } from '../markdown/spans.ts'

/** At most `height` rows; none where there is no room for words. */
export function welcomeRows(width: number, height: number, table: KeyTable, theme: Theme): StyledRow[] {
  if (height < 4 || width < 24) return []
  const pad = height > 10 ? [row(), row()] : height > 8 ? [row()] : []
  const text = (words: string, style: Style) =>
    wrapCells(words, width - indent.length - 1).map((line) => row({ text: indent }, { text: line, ...style }))
  const key = (name: string, help: string) =>
    name === '' ? [] : [row({ text: indent }, { text: name.padEnd(12) }, { text: help, color: theme.muted })]
  const rows = [
    ...pad,
    ...text('What shall be done?', { bold: true, color: theme.accent }),
    ...text('Ask, or say what should change: edits and commands are shown to you first.', { color: theme.muted }),
    row(),
    ...key(keyLabel(table, 'global', 'help'), 'all keys'),
    ...key('/', 'commands'),
    ...key('@', 'a file to look at'),
    ...key(keyLabel(table, 'global', 'mode'), 'how much is asked'),
  ]
  return rows.slice(0, height)
}

const indent = '   '
