/** The transcript with its reader: scrolling, opening, searching, copying, and the place of each session remembered. */
import {
  actionOf,
  cellWidth,
  fitSpans,
  type KeyPress,
  KeysContext,
  RowView,
  rowWidth,
  type StyledRow,
  type Theme,
  useHighlighter,
  useKeys,
  useTheme,
} from '@sluice/permissions-ui'
import { Box } from 'ink'
import { memo, useContext, useEffect, useLayoutEffect, useMemo, useReducer, useRef } from 'react'
import { loadLexer } from '../markdown/lexer.ts'
import { useWheel } from '../terminal/key-source.tsx'
import { rowsPerNotch } from '../terminal/mouse.ts'
import { copyableText } from '../transcript/copy.ts'
import { entriesOf } from '../transcript/entries.ts'
import { grouped } from '../transcript/format.ts'
import { canOpen, isOpen } from '../transcript/item-rows.ts'
import { createLayout } from '../transcript/layout.ts'
import {
  enter,
  isReaderAction,
  leave,
  newReader,
  type Page,
  type Reader,
  step,
  typedQuery,
  wheel,
} from '../transcript/reader.ts'
import { searchItems } from '../transcript/search.ts'
import { TranscriptView } from '../transcript/TranscriptView.tsx'
import type { AppActions } from './actions.ts'
import type { ReadingHints } from './hints.ts'
import type { TranscriptMemory } from './memory.ts'
import { useSelected, useStore } from './use-store.ts'

export type TranscriptPaneProps = {
  sessionId: string
  memory: TranscriptMemory
  width: number
  height: number
  /** Keys may move the transcript; false while an overlay or a dialog has them. */
  active: boolean
  actions: AppActions
  /** Rises with every prompt that is sent: the reader goes back to the end. */
  sent: number
  /** What the reader's keys can do now; told when that changes. */
  onHints(hints: ReadingHints): void
}

export const TranscriptPane = memo(function TranscriptPane(props: TranscriptPaneProps) {
  const { sessionId, memory, width, height, active, actions, sent, onHints } = props
  const store = useStore()
  const theme = useTheme()
  const { table } = useContext(KeysContext)
  const settled = useSelected((state) => state.sessions[sessionId]?.settled)
  const live = useSelected((state) => state.sessions[sessionId]?.live)
  const reading = useSelected((state) => state.ui.reading) && active
  useHighlighter()
  useLexer()

  const [, repaint] = useReducer((count: number) => count + 1, 0)
  const mine = memory.get(sessionId) ?? { reader: newReader, layout: createLayout() }
  memory.set(sessionId, mine)
  const { reader, layout } = mine
  const setReader = (next: Reader) => {
    const now = memory.get(sessionId)
    if (now === undefined || next === now.reader) return
    memory.set(sessionId, { ...now, reader: next })
    repaint()
  }
  const readerNow = () => memory.get(sessionId)?.reader ?? newReader

  const view = settled === undefined ? undefined : store.getState().sessions[sessionId]
  // biome-ignore lint/correctness/useExhaustiveDependencies: the two parts of the view that entries are made of
  const entries = useMemo(() => (view === undefined ? null : entriesOf(view)), [settled, live])
  const searchRow = reader.search !== null && height > 1
  const rowsHeight = searchRow ? height - 1 : height
  const page = (): Page | null =>
    entries === null || settled === undefined
      ? null
      : {
          entries,
          settled,
          height: rowsHeight,
          rowsWith: (opened) => layout.use(entries, { width, theme, opened }),
        }
  const go = (change: (from: Reader, page: Page) => Reader) => {
    const now = page()
    if (now !== null) setReader(change(readerNow(), now))
  }
  const setReading = (on: boolean) => store.dispatch({ type: 'ui_reading', reading: on })

  const sentBefore = useRef(sent)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each prompt that is sent
  useEffect(() => {
    if (sent !== sentBefore.current) setReader(leave(readerNow()))
    sentBefore.current = sent
  }, [sent])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the mark is set once, when reading begins
  useEffect(() => {
    if (reading) go(enter)
  }, [reading, sessionId])

  // Without focus there is no mark; the place stays.
  const shown = useMemo(
    () => (reading || reader.cursor === null ? reader : { ...reader, cursor: null }),
    [reading, reader],
  )

  useKeys('global', active && !reading, (press) => {
    const action = actionOf(table, 'global', press)
    if (action !== 'scrollUp' && action !== 'scrollDown') return false
    if (action === 'scrollUp') setReading(true)
    go((from, now) => step(from, action === 'scrollUp' ? 'pageUp' : 'pageDown', now))
    return true
  })

  useKeys(
    'transcript',
    reading,
    (press) => {
      const now = page()
      // The key before may have ended the reading, and nothing was drawn since.
      if (now === null || !store.getState().ui.reading) return false
      const from = readerNow()
      if (from.search?.typing) return typeQuery(from, press, now, setReader)
      const action = actionOf(table, 'transcript', press)
      if (isReaderAction(action)) {
        if ((action === 'nextMatch' || action === 'previousMatch') && from.search === null) return backToDraft(press)
        setReader(step(from, action, now))
        return true
      }
      switch (action) {
        case 'leave':
          if (from.search !== null) setReader({ ...from, search: null })
          else {
            setReader(leave(from))
            setReading(false)
          }
          return true
        case 'copy':
        case 'editor':
        case 'pager': {
          const entry = from.cursor === null ? undefined : now.entries.entryAt(from.cursor.index)
          const text = entry === undefined ? '' : copyableText(entry)
          const take = { copy: actions.copy, editor: actions.openInEditor, pager: actions.openInPager }[action]
          if (text !== '') take(text)
          return true
        }
        default:
          return backToDraft(press)
      }
    },
    (text) => {
      const from = readerNow()
      if (!from.search?.typing) {
        setReading(false)
        return false
      }
      const query = from.search.query + text.replace(/\s+/g, ' ')
      go((old, now) => typedQuery(old, query, now))
      return true
    },
  )

  /** Typing returns: the key that is no command of the reader is the first one of the draft. */
  function backToDraft(press: KeyPress): boolean {
    if (press.text !== '') setReading(false)
    return false
  }

  const marked = reader.cursor === null ? undefined : entries?.entryAt(reader.cursor.index)
  const typing = reader.search?.typing ?? false
  const toggle = marked === undefined || !canOpen(marked) ? null : isOpen(marked, reader.opened) ? 'close' : 'open'
  const copy = useMemo(() => marked !== undefined && copyableText(marked) !== '', [marked])
  useLayoutEffect(() => onHints({ typing, toggle, copy }), [typing, toggle, copy, onHints])

  useWheel(active, ({ direction }) => {
    go((from, now) => wheel(from, direction === 'up' ? -rowsPerNotch : rowsPerNotch, now))
    return true
  })

  if (entries === null) return null
  const search = reader.search
  return (
    <Box flexDirection="column" width={width} flexGrow={1} flexShrink={1} overflow="hidden">
      <TranscriptView entries={entries} layout={layout} reader={shown} width={width} height={rowsHeight} />
      {searchRow && search !== null && settled !== undefined ? (
        <RowView row={searchLine({ ...search, ...searchItems(settled, search.query, search) }, width, theme)} />
      ) : null}
    </Box>
  )
})

function typeQuery(from: Reader, press: KeyPress, page: Page, set: (next: Reader) => void): boolean {
  const { search } = from
  if (search === null) return false
  if (press.name === 'escape') set({ ...from, search: null })
  else if (press.name === 'return') set({ ...from, search: search.query === '' ? null : { ...search, typing: false } })
  else if (press.name === 'backspace') set(typedQuery(from, [...search.query].slice(0, -1).join(''), page))
  else if (press.name === 'ctrl+u') set(typedQuery(from, '', page))
  else if (press.text !== '') set(typedQuery(from, search.query + press.text, page))
  return true
}

function searchLine(search: NonNullable<Reader['search']>, width: number, theme: Theme): StyledRow {
  const { query, hits, typing } = search
  const found =
    query === ''
      ? ''
      : hits.length === 0
        ? 'nothing found'
        : `in ${grouped(hits.length)} ${hits.length === 1 ? 'item' : 'items'}`
  const left = [
    { text: ' /', color: theme.accent, bold: true },
    { text: query },
    { text: typing ? theme.glyphs.vertical : ' ', color: theme.accent },
    { text: ` ${found}`, color: hits.length === 0 && query !== '' ? theme.bad : theme.muted },
  ]
  const keys = typing ? ['⏎ keep   esc drop', 'esc drop'] : ['n next   N previous   esc drop', 'n N   esc drop']
  const room = width - rowWidth({ spans: left }) - 3
  const right = keys.find((words) => cellWidth(words) <= room)
  if (right === undefined) return { spans: fitSpans(left, width) }
  return {
    spans: [...fitSpans(left, width - cellWidth(right) - 1), { text: right, color: theme.muted }, { text: ' ' }],
  }
}

/** Markdown is drawn plain until its lexer has come, and once more then. */
function useLexer(): void {
  const [, repaint] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    let mounted = true
    loadLexer().then(() => {
      if (mounted) repaint()
    })
    return () => {
      mounted = false
    }
  }, [])
}
