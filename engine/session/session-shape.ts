/** What a session is composed of, and what it offers. */
import type { TurnLimits } from '../loop/limits.ts'
import type { GateAnswer } from '../permission/gate.ts'
import type { Judge } from '../permission/judge-port.ts'
import type {
  ArtifactStore,
  AuditSink,
  Checkpoints,
  Clock,
  ContextSource,
  Digest,
  EventSink,
  ModelAdapter,
  Processes,
  ReviewedFiles,
  RuleStore,
  Sandbox,
  Tool,
  Tracer,
} from '../ports/index.ts'
import type {
  AgentEvent,
  PermissionMode,
  PermissionRequest,
  ReviewDebt,
  Rewind,
  RuleChange,
  SessionHandle,
} from '../protocol/index.ts'
import type { ResumedSession } from './resumed.ts'

export type SessionOptions = {
  id: string
  /** Canonical workspace root. */
  cwd: string
  version: string
  mode: PermissionMode
  model: ModelAdapter
  /** Finds a model by the name a person gives; throws AgentError. */
  selectModel(name: string): ModelAdapter
  tools: readonly Tool[]
  judge: Judge
  rules: RuleStore
  sources: readonly ContextSource[]
  systemPrompt(mode: PermissionMode): string
  sinks: readonly EventSink[]
  /** First subscriber; unlike later ones it also gets `session_start`. */
  onEvent?: (event: AgentEvent) => void
  audit: AuditSink
  tracer: Tracer
  artifacts: ArtifactStore
  clock: Clock
  digest: Digest
  limits?: Partial<TurnLimits>
  /** Absent: commands run outside. */
  sandbox?: Sandbox
  /** Absent: what was applied unseen can be kept, and not be taken back. */
  reviewedFiles?: ReviewedFiles
  /** Absent: what calls change is not kept, so that a rewind leaves files alone. */
  checkpoints?: Checkpoints
  /** Absent: commands that outlive a crash are not found again. */
  processes?: Processes
  unattended?: (request: PermissionRequest) => GateAnswer | null
  resumed?: ResumedSession
}

export interface Session extends SessionHandle {
  /** One turn as an async iterable over the very events that subscribers get; ends after its `turn_end`. */
  query(input: string): AsyncGenerator<AgentEvent>
  /**
   * Runs a command that the person typed as a turn of its own, judged and recorded like a call of the model; the next
   * request carries what came of it. False while a turn runs, and nothing happens then.
   */
  run(command: string): boolean
  /**
   * Goes on with the turn that a former process left: what waited for a person is asked again. False when there is none.
   * Until then, anything else that begins or ends a turn first records its calls as interrupted.
   */
  continueOpenTurn(): boolean
  /**
   * Records what the person did to the rules for the session outside of a question, after the store of rules has done it: who
   * resumes or forks the session has the rules that held.
   */
  noteRule(change: RuleChange): void
  /** What was applied without a person's look, and what they say to it afterwards. */
  readonly debt: ReviewDebt
  /** Back to before an earlier turn. */
  readonly rewind: Rewind
  readonly mode: PermissionMode
  readonly model: string
  readonly busy: boolean
}
