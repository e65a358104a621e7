/** The shared vocabulary: plain data that imports nothing outside this folder. */
export type * from './block.ts'
export { AgentError, type AgentErrorCode, type AgentErrorShape, type StopReason, toErrorShape } from './error.ts'
export {
  type AgentEvent,
  type CommandProcess,
  type ContextBudget,
  type Envelope,
  type EventBody,
  type EventOf,
  type EventType,
  type Evidence,
  isDurable,
  type Omitted,
  type TurnState,
  type VerificationResult,
} from './event.ts'
export type * from './message.ts'
export {
  type Amendment,
  type ChangeSetCall,
  type DecidedBy,
  type Decision,
  type JudgedNeed,
  type LineComment,
  type PermissionMode,
  type PermissionNeed,
  type PermissionRequest,
  permissionModes,
  type Risk,
  type RiskLevel,
  type RuleChange,
  type RuleScope,
  type RuleSuggestion,
  type SandboxUse,
  type ToolKind,
  type Verdict,
} from './permission.ts'
export type * from './review.ts'
export type * from './rewind.ts'
export type * from './session.ts'
export { cutAfter, cutBefore, shorten } from './shorten.ts'
export type * from './trace.ts'
export type * from './usage.ts'
