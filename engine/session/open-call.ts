/** A call of the last reply that has no result when its records end, and the result that it gets. */
import type { Block, CommandProcess, ToolCall, ToolResult } from '../protocol/index.ts'
import { interruption } from './interruption.ts'
import type { Proposal } from './recorded-files.ts'
import { countRedactions } from './redact.ts'
import type { ResumeOptions } from './resumed.ts'

export type OpenCall = {
  call: ToolCall
  /** It ran when the process died. */
  started: boolean
  /** What it would have done, as it was last shown; null when it was not prepared. */
  proposal: Proposal | null
  /** The person said no, and the call was not told yet. */
  denied: { message?: string } | null
  /** What ran it, if that was a command. */
  leader?: CommandProcess
}

/** The result of a call that has none: what is known of it. */
export type CutOff = { call: ToolCall; result: ToolResult; blocks: Block[] }

export function cutOff(one: OpenCall, options: ResumeOptions): CutOff {
  const content = interruption(one, options)
  const result: ToolResult = {
    ok: false,
    summary: one.denied ? 'refused' : 'interrupted',
    content,
    metadata: { durationMs: 0, repaired: true },
    error: one.denied ? 'TOOL_PERMISSION_DENIED' : 'USER_ABORTED',
  }
  return { call: one.call, result, blocks: [{ type: 'error', text: content }] }
}

/** False for what ran, and for a call whose secrets were kept out of the record: it would not be the same call. */
export function canWait({ call, started, denied }: OpenCall): boolean {
  return !started && denied === null && countRedactions(call.input).size === 0
}

export function waiting(call: ToolCall): OpenCall {
  return { call, started: false, proposal: null, denied: null }
}
