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
import { type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { Composer, createDraft, type Draft, useInterrupts } from '../composer/index.ts'
import { stripRow } from '../dashboard/strip.ts'
import { counts, openQuestions, shownQuestion } from '../state/index.ts'
import { useLeaderHint } from '../terminal/key-source.tsx'
import type { AppActions } from './actions.ts'
import { headerRow } from './header.ts'
import { hintsRow } from './hints.ts'
import { Panel } from './Panel.tsx'
import { useQuestionFocus } from './question-focus.ts'
import type { ComposerServices, OverlaySize } from './Screen.tsx'
import { StatusRule, Strip } from './StatusRule.tsx'
import { useScreenKeys } from './screen-keys.ts'
import { shapeOf } from './shape.ts'
import { TranscriptPane } from './TranscriptPane.tsx'
import { useQuietView } from './use-quiet-view.ts'
import { useSelected, useStore } from './use-store.ts'

export type SessionScreenProps = {
  actions: AppActions
  composer: ComposerServices
  columns: number
  rows: number
  renderOverlay(overlay: { name: string; argument?: string }, size: OverlaySize): ReactNode
  branch: string | null
  home: string | null
  reducedMotion: boolean
  clock: () => number
}

export function SessionScreen(props: SessionScreenProps) {
  const { actions, composer, columns, rows, renderOverlay, branch, home, reducedMotion, clock } = props
  const store = useStore()
  const theme = useTheme()
  const { table } = useContext(KeysContext)
  const sessionId = useSelected((state) => state.focus)
  const view = useQuietView(sessionId)
  const ui = useSelected((state) => state.ui)
  const questions = useSelected(openQuestions)
  const sessions = useSelected(counts)

  const drafts = useRef(new Map<string, Draft>())
  const draft = draftOf(drafts.current, sessionId)
  const [draftEmpty, setDraftEmpty] = useState(true)
  const [composerRows, setComposerRows] = useState(1)
  const [sent, setSent] = useState(0)
  const [fullScreen, setFullScreen] = useState(false)

  const request = view === null ? null : shownQuestion(view, ui.question)
  const requestId = request?.id ?? null
  const question = useQuestionFocus({ requestId, draftEmpty, active: ui.overlay === null && !ui.reading })
  const enterQuestion = question.enter
  // biome-ignore lint/correctness/useExhaustiveDependencies: the wish is taken once, when it comes
  useEffect(() => {
    if (!ui.answering) return
    store.dispatch({ type: 'ui_answering', answering: false })
    store.dispatch({ type: 'ui_reading', reading: false })
    if (requestId !== null) enterQuestion()
  }, [ui.answering])
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

  const submit = useCallback(
    (text: string) => {
      store.dispatch({ type: 'ui_toast', toast: null })
      store.dispatch({ type: 'ui_reading', reading: false })
      if (actions.runCommand(text)) return
      setSent((count) => count + 1)
      actions.send(text)
    },
    [store, actions],
  )

  const shape = shapeOf(columns, rows, ui.panel)
  const hintRows = shape.hints ? 1 : 0
  const ruleRows = shape.header ? 1 : 0
  const strip =
    view !== null && shape.strip && (!shape.header || stripRow(view, questions, columns, theme, null) !== null)
  const stripRows = strip ? 1 : 0
  const headRows = shape.header ? 2 : 0
  const chrome = headRows + ruleRows + stripRows + hintRows
  const mostComposer = Math.max(1, Math.min(Math.floor(rows / 3), rows - chrome - 3))
  const middle = Math.max(0, rows - chrome - Math.min(composerRows, mostComposer))
  const wanted = useMemo(
    () => (request === null ? 0 : approvalHeight(request, columns, rows, theme)),
    [request, columns, rows, theme],
  )
  const dialogRows = request === null ? 0 : fullScreen ? middle : Math.min(wanted, mostDialog(middle))
  const transcriptRows = Math.max(0, middle - dialogRows)
  const transcriptColumns = columns - shape.panel
  const overlay = ui.overlay === null ? null : renderOverlay(ui.overlay, { width: columns, height: middle })
  const covered = overlay !== null
  const unknownOverlay = ui.overlay !== null && !covered ? ui.overlay.name : null
  useEffect(() => {
    if (unknownOverlay === null) return
    store.dispatch({ type: 'ui_overlay', overlay: null })
    store.dispatch({
      type: 'ui_toast',
      toast: { level: 'warn', text: `There is nothing to show for "${unknownOverlay}".` },
    })
  }, [unknownOverlay, store])
  const inset = columns > 20 ? 1 : 0
  const joint = shape.panel > 0 && transcriptRows > 0 && !covered ? transcriptColumns : null

  return (
    <>
      {shape.header ? (
        <Box flexDirection="column" height={2} flexShrink={0}>
          <RowView row={headerRow({ view, counts: sessions, branch, home }, columns, theme)} />
          <RowView row={{ spans: topRule(columns, joint, theme.glyphs, theme.muted) }} />
        </Box>
      ) : null}
      {covered ? (
        <Box height={middle} flexShrink={0} overflow="hidden" flexDirection="column">
          {overlay}
        </Box>
      ) : (
        <Box flexGrow={1} flexShrink={1} overflow="hidden">
          {sessionId === null || transcriptRows === 0 ? null : (
            <TranscriptPane
              sessionId={sessionId}
              width={transcriptColumns}
              height={transcriptRows}
              active={!question.focused}
              actions={actions}
              sent={sent}
            />
          )}
          {view !== null && shape.panel > 0 && transcriptRows > 0 ? (
            <Panel view={view} questions={questions} width={shape.panel} height={transcriptRows} clock={clock} />
          ) : null}
        </Box>
      )}
      <Box flexDirection="column" flexShrink={0}>
        {view !== null && strip ? (
          <Strip
            view={view}
            questions={questions}
            width={columns}
            alone={!shape.header}
            toast={ui.toast}
            reducedMotion={reducedMotion}
            clock={clock}
          />
        ) : null}
        {view !== null && shape.header ? (
          <StatusRule
            view={view}
            width={columns}
            joint={joint}
            toast={ui.toast}
            reducedMotion={reducedMotion}
            clock={clock}
          />
        ) : null}
        {request === null || view === null ? null : (
          // Hidden, not gone, below an overlay: what was selected and written in it stays.
          <Box
            height={dialogRows}
            flexShrink={0}
            overflow="hidden"
            flexDirection="column"
            display={covered ? 'none' : 'flex'}
          >
            <ApprovalDialog
              key={request.id}
              request={request}
              width={columns}
              height={dialogRows}
              focused={question.focused}
              draftPending={!draftEmpty}
              onDecide={(decision) => {
                actions.answer(view.id, request.id, decision)
              }}
              onShown={question.shown}
              onLeave={question.leave}
              onFullScreen={() => setFullScreen((on) => !on)}
              focusKey={keyLabel(table, 'leader', 'answer')}
              position={{ index: view.approvals.indexOf(request), count: view.approvals.length }}
            />
          </Box>
        )}
        <Box paddingLeft={inset} flexShrink={0}>
          <Composer
            {...composer}
            width={columns - inset}
            maxHeight={mostComposer}
            active={!covered}
            focused={!covered && !question.focused && !ui.reading}
            draft={draft}
            onSubmit={submit}
            onDraftChange={setDraftEmpty}
            queue={view?.queue ?? noQueue}
            onUnqueue={actions.unqueue}
            placeholder={placeholder}
            onRows={setComposerRows}
            bottom={rows - hintRows}
          />
        </Box>
        {shape.hints ? (
          <RowView
            row={hintsRow(
              {
                notice,
                leader,
                reading: ui.reading,
                asked: request !== null,
                answering: question.focused,
                working: running,
                draftEmpty,
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

/** A draft outlives every dialog and every switch of the session. */
function draftOf(drafts: Map<string, Draft>, sessionId: string | null): Draft {
  const key = sessionId ?? ''
  const known = drafts.get(key)
  if (known) return known
  const draft = createDraft()
  drafts.set(key, draft)
  return draft
}

/** Some of the conversation stays in sight above a question, unless there is hardly room for the question. */
function mostDialog(middle: number): number {
  return middle < 14 ? middle : middle - Math.min(12, Math.max(4, Math.round(middle / 4)))
}

function topRule(width: number, joint: number | null, glyphs: Glyphs, color: string | undefined): StyledSpan[] {
  const text =
    joint === null
      ? glyphs.horizontal.repeat(width)
      : glyphs.horizontal.repeat(joint) + glyphs.teeDown + glyphs.horizontal.repeat(Math.max(0, width - joint - 1))
  return [{ text, color }]
}

const noQueue: readonly [] = []
const placeholder = 'type a message     / command   @ file   ! shell'
