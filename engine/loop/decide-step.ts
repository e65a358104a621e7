/** Decisions on a call that runs already: a host it may reach, or to run it again outside the sandbox. */
import type { GateAnswer } from '../permission/gate.ts'
import type { Judgement } from '../permission/judge-port.ts'
import type { Prepared, Tool } from '../ports/index.ts'
import type { Block, Decision, PermissionRequest, SandboxUse, ToolCall, ToolKind } from '../protocol/index.ts'
import type { ExecutorPorts, ReplyContext } from './tool-executor.ts'

export type RunningCall = { call: ToolCall; tool: Tool; prepared: Prepared<unknown> }
export type Step = { step: 'host' | 'outside'; title: string; digest: string; blocks: Block[]; kind: ToolKind }

/** Answers by the ruling, or asks the gate; the decision is in the stream when it was asked, and in the ledger always. */
export async function decideStep(
  what: Step,
  judged: Judgement,
  { call, tool }: RunningCall,
  ports: ExecutorPorts,
  reply: ReplyContext,
  signal: AbortSignal,
): Promise<GateAnswer> {
  const sandbox: SandboxUse = what.step === 'host' ? 'on' : 'off'
  const startedAt = ports.clock.monotonic()
  let requestId: string | null = null
  let answer: GateAnswer
  if (judged.verdict !== 'ask') {
    const decision: Decision =
      judged.verdict === 'allow' ? { type: 'allow', digest: what.digest } : { type: 'deny', message: judged.reason }
    answer = { decision, decidedBy: judged.decidedBy }
  } else {
    const request: PermissionRequest = {
      id: ports.clock.id('ask'),
      callId: call.id,
      tool: tool.name,
      kind: what.kind,
      title: what.title,
      cwd: ports.cwd,
      needs: judged.parts,
      risk: judged.risk,
      reason: judged.reason,
      blocks: what.blocks,
      digest: what.digest,
      suggestions: judged.suggestions,
      sandbox,
    }
    if (reply.modelReason !== '') request.modelReason = reply.modelReason
    requestId = request.id
    reply.emit({ type: 'state', name: 'await_approval' })
    reply.emit({ type: 'approval_request', request })
    const asked = ports.gate.ask(request, signal)
    const given = ports.unattended?.(request)
    if (given) ports.gate.answer(request.id, given.decision, given.decidedBy)
    answer = await asked
    const { decision, decidedBy } = answer
    reply.emit({ type: 'approval_decision', id: request.id, callId: call.id, decision, decidedBy })
    reply.emit({ type: 'state', name: 'run_tools' })
    if (decision.type === 'allow' && decision.rule) await saveRule(decision.rule, ports, reply)
  }
  ports.audit.record(
    {
      type: 'decision',
      callId: call.id,
      requestId,
      tool: tool.name,
      kind: what.kind,
      title: what.title,
      cwd: ports.cwd,
      mode: reply.mode(),
      needs: judged.parts,
      risk: judged.risk,
      verdict: judged.verdict,
      outcome: answer.decision.type,
      decidedBy: answer.decidedBy,
      rule: judged.rule,
      reason: judged.reason,
      digestShown: what.digest,
      digestPermitted: what.digest,
      latencyMs: Math.round(ports.clock.monotonic() - startedAt),
      sandbox,
      step: what.step,
      ...(answer.decision.type === 'deny' && answer.decision.message !== undefined
        ? { message: answer.decision.message }
        : {}),
    },
    reply.turnId,
  )
  return answer
}

/** Makes the rule of an allowing decision durable; what goes wrong is told and changes nothing about this call. */
export async function saveRule(
  rule: NonNullable<Extract<Decision, { type: 'allow' }>['rule']>,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<void> {
  try {
    await ports.rules.allow(rule.text, rule.scope)
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).replace(/^The rule was not saved: |\.$/g, '')
    const text = `The rule ${rule.text} was not saved: ${why}. This call runs; the next one asks again.`
    reply.emit({ type: 'notice', level: 'warn', code: 'rule_not_saved', text })
  }
}
