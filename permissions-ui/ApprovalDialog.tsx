/** The open question: what would be done, why it is asked, and the keys that answer it. */
import type { Decision, FileDiff, PermissionRequest } from '@sluice/engine/protocol'
import { Box } from 'ink'
import { useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { splitFrom } from './approval-height.ts'
import { RowsView, RowView } from './blocks/RowView.tsx'
import { caretOf } from './choice/field-row.ts'
import { dialogFrame } from './dialog-frame.ts'
import { withDialogKeys } from './dialog-keys.ts'
import {
  type DialogScene,
  type DialogState,
  type DialogStep,
  dialogKey,
  dialogPaste,
  drawn,
  openDialog,
  settle,
} from './dialog-state.ts'
import { dialogBody, mustSeeEnd } from './dialogs/index.ts'
import { type ReviewPlaces, reviewLines } from './dialogs/review.ts'
import { useHighlighter } from './diff/highlight.ts'
import { hunkTitle } from './diff/rows.ts'
import { KeysContext, useKeys } from './keys.ts'
import { keepFile, keepText } from './review/keys.ts'
import { useTheme } from './theme.ts'

export type ApprovalDialogProps = {
  request: PermissionRequest
  width: number
  /** The dialog takes exactly this many rows. */
  height: number
  /** Whether keys go to the dialog; the quiet rule is the app's (`createQuietGate`). */
  focused: boolean
  /** The draft is not empty, so keys stay with it. */
  draftPending: boolean
  onDecide(decision: Decision): void
  onFullScreen?(): void
  /** Opens the person's editor on a text; resolves with what came of it, null when nothing did. `name` tells its kind. */
  onEditor?(text: string, name: string): Promise<string | null>
  /** The text that a change of a file was made for, for what stands around its hunks; null when it is not there any more. */
  onText?(diff: FileDiff): Promise<string | null>
  /** Esc: the question stays open and the keys go back to the draft. */
  onLeave?(): void
  /** A key or paste that means nothing here was left to the draft: from that moment on no key reaches the dialog. */
  onWriting?(): void
  /** It has the whole middle of the screen. */
  fullScreen?: boolean
  /** After the first frame with this request: the quiet begins to count here. */
  onShown?(): void
  /** Where this request stands among the open ones; `index` counts from 0. */
  position?: { index: number; count: number }
  /** Where the caret of a field that is written in stands, from the dialog's top left; null while there is none. */
  onCaret?(place: { column: number; row: number } | null): void
  /** How the key that enters the dialog is written. */
  focusKey?: string
}

export function ApprovalDialog(props: ApprovalDialogProps) {
  const { request, width, height, focused, draftPending, onShown, onCaret, focusKey = 'ctrl+x a' } = props
  const theme = useTheme()
  const version = useHighlighter()
  const source = useContext(KeysContext)
  const table = useMemo(() => withDialogKeys(source.table), [source.table])
  // Another request, or another proposal under the same id, is another question: nothing of the last one may carry over.
  const identity = `${request.id}\n${request.digest}`
  const held = useRef<{ identity: string; state: DialogState } | null>(null)
  if (held.current?.identity !== identity) held.current = { identity, state: openDialog(request) }
  const [, redraw] = useState(0)

  const { state: kept } = held.current
  const autoSplit = width >= splitFrom
  const split = kept.split ?? autoSplit
  const diffs = kept.review?.diffs ?? null
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours that have come since make other rows
  const lines = useMemo(
    () => (diffs === null ? null : reviewLines(diffs, { width, theme, left: kept.left, split, blanks: kept.blanks })),
    [diffs, width, theme, kept.left, split, kept.blanks, version],
  )
  const { mode, area, review, command } = kept
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours that have come since make other rows
  const body = useMemo(
    () => dialogBody(request, { mode, area, review, command }, lines, { width, theme, left: kept.left, split }),
    [request, mode, area, review, command, lines, width, theme, kept.left, split, version],
  )
  const frameInput = {
    request,
    table,
    theme,
    width,
    height,
    rows: body.count,
    mustSeeEnd: mustSeeEnd(request),
    focused,
    draftPending,
    position: props.position ?? { index: 0, count: 1 },
    fullScreen: props.fullScreen ?? false,
    focusKey,
    hasEditor: props.onEditor !== undefined,
  }
  const bodyHeight = dialogFrame({ ...frameInput, state: kept }).bodyHeight
  const scene: DialogScene = {
    request,
    table,
    rows: body.count,
    height: bodyHeight,
    mustSeeEnd: frameInput.mustSeeEnd,
    hunks: body.hunks,
    files: body.files,
    autoSplit,
    hasEditor: props.onEditor !== undefined,
    parts: true,
    ...(body.places ? { places: body.places } : {}),
  }
  const state = settle(kept, scene)
  // Drawn as it will be once it has been seen: the end that is on the screen needs no reminder to scroll to it.
  const within = body.places && withinHunk(state, body.places, state.scroll, bodyHeight)
  const frame = dialogFrame({ ...frameInput, state: drawn(state, scene), ...(within ? { within } : {}) })
  useLayoutEffect(() => {
    if (held.current) held.current.state = drawn(held.current.state, scene)
  })

  const latest = useRef({ props, scene })
  latest.current = { props, scene }
  const openEditor = ({ text, name }: { text: string; name: string }) => {
    const opened = held.current
    const back = (step: (state: DialogState) => DialogStep) => {
      const now = held.current
      // Another question may stand here by now; and the text belongs to where the cursor was.
      if (now === null || opened === null || now.identity !== opened.identity) return
      const cursor = opened.state.review?.cursor
      const review = now.state.review && cursor ? { ...now.state.review, cursor } : now.state.review
      apply(step({ ...now.state, review }))
    }
    latest.current.props.onEditor?.(`${text}\n`, name).then(
      (written) => {
        if (written !== null) back((state) => keepText(state, written.replace(/\n$/, ''), request))
      },
      () => back((state) => ({ state: { ...state, hint: 'The editor could not be opened.' }, used: true })),
    )
  }
  const openText = (file: number) => {
    const opened = held.current
    const diff = opened?.state.review?.diffs[file]
    if (diff === undefined) return
    const back = (text: string | null) => {
      const now = held.current
      if (now === null || opened === null || now.identity !== opened.identity) return
      apply(keepFile(now.state, file, text))
    }
    const reading = latest.current.props.onText?.(diff) ?? Promise.resolve(null)
    reading.then(back, () => back(null))
  }
  const apply = (step: DialogStep): boolean => {
    const now = latest.current.props
    if (held.current && held.current.state !== step.state) {
      held.current = { ...held.current, state: step.state }
      redraw((n) => n + 1)
    }
    if (step.fullScreen) now.onFullScreen?.()
    if (step.leave) now.onLeave?.()
    if (step.editor) openEditor(step.editor)
    if (step.file !== undefined) openText(step.file)
    if (step.decision) now.onDecide(step.decision)
    return step.used
  }
  // Several keys may come before the next frame: who has begun to write must not say yes with the second letter.
  const away = useRef(false)
  useLayoutEffect(() => {
    if (!focused) away.current = false
  }, [focused])
  const take = (step: DialogStep, text: string): boolean => {
    if (apply(step)) return true
    const { onWriting } = latest.current.props
    if (text !== '' && onWriting) {
      away.current = true
      onWriting()
    }
    return false
  }
  useKeys(
    'dialog',
    focused,
    (press) => {
      if (away.current) return false
      return take(dialogKey(held.current?.state ?? state, press, latest.current.scene), press.text)
    },
    (text) => {
      if (away.current) return false
      return take(dialogPaste(held.current?.state ?? state, text, latest.current.scene), text)
    },
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each question, whatever else changes
  useEffect(() => {
    onShown?.()
  }, [identity])

  const field = frame.footer.findIndex((row) => caretOf(row) !== undefined)
  const written = state.mode === 'edit' && state.area !== null ? state.area.area.row : -1
  const inBody = written >= state.scroll && written < state.scroll + frame.bodyHeight
  const fieldRow = inBody ? body.at(written) : frame.footer[field]
  const column = fieldRow === undefined ? -1 : (caretOf(fieldRow) ?? -1)
  const fieldTop = frame.header.length + (inBody ? written - state.scroll : frame.bodyHeight + field)
  useLayoutEffect(() => {
    onCaret?.(column === -1 ? null : { column, row: fieldTop })
  }, [onCaret, column, fieldTop])
  useLayoutEffect(() => () => onCaret?.(null), [onCaret])

  const count = Math.max(0, Math.min(frame.bodyHeight, body.count - state.scroll))
  const visible = Array.from({ length: count }, (_, i) => state.scroll + i)
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <RowsView rows={frame.header} />
      <Box flexDirection="column" height={frame.bodyHeight} flexShrink={0}>
        {visible.map((index) => (
          <RowView key={index} row={body.at(index)} verbatim />
        ))}
      </Box>
      <RowsView rows={frame.footer} />
    </Box>
  )
}

/** The head of the hunk that the first row in sight belongs to, where that is out of sight itself. */
function withinHunk({ review }: DialogState, places: ReviewPlaces, scroll: number, height: number): string | undefined {
  // A row that is no place (a comment, a remark) belongs to the place below it.
  for (let row = scroll; review !== null && row < scroll + Math.min(height, 12); row++) {
    const at = places.under(row)
    if (at === null) continue
    const diff = review.diffs[at.file]
    const hunk = diff?.hunks[at.hunk]
    if (at.line < 0 || hunk === undefined) return undefined
    return review.diffs.length > 1 ? `${diff?.path}  ${hunkTitle(hunk)}` : hunkTitle(hunk)
  }
  return undefined
}
