/** The session in focus: header, transcript and panel, the open question, the composer, and who of them has the keys. */
import {
  ApprovalDialog,
  approvalHeight,
  type Glyphs,
  KeysContext,
  keyLabel,
  RowView,
  type StyledSpan,
  useTheme,
} from '@sluice/permissions-ui'
import { Box } from 'ink'
import { type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { Composer, type DraftMode, useInterrupts } from '../composer/index.ts'
import { panelSays } from '../dashboard/sections.ts'
import { stripRow } from '../dashboard/strip.ts'
import { absence } from '../keymap/absent.ts'
import { TrustOverlay } from '../overlays/TrustOverlay.tsx'
import { trustHeight } from '../overlays/trust-rows.ts'
import { changeTotals, counts, type OpenQuestion, openQuestions, shownQuestion, type UiState } from '../state/index.ts'
import { type LeaderHint, useLeaderHint } from '../terminal/key-source.tsx'
import type { AppActions } from './actions.ts'
import { headerRow } from './header.ts'
import { hintsRow, type ReadingHints } from './hints.ts'
import { draftOf, handDraft, type ScreenMemory } from './memory.ts'
import { Panel } from './Panel.tsx'
import { useQuestionFocus } from './question-focus.ts'
import type { ComposerServices, OverlaySize, RenderLive, RenderPlayer } from './Screen.tsx'
import { StatusRule, Strip } from './StatusRule.tsx'
import { useScreenKeys } from './screen-keys.ts'
import { divide, divideInline, inlineShape, shapeOf } from './shape.ts'
import { TranscriptPane } from './TranscriptPane.tsx'
import { useOutbox } from './use-outbox.ts'
import { useQuietView } from './use-quiet-view.ts'
import { useSelected, useStore } from './use-store.ts'

export type SessionScreenProps = {
  actions: AppActions
  composer: ComposerServices
  memory: ScreenMemory
  columns: number
  rows: number
  renderOverlay(overlay: { name: string; argument?: string }, size: OverlaySize): ReactNode
  branch: string | null
  home: string | null
  reducedMotion: boolean
  clock: () => number
  renderLive: RenderLive | null
  renderPlayer: RenderPlayer | null
}

export function SessionScreen(props: SessionScreenProps) {
  const { actions, composer, columns, rows, renderOverlay, branch, home, reducedMotion, clock, renderLive } = props
  const player = props.renderPlayer
  const store = useStore()
  const theme = useTheme()
  const { table } = useContext(KeysContext)
  const sessionId = useSelected((state) => state.focus)
  const view = useQuietView(sessionId)
  const ui = useSelected((state) => state.ui)
  const questions = useSelected(openQuestions)
  const sessions = useSelected(counts)

  const { drafts, transcripts } = props.memory
  const draft = draftOf(drafts, sessionId)
  const [draftMode, setDraftMode] = useState<DraftMode>('empty')
  const draftEmpty = draftMode === 'empty'
  const [readerHints, setReaderHints] = useState<ReadingHints>(noReader)
  const [fieldCaret, setFieldCaret] = useState<{ column: number; row: number } | null>(null)
  const [composerRows, setComposerRows] = useState(1)
  const [liveRows, setLiveRows] = useState(0)
  const [sent, setSent] = useState(0)
  const [fullScreen, setFullScreen] = useState(false)

  const request = view === null ? null : shownQuestion(view, ui.question)
  // What the model asks goes first: its turn waits for it.
  const trust = request === null && view !== null ? ui.trust : null
  const requestId = request?.id ?? (trust === null ? null : trustId)
  const question = useQuestionFocus({ requestId, draftEmpty, active: ui.overlay === null && !ui.reading })
  const enterQuestion = question.enter
  // biome-ignore lint/correctness/useExhaustiveDependencies: the wish is taken once, when it comes
  useEffect(() => {
    if (!ui.answering) return
    store.dispatch({ type: 'ui_answering', answering: false })
    store.dispatch({ type: 'ui_reading', reading: false })
    if (requestId !== null) enterQuestion()
  }, [ui.answering])
  useEffect(() => {
    if (ui.draft === null || ui.draft.sessionId !== sessionId) return
    handDraft(drafts, sessionId, ui.draft.text)
    setDraftMode('text')
    store.dispatch({ type: 'ui_draft', draft: null })
  }, [ui.draft, sessionId, store, drafts])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another question starts small
  useEffect(() => setFullScreen(false), [requestId])

  useScreenKeys({ store, actions, draftEmpty, overlay: ui.overlay !== null })
  const running = view?.phase.name === 'working' || view?.phase.name === 'needs-you'
  const notice = useInterrupts({
    active: ui.overlay === null,
    draftEmpty,
    running,
    onInterrupt: actions.interrupt,
    onLeave: actions.quit,
    onRewind: () => store.dispatch({ type: 'ui_overlay', overlay: { name: 'rewind' } }),
  })
  const leader = useLeaderHint()

  const outbox = useOutbox(sessionId, draft, actions, store)
  const unqueue = useCallback((id: string) => outbox.unqueue(id) ?? actions.unqueue(id), [outbox.unqueue, actions])
  const submit = useCallback(
    (text: string) => {
      store.dispatch({ type: 'ui_toast', toast: null })
      store.dispatch({ type: 'ui_reading', reading: false })
      setSent((count) => count + 1)
      outbox.send(text)
    },
    [store, outbox.send],
  )

  const says = view !== null && panelSays(view, questions)
  const shape = renderLive === null ? shapeOf(columns, rows, ui.panel && says) : inlineShape(columns, rows)
  // A question that stands right below needs neither a line nor a section that says so.
  const elsewhere = shape.header && request !== null && questions.length === 1 ? noQuestions : questions
  const strip =
    view !== null && shape.strip && (!shape.header || stripRow(view, elsewhere, columns, theme, null) !== null)
  const wanted = useMemo(
    () =>
      request !== null
        ? approvalHeight(request, columns, rows, theme)
        : trust !== null
          ? trustHeight(trust, columns, theme)
          : 0,
    [request, trust, columns, rows, theme],
  )
  const wishes = { strip, composer: composerRows, dialog: wanted, fullScreen }
  const place = renderLive === null ? divide(shape, wishes) : divideInline(shape, wishes, liveRows)
  const overlay = ui.overlay === null ? null : renderOverlay(ui.overlay, { width: columns, height: place.overlay })
  const covered = overlay !== null
  const unknownOverlay = ui.overlay !== null && !covered ? ui.overlay.name : null
  useEffect(() => {
    if (unknownOverlay === null) return
    store.dispatch({ type: 'ui_overlay', overlay: null })
    store.dispatch({ type: 'ui_toast', toast: { level: 'warn', text: absence(unknownOverlay) } })
  }, [unknownOverlay, store])
  const transcriptColumns = columns - shape.panel
  const joint = shape.panel > 0 && place.transcript > 0 && !covered ? transcriptColumns : null
  // Where there is no line for hints, or an overlay covers it, they take the place of what is said anyway.
  const said = shape.hints && !covered ? ui.toast : (toastOf(notice, leader) ?? ui.toast)

  return (
    <>
      {shape.header ? (
        <Box flexDirection="column" height={2} flexShrink={0}>
          <RowView row={headerRow({ view, counts: sessions, branch, home }, columns, theme)} />
          <RowView row={{ spans: topRule(columns, joint, theme.glyphs, theme.muted) }} />
        </Box>
      ) : null}
      {covered ? (
        <Box height={place.overlay} flexShrink={0} overflow="hidden" flexDirection="column">
          {overlay}
        </Box>
      ) : (
        <Box flexGrow={1} flexShrink={1} overflow="hidden">
          {renderLive !== null ? (
            renderLive({ sessionId, width: columns, most: place.transcript, onRows: setLiveRows })
          ) : sessionId === null || place.transcript === 0 ? null : (
            <TranscriptPane
              sessionId={sessionId}
              memory={transcripts}
              width={transcriptColumns}
              height={place.transcript}
              active={!question.focused}
              actions={actions}
              sent={sent}
              onHints={setReaderHints}
            />
          )}
          {view !== null && shape.panel > 0 && place.transcript > 0 ? (
            <Panel view={view} questions={elsewhere} width={shape.panel} height={place.transcript} clock={clock} />
          ) : null}
        </Box>
      )}
      <Box flexDirection="column" flexShrink={0}>
        {view !== null && strip && (!covered || !shape.header) ? (
          <Strip
            view={view}
            questions={elsewhere}
            width={columns}
            alone={!shape.header}
            ruled={renderLive !== null}
            toast={renderLive === null ? said : null}
            reducedMotion={reducedMotion}
            clock={clock}
          />
        ) : null}
        {view !== null && (shape.header || renderLive !== null) ? (
          <StatusRule
            view={view}
            width={columns}
            joint={joint}
            toast={said}
            asked={covered ? 'elsewhere' : 'below'}
            reducedMotion={reducedMotion}
            clock={clock}
          />
        ) : null}
        {request === null || view === null ? null : (
          // Hidden, not gone, below an overlay: what was selected and written in it stays.
          <Box
            height={place.dialog}
            flexShrink={0}
            overflow="hidden"
            flexDirection="column"
            display={covered ? 'none' : 'flex'}
          >
            <ApprovalDialog
              key={request.id}
              request={request}
              width={columns}
              height={place.dialog}
              focused={question.focused}
              draftPending={!draftEmpty}
              onDecide={(decision) => {
                actions.answer(view.id, request.id, decision)
              }}
              onEditor={composer.editText}
              onText={(diff) => composer.oldText?.(request.cwd, diff) ?? Promise.resolve(null)}
              onShown={question.shown}
              onLeave={question.leave}
              onWriting={question.writing}
              fullScreen={fullScreen}
              onFullScreen={() => setFullScreen((on) => !on)}
              onCaret={setFieldCaret}
              focusKey={keyLabel(table, 'leader', 'answer')}
              position={{ index: view.approvals.indexOf(request), count: view.approvals.length }}
            />
          </Box>
        )}
        {trust === null || covered ? null : (
          <TrustOverlay
            question={trust}
            width={columns}
            height={place.dialog}
            focused={question.focused}
            draftPending={!draftEmpty}
            onAnswer={actions.answerTrust}
            onShown={question.shown}
            onLeave={question.leave}
            onFullScreen={() => setFullScreen((on) => !on)}
            focusKey={keyLabel(table, 'leader', 'answer')}
          />
        )}
        {player === null || covered ? null : player({ width: columns, height: shape.hints && !ui.reading ? 2 : 1 })}
        <Box paddingLeft={place.inset} flexShrink={0} display={covered || player !== null ? 'none' : 'flex'}>
          <Composer
            {...composer}
            width={columns - place.inset}
            maxHeight={place.mostComposer}
            active={!covered && player === null}
            focused={!covered && !question.focused && !ui.reading}
            draft={draft}
            onSubmit={submit}
            onDraftMode={setDraftMode}
            queue={view?.queue ?? outbox.waiting}
            onUnqueue={unqueue}
            placeholder={placeholders}
            onRows={setComposerRows}
            bottom={place.composerBottom}
            left={place.inset}
            caretElsewhere={
              question.focused && fieldCaret !== null
                ? { x: fieldCaret.column, y: place.dialogTop + fieldCaret.row }
                : null
            }
          />
        </Box>
        {shape.hints && !covered && (player === null || ui.reading) ? (
          <RowView
            row={hintsRow(
              {
                notice,
                leader,
                reading: ui.reading ? readerHints : null,
                asked: requestId !== null,
                questions: questions.length > 0,
                queued: view !== null && view.queue.length > 0,
                unseen: view !== null && changeTotals(view.changes).unreviewed > 0,
                answering: question.focused,
                working: running,
                draft: draftMode,
                panel: says && shapeOf(columns, rows, true).panel > 0,
                sessions: sessions.sessions,
              },
              table,
              columns,
              theme,
            )}
          />
        ) : null}
      </Box>
    </>
  )
}

function toastOf(notice: string | null, leader: LeaderHint): UiState['toast'] {
  if (notice !== null) return { level: 'warn', text: notice }
  return leader === null ? null : { level: 'info', text: `${leader.prefix} …` }
}

function topRule(width: number, joint: number | null, glyphs: Glyphs, color: string | undefined): StyledSpan[] {
  const text =
    joint === null
      ? glyphs.horizontal.repeat(width)
      : glyphs.horizontal.repeat(joint) + glyphs.teeDown + glyphs.horizontal.repeat(Math.max(0, width - joint - 1))
  return [{ text, color }]
}

/** Stands for the question about the folder, where ids of requests stand. */
const trustId = 'trust'
const noQuestions: readonly OpenQuestion[] = []
const noReader: ReadingHints = { typing: false, toggle: null, copy: false }
const placeholders = ['type a message     / command   @ file', 'type a message   / command', 'type a message']
