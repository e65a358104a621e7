/** The sessions of this process in the words of the stored ones, made from what the screen knows of them. */
import type { SessionPreview, SessionSummary } from '@sluice/engine/ports'
import { oneLine } from '../../dashboard/sections.ts'
import { type AppState, at, changeTotals, findBefore, type SessionView, unverifiedEdits } from '../../state/index.ts'
import { sessionRows } from '../session-rows.ts'
import type { HereSession } from './picker-row.ts'

/** `stored` gives what is kept beside the records: a given title, pin and tags. */
export function hereSessions(
  state: AppState,
  stored: (id: string) => SessionSummary | undefined,
): readonly HereSession[] {
  return sessionRows(state).flatMap((row, i) => {
    const view = state.sessions[row.id]
    if (view === undefined) return []
    const known = stored(row.id)
    const here: HereSession = {
      session: summary(view, row.title, known),
      number: i + 1,
      state: row.state,
      front: row.id === state.focus,
      preview: () => preview(view),
    }
    return [here]
  })
}

function summary(view: SessionView, title: string, known: SessionSummary | undefined): SessionSummary {
  const { additions, deletions } = changeTotals(view.changes)
  const { edits, results } = view.verification
  const check = results.findLast(({ result }) => !result.unknown)
  const { first, last } = times(view)
  return {
    id: view.id,
    title: known !== undefined && known.title !== '' ? known.title : title,
    cwd: view.cwd,
    model: view.model,
    startedAt: time(first),
    updatedAt: time(last),
    turns: known?.turns ?? 0,
    stopReason: view.phase.name === 'idle' ? (view.lastStop?.reason ?? null) : null,
    costUsd: view.usage.costUsd,
    additions,
    deletions,
    live: true,
    pendingApprovals: view.approvals.length,
    checks:
      check !== undefined && !check.result.passed && check.editsBefore === edits
        ? 'failing'
        : edits === 0
          ? 'none'
          : unverifiedEdits(view) > 0
            ? 'unverified'
            : 'verified',
    next: nextStep(view),
    pinned: known?.pinned ?? false,
    tags: known?.tags ?? [],
    lostRecords: known?.lostRecords ?? 0,
    bytes: known?.bytes ?? 0,
    forkedFrom: known?.forkedFrom ?? null,
  }
}

/** What it waits for, or the open step of its plan. */
function nextStep(view: SessionView): string {
  const [question] = view.approvals
  if (question !== undefined) return oneLine(`${question.tool} ${question.title}`)
  const open =
    view.todo.find(({ status }) => status === 'in_progress') ?? view.todo.find(({ status }) => status === 'pending')
  return open === undefined ? '' : oneLine(open.text)
}

function times(view: SessionView): { first: number; last: number } {
  const first = at(view.settled, 0)?.at ?? 0
  const last = at(view.settled, view.settled.length - 1)?.at ?? first
  const { phase } = view
  return {
    first,
    last: phase.name === 'working' || phase.name === 'needs-you' ? Math.max(last, phase.startedAt) : last,
  }
}

/** '' where a record's time was damaged: one session must not keep the list from being shown. */
function time(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

function preview(view: SessionView): SessionPreview {
  const { settled, live } = view
  const asked = findBefore(settled, settled.length, ({ kind }) => kind === 'user')
  const said = findBefore(settled, settled.length, (item) => item.kind === 'assistant' && item.text !== '')
  const input = at(settled, asked)
  const answer = at(settled, said)
  return {
    lastInput: input?.kind === 'user' ? input.text : '',
    lastAnswer:
      live !== null && live.text !== '' ? live.text : answer?.kind === 'assistant' && said > asked ? answer.text : '',
    files: view.changes.map(({ path }) => path).reverse(),
    todo: view.todo.map(({ text, status }) => ({ text, status })),
    stopReason: view.phase.name === 'idle' ? (view.lastStop?.reason ?? null) : null,
  }
}
