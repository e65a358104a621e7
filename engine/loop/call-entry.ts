/** A call of a reply on its way: what is known of it, from its words to its outcome. */
import type { Digest, Prepared, Tool, ToolOutcome } from '../ports/index.ts'
import type { AgentErrorCode, Block, LineComment, SandboxUse, ToolCall, ToolResult } from '../protocol/index.ts'

export type Ready = { tool: Tool; prepared: Prepared<unknown>; digest: string; sandbox?: SandboxUse }
export type Refusal = ToolOutcome & { error: AgentErrorCode }

export type Entry = {
  call: ToolCall
  tool?: Tool
  ready?: Ready
  /** As it was prepared before anybody changed it. */
  proposed?: Prepared<unknown>
  /** How many earlier edits of the reply had become others than they were prepared for when this was prepared. */
  epoch: number
  /** Set when the call must not run. */
  refused?: Refusal
  amended?: boolean
  answer?: string
  note?: string
  comments?: LineComment[]
  /** What a former process left of the call. */
  earlier?: Earlier
  /** Why it must be asked whatever the rules say: it is not the change that was shown before. */
  again?: string
  /** A person decided on the change that runs now. */
  decidedByPerson?: boolean
  /** Decided on, and started where it was allowed. */
  settled?: boolean
  done?: Promise<void>
  outcome?: Settled
}

export type Settled = { result: ToolResult; blocks: Block[] }

/** A call of a turn that is gone on with: its outcome where there can be no other, else it is prepared and asked anew. */
export type Earlier = { settled?: Settled }

export function readyOf(tool: Tool, prepared: Prepared<unknown>, digest: Digest, sandbox?: SandboxUse): Ready {
  return { tool, prepared, digest: digestOf(tool, prepared.fingerprint, digest), sandbox }
}

/** What the ledger calls exactly this plan of this tool. */
export function digestOf(tool: Tool, fingerprint: string, digest: Digest): string {
  return digest.sha256(`${tool.name}\n${fingerprint}`)
}
