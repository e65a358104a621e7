/** Law 9 on records: one session id ties words, context, model, calls and answers together in all three files. */
import { ownPart } from './inherited.ts'
import type { LawBreak, RecordedSession, RecordName } from './recorded.ts'
import { rewindCallId } from './rewind-apply.ts'
import { isTypedCall, type TypedTurn, typedTurnAfter } from './typed-command.ts'

export function identityBreaks(session: RecordedSession): LawBreak[] {
  return [
    ...unreadableRecords(session),
    ...foreignRecords(session),
    ...missingSpans(ownPart(session)),
    ...strayEntries(session),
  ]
}

/**
 * A crash leaves half a line at the end, behind which only a new process goes on. Anywhere else a line that cannot be read
 * is a record that was lost or changed.
 */
function unreadableRecords({ transcript }: RecordedSession): LawBreak[] {
  return transcript.damaged.flatMap((line): LawBreak[] => {
    const next = transcript.lines.find((one) => one.line > line)
    if (next === undefined || next.record.type === 'session_start') return []
    return [
      {
        law: 'law 9',
        file: 'transcript',
        line,
        text: 'the record cannot be read: something in it was lost or changed',
      },
    ]
  })
}

/** Records of another session, and records out of order. */
function foreignRecords(session: RecordedSession): LawBreak[] {
  const breaks: LawBreak[] = []
  for (const file of ['transcript', 'trace', 'audit'] as const) {
    let seq = 0
    for (const { line, record } of session[file].lines) {
      const report = (text: string) => breaks.push({ law: 'law 9', file, line, text })
      if (record.sessionId !== session.id) report(`the record belongs to the session ${record.sessionId}`)
      // The trace numbers its spans anew in each process; the chain looks after the ledger.
      if (file !== 'transcript') continue
      if (record.seq <= seq)
        report(`record ${record.seq} stands behind record ${seq}: two processes wrote, or lines were moved`)
      seq = Math.max(seq, record.seq)
    }
  }
  return breaks
}

/** Each turn that ended in its own process has its span, its context, and a span for each call that was started. */
function missingSpans({ transcript, trace }: RecordedSession): LawBreak[] {
  const breaks: LawBreak[] = []
  const traced = new Set<string>()
  for (const { record } of trace.lines) {
    const { name, attributes } = record.span
    traced.add(`${record.turnId}\n${name}`)
    // The model may write a tool's name in another way than the tool has it.
    if (name.startsWith('tool.')) traced.add(`${record.turnId}\ntool\n${attributes.callId}`)
  }
  /** Lines of the open turn that must be in the trace once it has ended. */
  let wanted: { line: number; name: string; callId?: string }[] = []
  for (const { line, record } of transcript.lines) {
    if (record.type === 'turn_start' || record.type === 'session_start') wanted = []
    if (record.type === 'turn_start') wanted.push({ line, name: 'turn.run' })
    if (record.type === 'context') wanted.push({ line, name: 'context.build' })
    // What a later process made of a dead one's words was traced by nobody.
    if (record.type === 'message' && record.message.role === 'assistant' && !record.repaired)
      wanted.push({ line, name: 'model.call' })
    if (record.type === 'tool_start') wanted.push({ line, name: 'tool', callId: record.call.id })
    if (record.type !== 'turn_end') continue
    for (const { line: at, name, callId } of wanted) {
      const key = `${record.turnId}\n${name}${callId === undefined ? '' : `\n${callId}`}`
      if (traced.has(key)) continue
      const what = callId === undefined ? `${name} of this turn` : `of a tool for the call ${callId}`
      breaks.push({ law: 'law 9', file: 'transcript', line: at, text: `the trace has no span ${what}` })
    }
    wanted = []
  }
  return breaks
}

/** Turns and calls that the trace or the ledger names must be in the transcript. */
function strayEntries({ transcript, trace, audit }: RecordedSession): LawBreak[] {
  const turns = new Set<string>()
  const calls = new Set<string>()
  let typed: TypedTurn | null = null
  for (const { record } of transcript.lines) {
    if (record.turnId !== null) turns.add(record.turnId)
    if (record.type === 'rewound') {
      for (const i of record.rewound.files.keys()) calls.add(`null\n${rewindCallId(record.rewound.id, i)}`)
    }
    const called = record.type === 'tool_proposed' || record.type === 'tool_result'
    if (called && isTypedCall(typed, record.call)) calls.add(`${record.turnId}\n${record.call.id}`)
    typed = typedTurnAfter(typed, record)
    if (record.type === 'message' && record.message.role === 'assistant') {
      for (const call of record.message.toolCalls ?? []) calls.add(`${record.turnId}\n${call.id}`)
    }
  }
  const breaks: LawBreak[] = []
  const check = (file: RecordName, line: number, turnId: string | null, callId?: string) => {
    const report = (text: string) => breaks.push({ law: 'law 9', file, line, text })
    if (turnId !== null && !turns.has(turnId)) report(`the turn ${turnId} is not in the transcript`)
    else if (callId !== undefined && !calls.has(`${turnId}\n${callId}`)) {
      report(`the call ${callId} is not in the transcript`)
    }
  }
  for (const { line, record } of trace.lines) check('trace', line, record.turnId)
  for (const { line, record } of audit.lines) check('audit', line, record.turnId, record.callId)
  return breaks
}
