/** What is alive above the composer while everything finished stands in the scrollback: running calls, growing words. */
import {
  RowView,
  type StyledRow,
  sanitizeForTerminal,
  type Theme,
  useHighlighter,
  useTheme,
} from '@sluice/permissions-ui'
import { Box } from 'ink'
import { useEffect, useLayoutEffect, useReducer, useRef } from 'react'
import { loadLexer } from '../markdown/lexer.ts'
import { type MarkdownRows, markdownRows } from '../markdown/markdown-rows.ts'
import { row } from '../markdown/spans.ts'
import { useSelected, useStore } from '../screen/use-store.ts'
import type { SessionView } from '../state/index.ts'
import { entryRows, nothingOpened } from '../transcript/item-rows.ts'

export type LivePaneProps = {
  sessionId: string | null
  width: number
  /** Rows that it may take. */
  most: number
  /** Characters of the streaming words that stand above already. */
  printed(sessionId: string): number
  /** Rows it takes now; told after each change. */
  onRows(rows: number): void
}

export function LivePane({ sessionId, width, most, printed, onRows }: LivePaneProps) {
  const store = useStore()
  const theme = useTheme()
  const live = useSelected((state) => (sessionId === null ? null : (state.sessions[sessionId]?.live ?? null)))
  const reading = useSelected((state) => state.ui.reading)
  const before = useRef<MarkdownRows>(undefined)
  useHighlighter()
  const [, repaint] = useReducer((count: number) => count + 1, 0)
  useEffect(() => void loadLexer().then(repaint), [])

  useEffect(() => {
    if (!reading) return
    store.dispatch({ type: 'ui_reading', reading: false })
    const text = 'Scroll with the terminal: the conversation is in its own scrollback.'
    store.dispatch({ type: 'ui_toast', toast: { level: 'info', text } })
  }, [reading, store])

  const alive = live === null || sessionId === null ? [] : liveRows(live, printed(sessionId), width, theme, before)
  // A row of its own between what is written for good and what is still moving.
  const rows = [row(), ...alive.slice(-Math.max(0, most - 1))].slice(0, Math.max(0, most))
  useLayoutEffect(() => onRows(rows.length), [onRows, rows.length])

  return (
    <Box flexDirection="column" width={width} height={rows.length} flexShrink={0} overflow="hidden">
      {rows.map((one, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the window, whatever stands in it
        <RowView key={i} row={one} />
      ))}
    </Box>
  )
}

function liveRows(
  live: NonNullable<SessionView['live']>,
  printed: number,
  width: number,
  theme: Theme,
  before: { current: MarkdownRows | undefined },
): StyledRow[] {
  const context = { width: width + 1, theme, opened: nothingOpened }
  // What is asked stands in the question itself.
  const calls = live.calls.filter((call) => call.status !== 'asked')
  const rows = calls.flatMap((call) =>
    withoutGutter(entryRows({ kind: 'live-call', id: call.id, call }, false, context).rows),
  )
  const words = sanitizeForTerminal(live.text, 'output').slice(printed)
  if (live.text === '' && live.reasoning !== '') {
    const thinking = entryRows(
      { kind: 'live-text', id: 'live-text', text: '', reasoning: live.reasoning },
      false,
      context,
    )
    rows.push(...withoutGutter(thinking.rows))
  } else if (words.trim() !== '') {
    const markdown = markdownRows(words, Math.max(1, width - 3), theme, { before: before.current, streaming: true })
    before.current = markdown
    if (rows.length > 0) rows.push(row())
    for (const one of markdown.rows) rows.push({ spans: [{ text: '  ' }, ...one.spans] })
  } else before.current = undefined
  return rows
}

/** The column that the reader's mark has in the full screen. */
function withoutGutter(rows: readonly StyledRow[]): StyledRow[] {
  return rows.map(({ spans: [first, ...rest] }) => ({
    spans: first === undefined ? [] : [{ ...first, text: first.text.slice(1) }, ...rest],
  }))
}
