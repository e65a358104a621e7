/** The core: the session façade and what is composed into it; adapters are imported by their own path. */

export { estimateTokens } from './context/budget.ts'
export { buildContext } from './context/build.ts'
export { type PromptFacts, systemPrompt } from './context/prompt.ts'
export { createRepeatGuard, defaultMaxTurns, type TurnLimits } from './loop/limits.ts'
export { createPermissionGate, type GateAnswer, type PermissionGate } from './permission/gate.ts'
export {
  builtinTools,
  createJudge,
  judge,
  type ParsedRule,
  parseRule,
  type Ruling,
  unknownTool,
  type World,
} from './permission/index.ts'
export type { Judge, JudgeInput, Judgement } from './permission/judge-port.ts'
export { createFileLedger } from './session/file-ledger.ts'
export { type Fork, forkEvents } from './session/fork.ts'
export { checkLaws, type LawReport } from './session/laws.ts'
export { countRedactions, createRedactor, type Redactor } from './session/redact.ts'
export { createResume, resumeSession } from './session/resume.ts'
export type { ResumedSession } from './session/resumed.ts'
export { createSession, type Session, type SessionOptions } from './session/session.ts'
