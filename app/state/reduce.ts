/** The one way state changes: an AgentEvent or a UI action in, the next state out; pure, and the same for live and stored events. */
import type { AgentEvent, EventType } from '@sluice/engine/protocol'
import { about } from './slices/about.ts'
import { approvals, phase } from './slices/approvals.ts'
import { background, stillThere } from './slices/background.ts'
import { changes, verification } from './slices/changes.ts'
import { live } from './slices/live.ts'
import { marks } from './slices/marks.ts'
import { context, turn, usage } from './slices/meters.ts'
import { settled } from './slices/settled.ts'
import { type AppState, emptyView, type SessionView, type UiState } from './state.ts'
import type { UiAction } from './ui-action.ts'

export type Action = AgentEvent | UiAction

type SliceName =
  | 'settled'
  | 'live'
  | 'approvals'
  | 'changes'
  | 'marks'
  | 'verification'
  | 'background'
  | 'turn'
  | 'usage'
  | 'context'
  | 'about'

/** Which slices an event may change; a new event does not compile until it stands here. */
const routes: { [T in EventType]: readonly SliceName[] } = {
  session_start: ['settled', 'live', 'approvals', 'background', 'usage', 'about'],
  turn_start: ['settled', 'live', 'approvals', 'marks', 'turn'],
  state: ['approvals'],
  context: ['context'],
  reasoning_delta: ['live'],
  text_delta: ['live'],
  message: ['settled', 'live', 'turn'],
  // The deltas told it already; who goes on with a session of which that is all there is says it as a `message`.
  partial: [],
  tool_proposed: ['live'],
  approval_request: ['live', 'approvals'],
  approval_decision: ['live', 'approvals'],
  tool_start: ['live', 'marks'],
  tool_process: [],
  tool_output: ['live'],
  tool_result: ['settled', 'live', 'approvals', 'changes', 'verification', 'background', 'turn'],
  usage: ['turn', 'usage', 'context'],
  reviewed: ['settled', 'changes', 'verification'],
  rewound: ['settled', 'changes', 'marks', 'verification'],
  todo: ['about'],
  queue: ['about'],
  cleared: ['settled', 'context'],
  compaction: ['settled', 'context'],
  verification: ['verification'],
  notice: ['settled', 'live'],
  error: ['settled'],
  setting: ['about'],
  turn_end: ['settled', 'live', 'approvals', 'turn', 'about'],
  session_end: ['live', 'approvals', 'background'],
}

/** The state after `action`; the very same object when nothing changed. An event of an unknown type changes nothing. */
export function reduce(state: AppState, action: Action): AppState {
  return isAgentEvent(action) ? reduceEvent(state, action) : reduceUi(state, action)
}

/** A session's view after one event; `view` is the one before. Exported for replays that need no whole state. */
export function reduceView(view: SessionView, event: AgentEvent): SessionView {
  const route = Object.hasOwn(routes, event.type) ? routes[event.type] : undefined
  if (route === undefined) return view
  let change: Partial<SessionView> = {}
  for (const slice of route) change = { ...change, ...slices[slice](view, event) }
  return merged(view, change)
}

/** True for what comes from an engine, false for what the screen itself wants. */
export function isAgentEvent(action: Action): action is AgentEvent {
  return 'sessionId' in action && 'seq' in action
}

const slices: { [S in SliceName]: (view: SessionView, event: AgentEvent) => Partial<SessionView> } = {
  settled: (view, event) => ({ settled: settled(view, event) }),
  live: (view, event) => ({ live: live(view, event) }),
  approvals: (view, event) => {
    const open = approvals(view, event)
    return { approvals: open, phase: phase(view, event, open) }
  },
  changes: (view, event) => ({ changes: changes(view, event) }),
  marks: (view, event) => ({ marks: marks(view, event) }),
  verification: (view, event) => ({ verification: verification(view, event) }),
  background: (view, event) => ({ background: background(view, event) }),
  turn: (view, event) => ({ turn: turn(view, event) }),
  usage: (view, event) => ({ usage: usage(view, event) }),
  context: (view, event) => ({ context: context(view, event) }),
  about,
}

function reduceEvent(state: AppState, event: AgentEvent): AppState {
  if (!Object.hasOwn(routes, event.type)) return state
  const known = state.sessions[event.sessionId]
  const before = known ?? emptyView(event.sessionId)
  const view = reduceView(before, event)
  if (known !== undefined && view === known) return state
  const next = { ...state, sessions: { ...state.sessions, [event.sessionId]: view } }
  if (known === undefined) {
    next.order = [...state.order, event.sessionId]
    next.focus = state.focus ?? event.sessionId
  }
  const ui = uiAfter(state, event)
  return ui === state.ui ? next : { ...next, ui }
}

/** What an event means for the screen itself: an unseen end elsewhere, a question in focus that is gone. */
function uiAfter(state: AppState, event: AgentEvent): UiState {
  const { ui } = state
  if (event.type === 'turn_end' && event.sessionId !== state.focus && !ui.unseen.includes(event.sessionId)) {
    return { ...ui, unseen: [...ui.unseen, event.sessionId] }
  }
  if (event.type === 'approval_decision' && event.sessionId === state.focus && ui.answering) {
    return { ...ui, answering: false }
  }
  return ui
}

function reduceUi(state: AppState, action: UiAction): AppState {
  switch (action.type) {
    case 'ui_focus': {
      if (state.sessions[action.sessionId] === undefined || state.focus === action.sessionId) return state
      const unseen = state.ui.unseen.filter((id) => id !== action.sessionId)
      return { ...state, focus: action.sessionId, ui: { ...state.ui, unseen, reading: false, answering: false } }
    }
    case 'ui_close_session': {
      if (state.sessions[action.sessionId] === undefined) return state
      const { [action.sessionId]: _, ...sessions } = state.sessions
      const index = state.order.indexOf(action.sessionId)
      const order = state.order.filter((id) => id !== action.sessionId)
      const focus = state.focus === action.sessionId ? (order[Math.max(0, index - 1)] ?? null) : state.focus
      const unseen = state.ui.unseen.filter((id) => id !== action.sessionId && id !== focus)
      return { ...state, sessions, order, focus, ui: { ...state.ui, unseen } }
    }
    case 'ui_ended':
      return withoutProcesses(state, action.pids)
    case 'ui_load':
      return load(state, action.events)
    case 'ui_overlay':
      return withUi(state, { overlay: action.overlay })
    case 'ui_panel':
      return withUi(state, { panel: action.shown })
    case 'ui_reading':
      return withUi(state, { reading: action.reading })
    case 'ui_answering':
      return withUi(state, { answering: action.answering })
    case 'ui_question':
      return withUi(state, { question: action.requestId })
    case 'ui_trust':
      return withUi(state, { trust: action.question })
    case 'ui_draft':
      return withUi(state, { draft: action.draft })
    case 'ui_toast':
      return withUi(state, { toast: action.toast })
    default:
      return state
  }
}

/**
 * What is known of a session is replaced. Views are built outside the state, so that a long session costs one copy of it and
 * not one per event.
 */
function load(state: AppState, events: readonly AgentEvent[]): AppState {
  const views = new Map<string, SessionView>()
  for (const event of events) {
    if (!Object.hasOwn(routes, event.type)) continue
    const view = views.get(event.sessionId) ?? emptyView(event.sessionId)
    views.set(event.sessionId, reduceView(view, event))
  }
  if (views.size === 0) return state
  const order = [...state.order, ...[...views.keys()].filter((id) => !state.order.includes(id))]
  const sessions = { ...state.sessions, ...Object.fromEntries(views) }
  return { ...state, sessions, order, focus: state.focus ?? order[0] ?? null }
}

function withoutProcesses(state: AppState, pids: readonly number[]): AppState {
  const changed = Object.values(state.sessions).flatMap((view): [string, SessionView][] => {
    const left = stillThere(view.background, pids)
    return left === view.background ? [] : [[view.id, { ...view, background: left }]]
  })
  return changed.length === 0 ? state : { ...state, sessions: { ...state.sessions, ...Object.fromEntries(changed) } }
}

function withUi(state: AppState, change: Partial<UiState>): AppState {
  const ui = merged(state.ui, change)
  return ui === state.ui ? state : { ...state, ui }
}

function merged<T extends object>(before: T, change: Partial<T>): T {
  for (const key of Object.keys(change) as (keyof T)[]) {
    if (change[key] !== before[key]) return { ...before, ...change }
  }
  return before
}
