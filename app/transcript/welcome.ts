/** What an empty transcript says. */
import { type KeyTable, keyLabel, type StyledRow, type Theme, truncateCells } from '@sluice/permissions-ui'
import { row } from '../markdown/spans.ts'

/** At most `height` rows; none where there is no room for words. */
export function welcomeRows(width: number, height: number, table: KeyTable, theme: Theme): StyledRow[] {
  if (height < 4 || width < 24) return []
  const pad = height > 8 ? [row(), row()] : [row()]
  const key = (context: string, action: string, help: string) => {
    const name = keyLabel(table, context, action)
    return name === '' ? [] : [row({ text: '   ' }, { text: name.padEnd(12) }, { text: help, color: theme.muted })]
  }
  const text = (words: string, style = {}) => row({ text: truncateCells(`   ${words}`, width), ...style })
  const rows = [
    ...pad,
    text('What shall be done?', { bold: true, color: theme.accent }),
    text('Ask, or say what should change: edits and commands are shown to you first.', { color: theme.muted }),
    row(),
    ...key('global', 'help', 'all keys'),
    ...key('leader', 'sessions', 'earlier sessions'),
    ...key('global', 'mode', 'how much is asked'),
  ]
  return rows.slice(0, height)
}
