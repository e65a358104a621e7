/** A session's records as what a person reads: words, answers, calls with what came of them, and how turns ended; pure. */
import type { AgentEvent, Block, DecidedBy, EventOf, StopReason, ToolCall, ToolResult } from '@sluice/engine/protocol'

export type Part =
  | { kind: 'user'; time: string; text: string; joined: boolean }
  | { kind: 'assistant'; time: string; text: string; reasoning: string; partial: boolean }
  | CallPart
  | { kind: 'remark'; time: string; level: 'info' | 'warn' | 'error'; text: string }
  | {
      kind: 'turn-end'
      time: string
      /** Why, in a word; `the process ended` where nobody ended it. */
      ended: StopReason | 'the process ended'
      durationMs: number
      calls: number
    }

export type CallPart = {
  kind: 'call'
  time: string
  tool: string
  title: string
  /** `open`: the record ends before its result. */
  status: 'done' | 'failed' | 'refused' | 'open'
  summary: string
  blocks: readonly Block[]
  /** Why it was allowed or not, in words; '' when nobody was asked. */
  decision: string
  durationMs: number | null
}

export function conversationOf(events: readonly AgentEvent[]): Part[] {
  const parts: Part[] = []
  const open = new Map<string, CallPart>()
  const streamed = streamedReply(parts)
  for (const event of events) {
    const { time } = event
    switch (event.type) {
      case 'partial':
        streamed.add(event)
        break
      case 'turn_start':
        streamed.flush()
        parts.push({ kind: 'user', time, text: event.input, joined: false })
        break
      case 'message': {
        const { message } = event
        if (message.role === 'assistant') streamed.drop()
        if (message.role === 'user') parts.push({ kind: 'user', time, text: message.content, joined: true })
        else if (message.content.trim() !== '' || message.reasoning) {
          const { content, reasoning = '' } = message
          parts.push({ kind: 'assistant', time, text: content, reasoning, partial: event.partial === true })
        }
        break
      }
      case 'tool_proposed': {
        const call = callPart(open, parts, event.call.id, time)
        Object.assign(call, { tool: event.call.name, title: event.title, blocks: event.blocks })
        break
      }
      case 'approval_decision': {
        const call = open.get(event.callId)
        if (call) call.decision = decisionText(event.decision, event.decidedBy)
        break
      }
      case 'tool_result': {
        const call = callPart(open, parts, event.call.id, time)
        open.delete(event.call.id)
        const { result } = event
        Object.assign(call, {
          tool: event.call.name,
          title: call.title === '' ? titleOf(event.call) : call.title,
          status: statusOf(result),
          summary: result.summary,
          blocks: event.blocks.length > 0 ? event.blocks : textBlocks(result.content),
          durationMs: typeof result.metadata.durationMs === 'number' ? result.metadata.durationMs : null,
        })
        break
      }
      case 'compaction':
        parts.push({ kind: 'remark', time, level: 'info', text: `The history was shortened: ${event.summary}` })
        break
      case 'cleared':
        parts.push({ kind: 'remark', time, level: 'info', text: 'The conversation began anew here.' })
        break
      case 'rewound':
        parts.push({ kind: 'remark', time, level: 'info', text: rewoundText(event.rewound) })
        break
      case 'notice':
        if (event.code === 'model_retry') streamed.drop()
        if (event.level === 'warn') parts.push({ kind: 'remark', time, level: 'warn', text: event.text })
        break
      case 'error':
        parts.push({ kind: 'remark', time, level: 'error', text: `${event.error.code}: ${event.error.message}` })
        break
      case 'turn_end':
        open.clear()
        streamed.flush()
        parts.push({
          kind: 'turn-end',
          time,
          ended: event.processEnded ? 'the process ended' : event.reason,
          durationMs: event.durationMs,
          calls: event.calls,
        })
        break
      default:
        break
    }
  }
  streamed.flush()
  return parts
}

/** What came of a reply whose `message` is not in the record, since the process died while it streamed. */
function streamedReply(parts: Part[]) {
  let part: Extract<Part, { kind: 'assistant' }> | null = null
  return {
    add({ time, text, reasoning = '' }: EventOf<'partial'>) {
      part ??= { kind: 'assistant', time, text: '', reasoning: '', partial: true }
      part = { ...part, text: part.text + text, reasoning: part.reasoning + reasoning }
    },
    drop() {
      part = null
    },
    flush() {
      if (part !== null) parts.push(part)
      part = null
    },
  }
}

function callPart(open: Map<string, CallPart>, parts: Part[], id: string, time: string): CallPart {
  const known = open.get(id)
  if (known) return known
  const part: CallPart = {
    ...{ kind: 'call', time, tool: '', title: '', status: 'open', summary: '' },
    ...{ blocks: [], decision: '', durationMs: null },
  }
  open.set(id, part)
  parts.push(part)
  return part
}

/** For a call that was never proposed. */
function titleOf({ name, input }: ToolCall): string {
  const { command, path } = (input ?? {}) as { command?: unknown; path?: unknown }
  const subject = [command, path].find((value): value is string => typeof value === 'string')
  return subject === undefined ? name : `${name} ${subject}`
}

function statusOf({ ok, error }: ToolResult): CallPart['status'] {
  if (ok) return 'done'
  return error === 'TOOL_PERMISSION_DENIED' ? 'refused' : 'failed'
}

function textBlocks(content: string): Block[] {
  return content === '' ? [] : [{ type: 'text', text: content }]
}

type Decided = Extract<AgentEvent, { type: 'approval_decision' }>['decision']

function decisionText(decision: Decided, by: DecidedBy): string {
  const who = by === 'person' ? 'you' : by
  if (decision.type === 'deny') return `denied by ${who}${decision.message ? `: ${decision.message}` : ''}`
  return `allowed by ${who}${decision.rule ? ` (always: ${decision.rule.text})` : ''}`
}

type Rewound = Extract<AgentEvent, { type: 'rewound' }>['rewound']

function rewoundText({ conversation, undoes, input, files, call, cutOff }: Rewound): string {
  if (undoes !== undefined) return 'The rewind was undone.'
  if (cutOff !== undefined) return `A rewind was cut off; ${cutOff} files were not reached. It was to before: ${input}`
  if (call !== undefined) return `Undo of one call, in files: ${call.tool}: ${call.title}`
  const what = [...(conversation ? ['the conversation'] : []), ...((files?.length ?? 0) > 0 ? ['files'] : [])].join(
    ' and ',
  )
  return `Rewound ${what || 'nothing'} to before: ${input}`
}

/** `1.4 s`, `2 min 5 s` */
export function durationText(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}
