/** Changes of several files that one decision applies: all of them, or none. */
import type { Prepared, RunContext, ToolOutcome } from './tool.ts'

/** What became of one call where several calls changed one file: `none` when nothing of it was kept. */
export type CallShare = { none: boolean; words: string }

/** Shared by the tools whose calls may be decided on together; a plan is about one file. */
export interface ChangeWriter<Plan> {
  /** What calls of one file make of it together; their plans are in call order, each made on what the one before left. */
  combine(plans: readonly Plan[]): Promise<Prepared<Plan>>
  /** What of each of those calls is in the change that the person let through; in call order. */
  shares(plans: readonly Plan[], permitted: Plan): CallShare[]
  /**
   * Writes all of the plans, each of another file, or none: when one cannot be written, the others are put back as they
   * were. One outcome a plan, in their order, which says what happened to its file. A plan whose file is another version
   * than it was made for is `metadata.stale`, and nothing is written then.
   */
  write(plans: readonly Plan[], context: RunContext): Promise<ToolOutcome[]>
}
