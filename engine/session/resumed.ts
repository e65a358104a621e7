/** What a recorded session comes to: the state that the next process goes on from. */
import type {
  AssistantMessage,
  CommandProcess,
  EventBody,
  Message,
  PermissionMode,
  QueuedInput,
  TodoItem,
} from '../protocol/index.ts'
import type { LeftNotice } from './left-running.ts'
import type { CutOff, OpenCall } from './open-call.ts'
import type { RecordedFile } from './recorded-files.ts'
import type { ReviewLedger } from './review-ledger.ts'
import type { SessionRule } from './session-rules.ts'
import type { TimelineState } from './timeline.ts'

/** A turn whose process died while calls waited for their turn or for a person. */
export type OpenTurn = {
  turnId: string
  input: string
  /** Null for a command that the person typed. */
  reply: AssistantMessage | null
  calls: OpenCall[]
  /** Results for those of them that cannot be asked again. */
  cutOff: CutOff[]
  /** Commands of theirs that still run. */
  notices: LeftNotice[]
  /** Of the whole turn so far. */
  replies: number
  callCount: number
  /** Its `context` is recorded. */
  contextTold: boolean
  /** Questions that nobody can answer any more, since they are asked anew. */
  questions: { id: string; callId: string }[]
  /** What `history` was before the results in `repairs`. */
  history: Message[]
}

export type ResumedSession = {
  /** History with every call answered. */
  history: Message[]
  lastSeq: number
  cwd?: string
  model?: string
  mode?: PermissionMode
  title?: string
  spentUsd: number
  todo: TodoItem[]
  /** Words that had not reached the model. */
  queue: QueuedInput[]
  /** Allow rules that the person gave for this session and did not take away, as text. */
  rules: string[]
  /** Ask and deny rules of that kind. */
  narrowing: SessionRule[]
  /** Versions of files that the model has seen. */
  files: RecordedFile[]
  /** What was applied without a person's look. */
  reviews: ReviewLedger
  /** The turns that can be gone back to. */
  timeline: TimelineState
  /** Items of the history that could not be used, and results that were shortened. */
  dropped: number
  shortened: number
  /** Events that must be recorded first: results for calls that never got one, and the end of a turn that never ended. */
  repairs: { turnId: string | null; body: EventBody }[]
  /** Set when the last turn can be gone on with instead of `repairs`. */
  open?: OpenTurn
}

export type ResumeOptions = {
  /** sha256 of what a file holds now; null when there is none, undefined when it cannot be told. */
  hashOf?(name: string): string | null | undefined
  /** Whether something of a command still runs that a former process started. */
  stillRuns?(leader: CommandProcess): boolean
}
