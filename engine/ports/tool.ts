/** What a tool is: it prepares a plan without side effects, and runs that very plan once it is permitted. */
import type {
  AgentErrorCode,
  Amendment,
  Block,
  JsonSchema,
  PermissionNeed,
  Risk,
  TodoItem,
  ToolKind,
} from '../protocol/index.ts'
import type { ArtifactStore } from './artifact-store.ts'
import type { ChangeWriter } from './change-set.ts'
import type { CallSandbox, SandboxRefusals } from './sandbox.ts'
import type { Span } from './tracer.ts'

/** Thrown by tools for what the model should be told; any other thrown value is a bug of the tool. */
export class ToolFailure extends Error {
  readonly code: AgentErrorCode
  readonly metadata: Record<string, unknown>
  constructor(message: string, code: AgentErrorCode = 'TOOL_EXECUTION_FAILED', metadata: Record<string, unknown> = {}) {
    super(message)
    this.name = 'ToolFailure'
    this.code = code
    this.metadata = metadata
  }
}

/** What the session knows of a file: the version that the model saw, and whether it saw all of it. */
export type SeenFile = { hash: string; whole: boolean }

/** Files the model has read or written in this session, by canonical path. */
export interface FileLedger {
  get(path: string): SeenFile | undefined
  /** A partial read of the version that was seen whole stays whole. */
  note(path: string, seen: SeenFile): void
  forget(path: string): void
}

/** A file as it will be once the earlier edits of this reply have run; `bytes` null means deleted. */
export type PlannedFile = { path: string; bytes: Uint8Array | null; hash: string | null }

export type PrepareContext = {
  /** Canonical workspace root; tools never take another one from the model. */
  cwd: string
  sessionId: string
  callId: string
  signal: AbortSignal
  files: FileLedger
  /** Canonical path → planned result of earlier edits in the same reply. */
  planned: ReadonlyMap<string, PlannedFile>
}

export type RunContext = PrepareContext & {
  artifacts: ArtifactStore
  /** Live output for the eye; may be dropped or merged. */
  output(chunk: string): void
  /** A process runs for this call now, and leads a group of its own: whoever goes on with the session can find it. */
  started?(pid: number): void
  /** The tool's own span; `span.child(...)` for steps below it. */
  span: Span
  /** The person's answer to `Prepared.question`. */
  answer?: string
  /** False for a file whose reading would need a question or is denied: a search leaves it out. `path` is canonical. */
  mayRead(path: string, inside: boolean): boolean
  /** Replaces the session's plan. */
  setTodo(items: TodoItem[]): void
  /** Set when the commands of this call must run in the sandbox; only for tools that are `sandboxed`. */
  sandbox?: CallSandbox
}

export type Prepared<Plan> = {
  /** One line: what would be done, e.g. `src/cart.ts` or `npm test`. */
  title: string
  needs: PermissionNeed[]
  /** Overrides the risk that the engine derives from the needs when it is heavier. */
  risk?: Risk
  /** The whole of what would be done. */
  blocks: Block[]
  plan: Plan
  /** Exactly what would be done, as text; hashed into the request's digest. */
  fingerprint: string
  /** Files this would write, for the calls after it. */
  writes?: PlannedFile[]
  /** Kind `ask` only: what the person is asked. */
  question?: { text: string; options?: string[] }
}

export type ToolOutcome = {
  ok: boolean
  summary: string
  content: string
  metadata?: Record<string, unknown>
  /** Replace the prepared blocks in the transcript; absent keeps them. */
  blocks?: Block[]
  error?: AgentErrorCode
  /** Fingerprint of what was really done; equals the prepared one unless nothing was done. */
  applied?: string
  /** What the sandbox refused; the executor tells it, and may ask whether to run the plan again outside. */
  sandbox?: SandboxRefusals
}

/** Validation of the model's input: the value, or one sentence per problem. */
export type Validation<Input> = { ok: true; value: Input } | { ok: false; problems: string }
export type InputSpec<Input> = { jsonSchema: JsonSchema; validate(input: unknown): Validation<Input> }

export interface ToolDefinition<Input, Plan> {
  name: string
  kind: ToolKind
  description: string
  input: InputSpec<Input>
  /** Default and cap of a call's running time in ms; waiting for a person is not counted. 0 = the tool times itself. */
  timeoutMs: number
  /** Longer content is cut in the middle and spilled whole to an artifact. */
  maxResultTokens: number
  /** It runs commands, and runs them in `RunContext.sandbox` where that is set. */
  sandboxed?: boolean
  /** No side effects. Throws ToolFailure for what the model should hear. */
  prepare(input: Input, context: PrepareContext): Promise<Prepared<Plan>>
  /** The plan as the person changed it; the result is what will run. Absent: amendments are refused. */
  amend?(plan: Plan, amendment: Amendment, context: PrepareContext): Promise<Prepared<Plan>>
  /**
   * The plan made anew on the version that is there now, so that what somebody else changed meanwhile stays. Absent: the
   * input is prepared again, which does as well where it names passages. Throws ToolFailure where both changed the same.
   */
  rebase?(plan: Plan, context: PrepareContext): Promise<Prepared<Plan>>
  /** Calls of all tools that have this very writer may be decided on and written together. */
  changes?: ChangeWriter<Plan>
  /** Does what the plan says after checking that the world is still the one it was made for. */
  run(plan: Plan, context: RunContext): Promise<ToolOutcome>
}

/** A tool whose input and plan types are known only to itself. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tools has no common input type; each validates its own
export type Tool = ToolDefinition<any, any>

/** Checks a definition's types; returns it unchanged. */
export function defineTool<Input, Plan>(definition: ToolDefinition<Input, Plan>): ToolDefinition<Input, Plan> {
  return definition
}
