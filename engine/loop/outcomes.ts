/** What becomes of a call, in words for the model and as the record of its end. */
import { commentWords } from '../change/index.ts'
import type { Tool, ToolOutcome } from '../ports/index.ts'
import { ToolFailure } from '../ports/index.ts'
import { type AgentErrorCode, type Block, type DecidedBy, shorten, type ToolResult } from '../protocol/index.ts'
import type { Entry, Refusal, Settled } from './call-entry.ts'
import type { ExecutorPorts } from './tool-executor.ts'
import { truncateContent } from './truncate.ts'

/** The outcome as it goes into the stream: cut to what its tool may say. */
export function settle(
  outcome: ToolOutcome,
  durationMs: number,
  ports: ExecutorPorts,
  tool: Tool | undefined,
  preparedBlocks: Block[] = [],
): Settled {
  const cut = truncateContent(
    outcome.content,
    tool?.maxResultTokens ?? 4000,
    ports.artifacts,
    `${tool?.name ?? 'call'}-output.txt`,
  )
  const result: ToolResult = {
    ok: outcome.ok,
    summary: outcome.summary,
    content: cut.content,
    metadata: { durationMs, ...outcome.metadata, ...(cut.truncated ? { truncated: cut.truncated } : {}) },
  }
  if (!outcome.ok) result.error = outcome.error ?? 'TOOL_EXECUTION_FAILED'
  const blocks =
    outcome.blocks ??
    (outcome.ok ? preparedBlocks : [...preparedBlocks, { type: 'error' as const, text: outcome.summary }])
  return { result, blocks }
}

/** The outcome with what the person said about it, so that it is heard whatever the tool. */
export function withWords<T extends ToolOutcome>(entry: Pick<Entry, 'comments' | 'note'>, outcome: T): T {
  const words = [commentWords(entry.comments ?? []), entry.note ? `[The person adds: ${entry.note}]` : '']
  const said = words.filter((text) => text !== '')
  return said.length === 0 ? outcome : { ...outcome, content: [outcome.content, ...said].join('\n') }
}

export function failure(error: AgentErrorCode, content: string): Refusal {
  return { ok: false, error, content, summary: firstLine(content) }
}

export function interrupted(): Refusal {
  return {
    ok: false,
    error: 'USER_ABORTED',
    summary: 'interrupted before it ran',
    content: 'The person interrupted the turn before this call ran. It had no effect.',
  }
}

export function denied(message: string | undefined, decidedBy: DecidedBy): Refusal {
  const reason = message?.trim() ?? ''
  if (decidedBy !== 'person') {
    return {
      ...failure('TOOL_PERMISSION_DENIED', reason === '' ? 'This call is not permitted.' : `Not permitted: ${reason}`),
      summary: `denied: ${firstLine(reason)}`,
    }
  }
  if (reason === '') {
    return {
      ...failure(
        'TOOL_PERMISSION_DENIED',
        'The person refused this call and gave no reason. Nothing was done. Do not repeat it; go on without it or ask what they want.',
      ),
      summary: 'refused',
    }
  }
  return {
    ...failure('TOOL_PERMISSION_DENIED', `The person refused this call. Nothing was done. Their words: ${reason}`),
    summary: `refused: ${firstLine(reason)}`,
  }
}

export function fromThrown(error: unknown): Refusal {
  if (error instanceof ToolFailure) return { ...failure(error.code, error.message), metadata: error.metadata }
  const message = error instanceof Error ? error.message : String(error)
  return failure('INTERNAL', `The tool failed inside sluice (this is a bug, not your input): ${message}`)
}

function firstLine(text: string): string {
  return shorten(text.split('\n', 1)[0] ?? '', 160)
}
