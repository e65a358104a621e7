/** Law 2 on records: nothing ran without a recorded decision, and what was done is what was permitted. */
import type { EventOf } from '../protocol/index.ts'
import type { AuditRecord, LawBreak, RecordedSession, RecordLine } from './recorded.ts'
import { rewindCallId } from './rewind-apply.ts'

type DecisionRecord = Extract<AuditRecord, { type: 'decision' }>
type OutcomeRecord = Extract<AuditRecord, { type: 'outcome' }>
/** What the ledger says of one call. */
type Entries = { decisions: RecordLine<DecisionRecord>[]; outcomes: RecordLine<OutcomeRecord>[] }

export function permissionBreaks(session: RecordedSession): LawBreak[] {
  const calls = entriesByCall(session)
  return [...ledgerBreaks(session, calls), ...transcriptBreaks(session, calls)]
}

/** A provider may use the id of a call again in a later turn. */
function keyOf(turnId: string | null, callId: string): string {
  return `${turnId}\n${callId}`
}

function entriesByCall({ audit }: RecordedSession): Map<string, Entries> {
  const calls = new Map<string, Entries>()
  for (const entry of audit.lines) {
    if (entry.record.type === 'seal') continue
    const key = keyOf(entry.record.turnId, entry.record.callId)
    const known = calls.get(key) ?? { decisions: [], outcomes: [] }
    if (isDecision(entry)) known.decisions.push(entry)
    else if (isOutcome(entry)) known.outcomes.push(entry)
    calls.set(key, known)
  }
  return calls
}

/** What the ledger shows by itself: each effect behind a yes for exactly that. */
function ledgerBreaks({ audit }: RecordedSession, calls: Map<string, Entries>): LawBreak[] {
  const breaks: LawBreak[] = []
  for (const entry of audit.lines) {
    const { line } = entry
    const report = (text: string) => breaks.push({ law: 'law 2', file: 'audit', line, text })
    if (isDecision(entry)) {
      const { verdict, outcome, decidedBy, callId } = entry.record
      if (verdict === 'deny' && outcome === 'allow')
        report(`the call ${callId} was denied by a rule and allowed nevertheless`)
      if (verdict === 'ask' && outcome === 'allow' && (decidedBy === 'rule' || decidedBy === 'mode')) {
        report(`the call ${callId} had to be asked about, and a ${decidedBy} allowed it`)
      }
      continue
    }
    if (!isOutcome(entry)) continue
    const { record } = entry
    const known = calls.get(keyOf(record.turnId, record.callId))
    // A host that the call may reach is decided on while it runs, and is no permission for the call itself; what a review
    // does afterwards is permitted by that review alone.
    const counts = ({ step }: DecisionRecord) =>
      entry.record.step === 'review' ? step === 'review' : step !== 'host' && step !== 'review'
    const decision = known?.decisions.findLast((one) => one.line < line && counts(one.record))?.record
    if (!decision) report(`${record.tool} ran (call ${record.callId}) without a recorded decision before it`)
    else if (decision.outcome !== 'allow') report(`${record.tool} ran (call ${record.callId}) although it was denied`)
    else if (entry.record.digestApplied !== null && entry.record.digestApplied !== decision.digestPermitted) {
      report(`what ${record.tool} did (call ${record.callId}) is not what was permitted: the digests differ`)
    }
  }
  return breaks
}

/** What the transcript says must be in the ledger: a decision before each start, an outcome for each effect. */
function transcriptBreaks({ transcript }: RecordedSession, calls: Map<string, Entries>): LawBreak[] {
  const breaks: LawBreak[] = []
  const requests = new Map<string, EventOf<'approval_request'>['request']>()
  const kinds = new Map<string, string>()
  const started = new Set<string>()
  for (const [index, { line, record }] of transcript.lines.entries()) {
    const report = (text: string) => breaks.push({ law: 'law 2', file: 'transcript', line, text })
    // A process that dies between the two records has done nothing yet: a start would be found below.
    const next = transcript.lines[index + 1]?.record.type
    const died = next === undefined || next === 'session_start'
    switch (record.type) {
      case 'tool_proposed':
        kinds.set(keyOf(record.turnId, record.call.id), record.kind)
        break
      case 'approval_request':
        requests.set(record.request.id, record.request)
        break
      case 'approval_decision': {
        const request = requests.get(record.id)
        if (!request) report(`a decision on the question ${record.id}, which was never asked`)
        if (request && record.decision.type === 'allow' && record.decision.digest !== request.digest)
          report(`the question ${record.id} was answered for another digest than the one shown`)
        // A question about a change set is decided for each of its calls.
        for (const { callId, digest } of request?.changeSet ?? [{ callId: record.callId, digest: request?.digest }]) {
          const decision = calls
            .get(keyOf(record.turnId, callId))
            ?.decisions.find((one) => one.record.requestId === record.id)?.record
          // A session that ends while a question is open has no more of a decision than this.
          if (!decision) {
            if (record.decidedBy !== 'abandoned' && !died)
              report(`the decision on the question ${record.id} is not in the ledger`)
            continue
          }
          if (record.decision.type === 'deny' && decision.outcome === 'allow')
            report(`the question ${record.id} was answered no, and the ledger says it was allowed`)
          if (record.decision.type !== 'allow') continue
          if (digest !== undefined && decision.digestShown !== digest)
            report(`the ledger says that something else was shown for the question ${record.id}`)
          if (decision.digestPermitted !== decision.digestShown && !record.decision.amendment)
            report(`something else was permitted than shown for the question ${record.id}, and nobody amended it`)
        }
        break
      }
      case 'tool_start': {
        const known = calls.get(keyOf(record.turnId, record.call.id))
        started.add(keyOf(record.turnId, record.call.id))
        const { name, id } = record.call
        if (!known?.decisions.length) report(`${name} was started (call ${id}) without a recorded decision`)
        // A stale edit is decided on again after it was started; then the ledger itself shows that nothing followed a no.
        else if (!known.decisions.some((one) => one.record.step === undefined && one.record.outcome === 'allow'))
          report(`${name} was started (call ${id}) although the ledger says it was denied`)
        break
      }
      case 'tool_result': {
        const key = keyOf(record.turnId, record.call.id)
        const kind = kinds.get(key)
        const { call, result } = record
        if (!result.ok || (kind !== 'edit' && kind !== 'execute')) break
        if (!started.has(key)) report(`${call.name} succeeded (call ${call.id}) without having been started`)
        const applied = calls.get(key)?.outcomes.findLast((one) => one.record.step === undefined)?.record.digestApplied
        if (applied === undefined) report(`what ${call.name} did (call ${call.id}) is not in the ledger`)
        else if (applied === null)
          report(`${call.name} succeeded (call ${call.id}), and the ledger says that nothing was done`)
        break
      }
      case 'reviewed': {
        const { review } = record
        if (review.change === null) break
        const known = calls.get(keyOf(review.turnId, review.callId))
        const decision = known?.decisions.find((one) => one.record.requestId === review.id)
        const done = known?.outcomes.find((one) => decision !== undefined && one.line > decision.line)
        if (decision?.record.decidedBy !== 'person')
          report(`the review ${review.id} changed ${review.path}, and no decision of a person is in the ledger`)
        else if (done?.record.step !== 'review' || done.record.digestApplied === null)
          report(`the review ${review.id} changed ${review.path}, and the ledger does not say so`)
        break
      }
      case 'rewound': {
        const { id, files } = record.rewound
        for (const [i, { path, how }] of files.entries()) {
          if (how === 'failed') continue
          const known = calls.get(keyOf(null, rewindCallId(id, i)))
          if (known?.decisions[0]?.record.decidedBy !== 'person')
            report(`the rewind ${id} restored ${path}, and no decision of a person is in the ledger`)
          else if (!known.outcomes.some((one) => one.record.digestApplied !== null))
            report(`the rewind ${id} restored ${path}, and the ledger does not say so`)
        }
        break
      }
      default:
        break
    }
  }
  return breaks
}

function isDecision(entry: RecordLine<AuditRecord>): entry is RecordLine<DecisionRecord> {
  return entry.record.type === 'decision'
}

function isOutcome(entry: RecordLine<AuditRecord>): entry is RecordLine<OutcomeRecord> {
  return entry.record.type === 'outcome'
}
