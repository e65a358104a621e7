/** The decision on one call: judged, asked where the rules say so, recorded; then what came with a yes is applied. */
import type { GateAnswer } from '../permission/gate.ts'
import type { Judgement } from '../permission/judge-port.ts'
import type { Decision, PermissionRequest } from '../protocol/index.ts'
import { prepareContext } from './attempt.ts'
import { type Entry, type Ready, type Refusal, readyOf } from './call-entry.ts'
import { saveRule } from './decide-step.ts'
import { askGate, judgeCall, recordDecision, withCoverage } from './deciding.ts'
import { denied, failure, fromThrown, interrupted } from './outcomes.ts'
import type { ExecutorPorts, ReplyContext } from './tool-executor.ts'

/**
 * Judges the call, asks where the rules say so, and records the decision; sets `refused` or leaves the call ready. With
 * `why`, the reason for it, whatever is not denied is asked.
 */
export async function decideCall(
  entry: Entry,
  groupId: string,
  entries: Entry[],
  ports: ExecutorPorts,
  reply: ReplyContext,
  why?: string,
): Promise<void> {
  const ready = entry.ready as Ready
  const { tool, prepared } = ready
  const span = reply.span.child(`permission.${prepared.writes ? 'diff_preview' : 'check'}`, {
    tool: tool.name,
    callId: entry.call.id,
  })
  const startedAt = ports.clock.monotonic()
  const ruling = judgeCall(ready, ports, reply)
  // A person comes back to it: nothing happens behind a rule before they have seen where it stands.
  const waited = entry.earlier && tool.kind !== 'read' && tool.kind !== 'ask' && ruling.verdict === 'allow'
  const again = why ?? (waited ? 'it had not run when the session ended' : undefined)
  const judged = again === undefined || ruling.verdict === 'deny' ? ruling : { ...ruling, reason: again }
  const asks =
    judged.verdict === 'ask' || ((prepared.question !== undefined || again !== undefined) && judged.verdict !== 'deny')

  let answer: GateAnswer
  let requestId: string | null = null
  if (!asks) {
    const decision: Decision =
      judged.verdict === 'allow' ? { type: 'allow', digest: ready.digest } : { type: 'deny', message: judged.reason }
    answer = { decision, decidedBy: judged.decidedBy }
  } else {
    const request = toRequest(entry, judged, groupId, entries, ports, reply)
    requestId = request.id
    reply.emit({ type: 'state', name: 'await_approval' })
    reply.emit({ type: 'approval_request', request })
    answer = await askGate(request, ports, reply)
    reply.emit({
      type: 'approval_decision',
      id: request.id,
      callId: entry.call.id,
      decision: answer.decision,
      decidedBy: answer.decidedBy,
    })
  }

  const digestShown = ready.digest
  const refusal = await applyDecision(entry, answer, ports, reply)
  const digestPermitted = entry.ready?.digest ?? digestShown
  const latencyMs = ports.clock.monotonic() - startedAt
  recordDecision(
    entry,
    { ready, judged, asks, requestId, answer, refused: refusal !== undefined, digestShown, digestPermitted, latencyMs },
    ports,
    reply,
  )
  span.end('ok', { verdict: judged.verdict, outcome: refusal ? 'deny' : 'allow', decidedBy: answer.decidedBy })
  entry.decidedByPerson = answer.decidedBy === 'person'
  if (refusal) entry.refused = refusal
}

/** Returns why the call must not run, or undefined; applies rule, amendment and answer of an allowing decision. */
async function applyDecision(
  entry: Entry,
  { decision, decidedBy }: GateAnswer,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<Refusal | undefined> {
  const ready = entry.ready as Ready
  if (decision.type === 'deny') {
    if (decidedBy === 'abandoned') return interrupted()
    return denied(decision.message, decidedBy)
  }
  entry.answer = decision.answer
  entry.note = decision.note
  if (decision.rule) await saveRule(decision.rule, ports, reply)
  if (!decision.amendment) return undefined
  const { comments, ...changed } = decision.amendment
  entry.comments = [...(entry.comments ?? []), ...(comments ?? [])]
  // Comments go to the model and change nothing of what runs.
  if (Object.values(changed).every((part) => part === undefined)) return undefined
  if (!ready.tool.amend)
    return failure('TOOL_EXECUTION_FAILED', `${ready.tool.name} cannot be changed before it runs; nothing was done.`)
  try {
    const prepared = await ready.tool.amend(
      ready.prepared.plan,
      decision.amendment,
      prepareContext(entry.call, new Map(), ports, reply),
    )
    const amended = readyOf(ready.tool, prepared, ports.digest, ready.sandbox)
    // What the person wrote is theirs to allow, but no yes goes over a rule that denies.
    const judged = judgeCall(amended, ports, reply)
    if (judged.verdict === 'deny') return denied(`as the person changed it: ${judged.reason}`, judged.decidedBy)
    entry.ready = amended
    entry.amended = true
    return undefined
  } catch (error) {
    return fromThrown(error)
  }
}

function toRequest(
  entry: Entry,
  judged: Judgement,
  groupId: string,
  entries: Entry[],
  ports: ExecutorPorts,
  reply: ReplyContext,
): PermissionRequest {
  const { tool, prepared, digest, sandbox } = entry.ready as Ready
  const request: PermissionRequest = {
    id: ports.clock.id('ask'),
    callId: entry.call.id,
    tool: tool.name,
    kind: tool.kind,
    title: prepared.title,
    cwd: ports.cwd,
    needs: judged.parts,
    risk: prepared.risk ?? judged.risk,
    reason: judged.reason,
    blocks: prepared.blocks,
    digest,
    suggestions: withCoverage(judged.suggestions, [{ tool, prepared, digest }], ports, reply),
    group: { id: groupId, index: entries.indexOf(entry), size: entries.length },
  }
  if (reply.modelReason !== '') request.modelReason = reply.modelReason
  if (prepared.question) request.question = prepared.question
  if (sandbox) request.sandbox = sandbox
  return request
}
