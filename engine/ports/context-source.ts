/** Something that adds to what the model sees: instruction files, workspace facts, retrieved evidence. */
import type { Evidence, Omitted } from '../protocol/index.ts'
import type { Span } from './tracer.ts'

export type ContextRequest = {
  input: string
  cwd: string
  /** Tokens this source may use at most. */
  budget: number
  signal: AbortSignal
  span: Span
}

/** `instructions` come before the history; `workspace` is facts about the project. */
export type ContextSection = {
  name: string
  kind: 'instructions' | 'skill' | 'memory' | 'workspace'
  content: string
  evidence?: Evidence[]
}

export interface ContextSource {
  readonly name: string
  /** Misbehaviour costs its own section only: a thrown value becomes a notice. */
  load(request: ContextRequest): Promise<{ sections: ContextSection[]; omitted?: Omitted[] }>
}
