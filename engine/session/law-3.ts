/** Law 3 on records: every turn ends with exactly one `turn_end`, whose reason is true. */
import type { AgentErrorCode, AgentEvent, EventOf, StopReason } from '../protocol/index.ts'
import type { LawBreak, RecordedSession } from './recorded.ts'
import { isTypedCall, type TypedTurn, typedTurnAfter } from './typed-command.ts'

/** What was recorded of the turn that is open. */
type OpenTurn = {
  id: string | null
  line: number
  errors: Set<AgentErrorCode>
  notices: Set<string>
  /** The last reply: whether it was whole, and whether it asked for calls; `command` when the turn ran one that the person typed. */
  reply: 'none' | 'whole' | 'partial' | 'with calls' | 'command'
  typed: TypedTurn | null
  replies: number
  calls: number
  /** The process that ran the turn is gone: another one closed it. */
  taken: boolean
}

export function turnEndBreaks({ transcript }: RecordedSession, notes: string[]): LawBreak[] {
  const breaks: LawBreak[] = []
  let open: OpenTurn | null = null
  for (const { line, record } of transcript.lines) {
    const report = (text: string) => breaks.push({ law: 'law 3', file: 'transcript', line, text })
    if (record.type === 'turn_start') {
      if (open) report(`a turn begins while the one of line ${open.line} has not ended`)
      open = begun(record, line)
      continue
    }
    if (record.type === 'session_start' && open) open.taken = true
    if (record.type === 'session_end' && open) report(`the session ends, and the turn of line ${open.line} has no end`)
    if (record.type !== 'turn_end') {
      if (open) note(open, record)
      continue
    }
    if (!open) report('a turn ends that had not begun, or had ended before')
    else if (open.id !== record.turnId) report(`the turn ${record.turnId} ends while ${open.id} is open`)
    else {
      const untrue = whyUntrue(record, open)
      if (untrue) report(`the turn ends with ${record.reason}, but ${untrue}`)
    }
    open = null
  }
  if (open) notes.push(`The turn of line ${open.line} has no end yet: the session was cut off, or is running.`)
  return breaks
}

function begun(record: EventOf<'turn_start'>, line: number): OpenTurn {
  return {
    id: record.turnId,
    line,
    errors: new Set(),
    notices: new Set(),
    reply: 'none',
    typed: typedTurnAfter(null, record),
    replies: 0,
    calls: 0,
    taken: false,
  }
}

function note(turn: OpenTurn, record: AgentEvent): void {
  if (record.type === 'error') turn.errors.add(record.error.code)
  else if (record.type === 'notice') turn.notices.add(record.code)
  else if (record.type === 'message' && record.message.role === 'assistant') {
    const calls = record.message.toolCalls?.length ?? 0
    turn.reply = record.partial ? 'partial' : calls > 0 ? 'with calls' : 'whole'
    turn.replies++
    turn.calls += calls
  } else if (record.type === 'message') turn.reply = 'none'
  else if (record.type === 'tool_result' && isTypedCall(turn.typed, record.call)) {
    turn.reply = 'command'
    turn.calls++
  }
  turn.typed = typedTurnAfter(turn.typed, record)
}

/** Why the reason cannot be true, by what the record shows; null when it can. */
function whyUntrue(end: EventOf<'turn_end'>, turn: OpenTurn): string | null {
  const missing = proofs[end.reason]?.(turn) ?? null
  if (missing !== null) return missing
  if (end.calls > turn.calls) return `it counts ${end.calls} calls, and ${turn.calls} are recorded`
  if (end.replies > turn.replies) return `it counts ${end.replies} replies, and ${turn.replies} are recorded`
  if (end.processEnded && !turn.taken) return 'says that its process had died, and that very process wrote it'
  if (end.reason === 'user_abort' && !turn.taken && turn.reply === 'whole') return 'its last reply is a whole answer'
  return null
}

const proofs: Partial<Record<StopReason, (turn: OpenTurn) => string | null>> = {
  final_answer: ({ reply }) =>
    reply === 'whole' || reply === 'command'
      ? null
      : reply === 'none'
        ? 'there is no answer'
        : reply === 'partial'
          ? 'its answer was cut off'
          : 'its last reply asks for tools',
  model_error: ({ errors }) => (errors.size > 0 ? null : unsaid('of the model')),
  tool_error: ({ errors }) => (errors.has('TOOL_LOOP') || errors.has('INTERNAL') ? null : unsaid('of a tool')),
  context_too_large: ({ errors }) => (errors.has('CONTEXT_TOO_LARGE') ? null : unsaid('about the context')),
  budget_exceeded: ({ errors }) => (errors.has('BUDGET_EXCEEDED') ? null : unsaid('about the budget')),
  max_turns: ({ notices }) => (notices.has('max_turns') ? null : 'nothing says that the limit was reached'),
  time_limit: ({ notices }) => (notices.has('time_limit') ? null : 'nothing says that the time was up'),
}

function unsaid(of: string): string {
  return `no error ${of} is recorded`
}
