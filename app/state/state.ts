/** What the screen knows: one SessionView per session, made only from AgentEvents and UI actions. */
import type {
  AgentErrorShape,
  Block,
  ContextBudget,
  DecidedBy,
  Evidence,
  Omitted,
  PermissionMode,
  PermissionRequest,
  QueuedInput,
  StopReason,
  TodoItem,
  ToolKind,
  TurnState,
  VerificationResult,
} from '@sluice/engine/protocol'
import { emptyLog, type Log } from './log.ts'
import type { Tail } from './retain.ts'

export type AppState = {
  sessions: Readonly<Record<string, SessionView>>
  /** Session ids in the order they were opened; `ctrl+x 1…9` counts here. */
  order: readonly string[]
  focus: string | null
  ui: UiState
}

/** What is asked about the folder: `new` when it is not known, `changed` when it runs or allows something else than before. */
export type TrustView = {
  why: 'new' | 'changed' | 'rules'
  folder: string
  /** `details` are lines for those who look closer; `runs` marks what starts programs. */
  parts: readonly { name: string; what: string; details: readonly string[]; runs: boolean; allows?: boolean }[]
}

/** What belongs to the screen and to no session. */
export type UiState = {
  overlay: { name: string; argument?: string } | null
  /** False after `ctrl+x p`: the side panel stays away even when there is room. */
  panel: boolean
  /** True while keys move the transcript instead of typing. */
  reading: boolean
  /** True once the person stepped into the open question by key. */
  answering: boolean
  /** The open question that was picked; the oldest one is shown when it is not open (any more). */
  question: string | null
  /** Whether the folder is trusted, while that is asked. */
  trust: TrustView | null
  /** Words that go into the draft of a session, until its screen has taken them. */
  draft: { sessionId: string; text: string } | null
  /** One line above the composer, until the next key. */
  toast: { level: 'info' | 'warn'; text: string } | null
  /** Sessions that ended a turn while another one was in focus. */
  unseen: readonly string[]
}

export type SessionView = {
  id: string
  cwd: string
  model: string
  mode: PermissionMode
  title: string
  /** Everything that is over; append-only, and an item never changes. */
  settled: Log<Item>
  /** The reply that streams and the calls without a result; null outside turns. */
  live: Live | null
  /** Open questions, oldest first. */
  approvals: readonly PermissionRequest[]
  phase: Phase
  queue: readonly QueuedInput[]
  todo: readonly TodoItem[]
  changes: readonly FileChange[]
  /** Of the last turn, call or rewind, and from there to those before. */
  marks: Mark | null
  verification: Verification
  /** Commands that run on although their call is over, oldest first. */
  background: readonly BackgroundCommand[]
  usage: UsageTotals
  context: ContextView
  /** The running turn, or the last one. */
  turn: TurnMeter | null
  lastStop: { reason: StopReason; at: number } | null
}

/** Times are ms since 1970, taken from the events. */
export type Phase =
  | { name: 'idle' }
  | { name: 'working'; state: TurnState; startedAt: number }
  | { name: 'needs-you'; state: TurnState; startedAt: number; since: number }
  | { name: 'ended' }

export type Item =
  | { kind: 'session'; id: string; at: number; model: string; resumed: boolean }
  | { kind: 'user'; id: string; at: number; text: string; joined: boolean }
  | { kind: 'assistant'; id: string; at: number; text: string; reasoning: string; partial: boolean }
  | CallItem
  | { kind: 'notice'; id: string; at: number; level: 'info' | 'warn'; code: string; text: string }
  | { kind: 'error'; id: string; at: number; error: AgentErrorShape }
  | { kind: 'compaction'; id: string; at: number; beforeTokens: number; afterTokens: number; summary: string }
  | { kind: 'cleared'; id: string; at: number }
  | {
      kind: 'turn-end'
      id: string
      at: number
      reason: StopReason
      durationMs: number
      replies: number
      calls: number
      tokens: number
      /** Its process died: nobody ended it. */
      processEnded?: boolean
    }

/** A call that is over. The result's content is not kept: what the model read stands in the transcript file. */
export type CallItem = CallHead & {
  kind: 'call'
  at: number
  status: 'done' | 'failed' | 'refused'
  summary: string
  durationMs: number | null
  exitCode: number | null
  /** The person typed it, and wants to see what came of it. */
  typed?: true
}

export type CallHead = {
  id: string
  callId: string
  name: string
  title: string
  toolKind: ToolKind | null
  blocks: readonly Block[]
  decision: CallDecision | null
}

export type CallDecision = { type: 'allow' | 'deny'; by: DecidedBy; message: string; rule: string | null }

/** A call without a result. */
export type LiveCall = CallHead & {
  status: 'proposed' | 'asked' | 'running' | 'refused'
  /** When the status began, ms since 1970. */
  since: number
  tail: Tail
}

export type Live = { text: string; reasoning: string; calls: readonly LiveCall[] }

/** `pids` are those that were found when the call ended and run still. */
export type BackgroundCommand = { id: string; title: string; pids: readonly number[] }

export type FileChange = {
  path: string
  change: 'create' | 'edit' | 'delete'
  additions: number
  deletions: number
  hunks: number
  edits: number
  /** Edits that no person looked at before they were applied. */
  unreviewed: number
}

/** How changes and checks stood when the turn, call or rewind of this id began. */
export type Mark = { id: string; changes: readonly FileChange[]; verification: Verification; before: Mark | null }

export type Verification = {
  /** Latest result per command, oldest first, at most eight. */
  results: readonly { result: VerificationResult; editsBefore: number }[]
  /** Edits that were applied so far, and how many of them a passed check has seen. */
  edits: number
  verified: number
}

export type UsageTotals = {
  replies: number
  inputTokens: number
  outputTokens: number
  totalTokens: number
  cachedInputTokens: number
  costUsd: number
  /** False when a reply came without a price: the cost is then a lower bound. */
  costKnown: boolean
  estimated: boolean
}

export type ContextView = {
  budget: ContextBudget | null
  /** Tokens that the next request carries, as far as known. */
  used: number
  evidence: readonly Evidence[]
  omitted: readonly Omitted[]
  instructions: readonly string[]
}

export type TurnMeter = {
  id: string
  startedAt: number
  /** Null while the turn runs. */
  durationMs: number | null
  replies: number
  calls: number
  tokens: number
  costUsd: number
}

export function emptyView(id: string): SessionView {
  return {
    id,
    cwd: '',
    model: '',
    mode: 'default',
    title: '',
    settled: emptyLog(),
    live: null,
    approvals: [],
    phase: { name: 'idle' },
    queue: [],
    todo: [],
    changes: [],
    marks: null,
    verification: { results: [], edits: 0, verified: 0 },
    background: [],
    usage: {
      replies: 0,
      inputTokens: 0,
      outputTokens: 0,
      totalTokens: 0,
      cachedInputTokens: 0,
      costUsd: 0,
      costKnown: true,
      estimated: false,
    },
    context: { budget: null, used: 0, evidence: [], omitted: [], instructions: [] },
    turn: null,
    lastStop: null,
  }
}

export const initialState: AppState = {
  sessions: {},
  order: [],
  focus: null,
  ui: {
    overlay: null,
    panel: true,
    reading: false,
    answering: false,
    question: null,
    trust: null,
    draft: null,
    toast: null,
    unseen: [],
  },
}
