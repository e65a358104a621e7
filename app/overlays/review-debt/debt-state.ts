/** What keys do to the walk through changes that nobody has looked at: pure steps over the state of a review. */
import type { ChangeStanding, Decision, KeptLines, PermissionRequest, Unreviewed } from '@sluice/engine/protocol'
import {
  actionOf,
  type DialogScene,
  type DialogState,
  dialogKey,
  dialogPaste,
  type KeyPress,
  openDialog,
} from '@sluice/permissions-ui'

/** One review a change, kept while one looks at others; `at` is the change that is shown. */
export type DebtState = {
  at: string | null
  reviews: ReadonlyMap<string, DialogState>
  /** What the last key could not do, or what came of it. */
  said: { level: 'info' | 'warn'; text: string } | null
}

export const emptyDebt: DebtState = { at: null, reviews: new Map(), said: null }

export type DebtScene = Omit<DialogScene, 'request' | 'mustSeeEnd'> & {
  changes: readonly Unreviewed[]
  standing: ChangeStanding | null
  /** Keys have been quiet long enough for one of them to decide. */
  mayDecide: boolean
}

export type DebtStep = {
  state: DebtState
  used: boolean
  settle?: { change: Unreviewed; kept: KeptLines; message: string | undefined }
  undo?: true
  close?: true
}

/** A change in the form in which reviews know changes; nothing is asked on its behalf. */
export function asRequest({ id, callId, tool, diff }: Unreviewed): PermissionRequest {
  return {
    id,
    callId,
    tool,
    kind: 'edit',
    title: diff.path,
    cwd: '',
    needs: [],
    risk: { level: 'write-inside', reason: '' },
    reason: '',
    blocks: [{ type: 'diff', diff }],
    digest: id,
    suggestions: [],
  }
}

/** The state for the changes that there are: the shown one is there, or the one that follows it is shown. */
export function settledDebt(
  state: DebtState,
  changes: readonly Unreviewed[],
  before: readonly Unreviewed[] = changes,
): DebtState {
  if (state.at !== null && changes.some(({ id }) => id === state.at)) return state
  const from = Math.max(
    0,
    before.findIndex(({ id }) => id === state.at),
  )
  const next = before.slice(from).find(({ id }) => changes.some((change) => change.id === id))
  const at = next?.id ?? changes.at(-1)?.id ?? null
  return at === state.at ? state : { ...state, at }
}

export function reviewOf(state: DebtState, change: Unreviewed): DialogState {
  return state.reviews.get(change.id) ?? openDialog(asRequest(change))
}

export function withReview(state: DebtState, { id }: Unreviewed, review: DialogState): DebtState {
  return { ...state, reviews: new Map(state.reviews).set(id, review) }
}

export function debtKey(before: DebtState, press: KeyPress, scene: DebtScene): DebtStep {
  const state: DebtState = { ...before, said: null }
  const change = scene.changes.find(({ id }) => id === state.at)
  const review = change && reviewOf(state, change)
  if (review === undefined || review.mode === 'read') {
    const own = actionOf(scene.table, 'review', press)
    if (own === 'close') return { state, used: true, close: true }
    // A mark goes first, then the last answer.
    if (own === 'undo' && !review?.review?.past) return { state, used: true, ...(press.repeat ? {} : { undo: true }) }
  }
  if (change === undefined || review === undefined) return { state, used: false }
  if (review.mode === 'read') {
    const action = actionOf(scene.table, 'dialog', press)
    if (action === 'nextFile' || action === 'previousFile')
      return toChange(state, scene, action === 'nextFile' ? 1 : -1)
    if (action !== undefined && foreign.has(action)) return { state, used: true }
    if ((action === 'apply' || action === 'deny') && !scene.mayDecide)
      return said(state, 'That came too soon: press it again.')
    if (action === 'deny' && Object.keys(scene.standing?.conflicts ?? {}).length > 0) {
      return said(state, 'Not all of it can be taken back: leave out what can with space, then press y.')
    }
  }
  const step = dialogKey(review, press, { ...scene, request: asRequest(change), mustSeeEnd: false })
  return decided(state, change, step, scene)
}

export function debtPaste(state: DebtState, text: string, scene: DebtScene): DebtStep {
  const change = scene.changes.find(({ id }) => id === state.at)
  if (change === undefined) return { state, used: true }
  const step = dialogPaste(reviewOf(state, change), text, { ...scene, request: asRequest(change), mustSeeEnd: false })
  return { ...decided(state, change, step, scene), used: true }
}

/** What a review of something that is not applied yet does, and this one does not. */
const foreign: ReadonlySet<string> = new Set([
  'always',
  'edit',
  'editor',
  'activate',
  'next',
  'previous',
  'right',
  'left',
  'fullscreen',
  'wider',
  'leave',
])

function toChange(state: DebtState, { changes }: DebtScene, by: 1 | -1): DebtStep {
  const at = changes.findIndex(({ id }) => id === state.at)
  const to = changes[at + by]
  if (to === undefined) return said(state, by > 0 ? 'This is the last one.' : 'This is the first one.', 'info')
  return { state: { ...state, at: to.id }, used: true }
}

function decided(
  state: DebtState,
  change: Unreviewed,
  step: { state: DialogState; used: boolean; decision?: Decision },
  scene: DebtScene,
): DebtStep {
  const { review, problem } = withoutConflicts(step.state, scene.standing)
  if (step.decision === undefined) {
    const next = withReview(state, change, review)
    return { state: problem === null ? next : { ...next, said: { level: 'warn', text: problem } }, used: step.used }
  }
  // Until it is written it can still turn out that it cannot be.
  const next = withReview(state, change, { ...review, mode: 'read', decided: false })
  const { kept, message } = meaningOf(step.decision, change)
  return { state: next, used: true, settle: { change, kept, message } }
}

/** What cannot be taken back stays selected. */
function withoutConflicts(
  state: DialogState,
  standing: ChangeStanding | null,
): { review: DialogState; problem: string | null } {
  const conflicts = Object.entries(standing?.conflicts ?? {})
  const [kept, ...more] = state.review?.kept ?? []
  if (state.review === null || kept === undefined || conflicts.length === 0) return { review: state, problem: null }
  const { review } = state
  const problems = kept.map((part, hunk) => (part === true ? undefined : conflictOf(review, hunk, standing)))
  const first = problems.findIndex((why) => why !== undefined)
  if (first < 0) return { review: state, problem: null }
  const all = kept.map((part, hunk) => (problems[hunk] === undefined ? part : true))
  return {
    review: { ...state, review: { ...review, kept: [all, ...more] } },
    problem: `Hunk ${first + 1} cannot be taken back: ${problems[first]}.`,
  }
}

/** Why a hunk as it is shown cannot be taken back; it may be a part of one of the change. */
export function conflictOf(
  { parts }: Pick<NonNullable<DialogState['review']>, 'parts'>,
  hunk: number,
  standing: ChangeStanding | null,
): string | undefined {
  return standing?.conflicts[parts[0]?.[hunk]?.hunk ?? hunk]
}

/** A yes is to what is selected, a no takes all of it back. */
function meaningOf(decision: Decision, { diff }: Unreviewed): { kept: KeptLines; message: string | undefined } {
  if (decision.type === 'deny') return { kept: {}, message: decision.message }
  const { selection, comments = [] } = decision.amendment ?? {}
  const whole = Object.fromEntries(diff.hunks.map((_, hunk) => [hunk, true as const]))
  const words = comments.map(
    ({ path, line, snippet, text }) => `${path}:${line} \`${snippet.trim().slice(0, 200)}\`: ${text}`,
  )
  const message = words.length === 0 ? undefined : [`My comments:`, ...words].join('\n')
  return { kept: selection?.[diff.path] ?? whole, message }
}

function said(state: DebtState, text: string, level: 'info' | 'warn' = 'warn'): DebtStep {
  return { state: { ...state, said: { level, text } }, used: true }
}
