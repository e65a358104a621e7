/** The ports: what the core asks of the world, and what the world promises. */
export type * from './artifact-store.ts'
export type * from './audit-sink.ts'
export type * from './change-set.ts'
export type * from './checkpoints.ts'
export { type Clock, sleep } from './clock.ts'
export type * from './context-source.ts'
export type * from './digest.ts'
export type * from './event-sink.ts'
export type * from './model-adapter.ts'
export type * from './processes.ts'
export type * from './reviewed-files.ts'
export type * from './rule-store.ts'
export type * from './sandbox.ts'
export type * from './session-index.ts'
export {
  defineTool,
  type FileLedger,
  type InputSpec,
  type PlannedFile,
  type PrepareContext,
  type Prepared,
  type RunContext,
  type SeenFile,
  type Tool,
  type ToolDefinition,
  ToolFailure,
  type ToolOutcome,
  type Validation,
} from './tool.ts'
export { inSpan, type Span, type Tracer } from './tracer.ts'
