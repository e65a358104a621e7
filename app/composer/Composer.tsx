/** Where a person writes: draft, completion list, queued words; only this repaints while they type. */
import { asciiGlyphs, cellWidth, KeysContext, keyLabel, truncateCells, useKeys, useTheme } from '@sluice/permissions-ui'
import { Box, type DOMElement, Text, useCursor } from 'ink'
import { memo, useContext, useEffect, useLayoutEffect, useReducer, useRef } from 'react'
import { CompletionList } from './CompletionList.tsx'
import type { CommandChoice } from './completion.ts'
import {
  createDraft,
  type Draft,
  type DraftMode,
  type DraftWorld,
  isEmpty,
  modeOf,
  type QueuedText,
  replaceDraft,
} from './draft.ts'
import { pasteInto, pressKey } from './draft-keys.ts'
import type { History } from './history.ts'
import { layOut, type Piece } from './layout.ts'

export type ComposerProps = {
  /** Cells that the composer may use. */
  width: number
  /** Rows that it may use altogether; the draft scrolls within what is left for it. */
  maxHeight: number
  /** Receives keys. Stays true while a dialog is open above it: what the dialog leaves is for the draft. */
  active: boolean
  /** Shows the real cursor; default: `active`. */
  focused?: boolean
  /** Kept by the caller, so that it outlives this component; default: a draft of its own. */
  draft?: Draft
  /** A prompt, a `/command` or a `!command`; every chip is what was pasted. */
  onSubmit(text: string): void
  /** Told at once, so that the next key finds its layer. */
  onDraftMode?(mode: DraftMode): void
  history: History
  commands: readonly CommandChoice[]
  /** Paths for what was typed after `@`, best first. */
  completeFiles?(query: string, signal: AbortSignal): Promise<string[]>
  queue?: readonly QueuedText[]
  onUnqueue?(id: string): string | null
  /** The person's editor; null leaves the draft as it is. */
  onEditor?(text: string): Promise<string | null>
  /** What an empty draft says: the first of these that fits. */
  placeholder?: readonly string[]
  /** One line above the draft. */
  hint?: string | null
  /** Rows it takes now; told after each change. */
  onRows?(rows: number): void
  /** Screen row below the draft and column of its left edge, counted from 0, when the caller knows them; otherwise measured. */
  bottom?: number
  left?: number
  /** Where the real cursor stands while the draft is not focused: in a field of a dialog. Null hides it. */
  caretElsewhere?: { x: number; y: number } | null
}

export const Composer = memo(function Composer(props: ComposerProps) {
  const { table } = useContext(KeysContext)
  const theme = useTheme()
  const [, repaint] = useReducer((count: number) => count + 1, 0)
  const own = useRef<Draft>(undefined)
  own.current ??= createDraft()
  const draft = props.draft ?? own.current
  const isAscii = theme.glyphs === asciiGlyphs
  const empty = isEmpty(draft)
  const told = useRef<DraftMode>(undefined)

  const textWidth = Math.max(1, props.width - promptWidth - 1)
  const world: DraftWorld = {
    table,
    width: textWidth,
    history: props.history,
    commands: props.commands,
    queue: props.queue ?? [],
    onSubmit: props.onSubmit,
    repaint,
  }
  if (props.completeFiles !== undefined) world.completeFiles = props.completeFiles
  if (props.onUnqueue !== undefined) world.onUnqueue = props.onUnqueue
  const { onEditor } = props
  if (onEditor !== undefined) {
    world.onEditor = (text) => {
      // The editor tells its own problems; here the draft stays what it was.
      onEditor(text).then(
        (edited) => {
          // What came back as it was keeps its chips.
          if (edited !== null && edited !== text) replaceDraft(draft, edited)
          repaint()
        },
        () => repaint(),
      )
    }
  }

  // Told at once, not after the frame: the next key may depend on it.
  const tell = () => {
    const now = modeOf(draft)
    if (told.current === now) return
    told.current = now
    props.onDraftMode?.(now)
  }
  useKeys(
    'composer',
    props.active,
    (press) => {
      const used = pressKey(draft, press, world)
      if (used) {
        repaint()
        tell()
      }
      return used
    },
    (text) => {
      pasteInto(draft, text, world)
      repaint()
      tell()
      return true
    },
  )
  useEffect(tell)

  const layout = layOut(draft.editor, textWidth)
  const queue = props.queue ?? []
  const queueRows = Math.min(queue.length, mostQueued, Math.max(0, props.maxHeight - 1))
  const noteRows = (draft.search !== null || props.hint) && props.maxHeight > queueRows + 1 ? 1 : 0
  const menuRows =
    draft.menu === null
      ? 0
      : Math.min(draft.menu.choices.length, mostChoices, Math.max(0, props.maxHeight - 1 - queueRows - noteRows))
  const rows = Math.max(1, Math.min(layout.rows.length, props.maxHeight - queueRows - noteRows - menuRows))
  draft.scroll = Math.min(
    Math.max(0, layout.rows.length - rows),
    Math.max(layout.caret.row - rows + 1, Math.min(draft.scroll, layout.caret.row)),
  )
  const total = rows + queueRows + noteRows + menuRows

  const box = useRef<DOMElement>(null)
  const place = useRef<{ left: number; bottom: number }>(undefined)
  const { setCursorPosition } = useCursor()
  const bottom = props.bottom ?? place.current?.bottom
  if ((props.focused ?? props.active) && bottom !== undefined) {
    setCursorPosition({
      x: (props.left ?? place.current?.left ?? 0) + promptWidth + layout.caret.column,
      y: bottom - rows + layout.caret.row - draft.scroll,
    })
  } else setCursorPosition(props.caretElsewhere ?? undefined)

  useLayoutEffect(() => {
    const found = placeOf(box.current)
    if (found === null || (found.left === place.current?.left && found.bottom === place.current?.bottom)) return
    place.current = found
    repaint()
  })
  const { onRows } = props
  useLayoutEffect(() => {
    onRows?.(total)
  }, [onRows, total])

  const visible = layout.rows.slice(draft.scroll, draft.scroll + rows)
  const prompt = draft.editor.text.startsWith('!') ? '!' : theme.glyphs.prompt
  const placeholder = props.placeholder?.find((text) => cellWidth(text) <= textWidth) ?? ''
  return (
    <Box flexDirection="column" width={props.width} flexShrink={0}>
      {queue.slice(queue.length - queueRows).map((item, index) => (
        <Text key={item.id} color={theme.muted} wrap="truncate">
          {truncateCells(
            queuedText(item.text, index === 0 ? queue.length - queueRows : 0),
            props.width,
            theme.glyphs.ellipsis,
          )}
        </Text>
      ))}
      {menuRows > 0 && draft.menu !== null ? (
        <CompletionList
          choices={draft.menu.choices}
          selected={draft.menu.selected}
          rows={menuRows}
          width={props.width}
        />
      ) : null}
      {noteRows === 0 ? null : (
        <Text color={draft.search?.failed ? theme.bad : theme.muted} wrap="truncate">
          {draft.search === null
            ? props.hint
            : searchText(draft.search.query, draft.search.failed, keyLabel(table, 'search', 'older'), isAscii)}
        </Text>
      )}
      <Box ref={box} flexDirection="column" height={rows} flexShrink={0}>
        {visible.map((row, index) => (
          <Text key={row.start} wrap="truncate">
            {draft.scroll + index === 0 ? (
              <Text color={prompt === '!' ? theme.warn : theme.accent}>{prompt} </Text>
            ) : (
              '  '
            )}
            {empty && placeholder !== '' ? (
              <Text color={theme.muted}>{placeholder}</Text>
            ) : (
              <Pieces pieces={row.pieces} />
            )}
          </Text>
        ))}
      </Box>
    </Box>
  )
})

function Pieces({ pieces }: { pieces: readonly Piece[] }) {
  const theme = useTheme()
  return pieces.map((piece, index) => {
    if (piece.kind === 'text') return piece.text
    const color = piece.kind === 'chip' ? theme.accent2 : theme.warn
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a row have no identity of their own
      <Text key={index} color={color}>
        {piece.text}
      </Text>
    )
  })
}

/** Where an element stands on the screen; Ink tells places relative to the parent only. */
function placeOf(element: DOMElement | null): { left: number; bottom: number } | null {
  if (element === null) return null
  let left = 0
  let bottom = 0
  for (let node: DOMElement | undefined = element; node !== undefined; node = node.parentNode) {
    const layout = node.yogaNode?.getComputedLayout()
    if (layout === undefined) continue
    left += layout.left
    bottom += layout.top
    if (node === element) bottom += layout.height
  }
  return { left, bottom }
}

function queuedText(text: string, earlier: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return earlier > 0 ? `  queued (+${earlier} before): ${line}` : `  queued: ${line}`
}

function searchText(query: string, failed: boolean, older: string, ascii: boolean): string {
  if (query === '') return '  history: type to search   esc back'
  const found = `${older} older   ${ascii ? 'enter' : '⏎'} take   esc back`
  return `  history: ${query}   ${failed ? 'nothing found' : found}`
}

/** `❯ ` */
const promptWidth = 2
const mostQueued = 3
const mostChoices = 8
