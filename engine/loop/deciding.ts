/** What the deciding of one call and of several together share: the ruling, the question at the gate, the entry in the ledger. */
import type { GateAnswer } from '../permission/gate.ts'
import type { JudgeInput, Judgement } from '../permission/judge-port.ts'
import type { PermissionRequest, RuleSuggestion } from '../protocol/index.ts'
import type { Entry, Ready } from './call-entry.ts'
import type { ExecutorPorts, ReplyContext } from './tool-executor.ts'

export function judgeCall({ tool, prepared }: Ready, ports: ExecutorPorts, reply: ReplyContext): Judgement {
  return ports.judge(judgeInput({ tool, prepared }, ports, reply))
}

function judgeInput(
  { tool, prepared }: Pick<Ready, 'tool' | 'prepared'>,
  ports: ExecutorPorts,
  reply: ReplyContext,
): JudgeInput {
  return { tool: tool.name, kind: tool.kind, needs: prepared.needs, mode: reply.mode(), rules: ports.rules.rules() }
}

/** Asks; whoever stands in for a person is heard first. */
export async function askGate(
  request: PermissionRequest,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<GateAnswer> {
  if (request.kind === 'execute') ports.checkpoints?.expect()
  const asked = ports.gate.ask(request, reply.signal)
  const given = ports.unattended?.(request)
  if (given) ports.gate.answer(request.id, given.decision, given.decidedBy)
  return asked
}

/** What was decided about one call; written before the decided thing happens. */
export function recordDecision(
  entry: Entry,
  facts: {
    ready: Ready
    judged: Judgement
    asks: boolean
    requestId: string | null
    answer: GateAnswer
    refused: boolean
    digestShown: string
    digestPermitted: string
    latencyMs: number
  },
  ports: ExecutorPorts,
  reply: ReplyContext,
): void {
  const { ready, judged, answer } = facts
  const { tool, prepared } = ready
  ports.audit.record(
    {
      type: 'decision',
      callId: entry.call.id,
      requestId: facts.requestId,
      tool: tool.name,
      kind: tool.kind,
      title: prepared.title,
      cwd: ports.cwd,
      mode: reply.mode(),
      needs: judged.parts,
      risk: prepared.risk ?? judged.risk,
      verdict: facts.asks ? 'ask' : judged.verdict,
      outcome: facts.refused ? 'deny' : 'allow',
      decidedBy: answer.decidedBy,
      rule: judged.rule,
      reason: judged.reason,
      digestShown: facts.digestShown,
      digestPermitted: facts.digestPermitted,
      latencyMs: Math.round(facts.latencyMs),
      ...(ready.sandbox ? { sandbox: ready.sandbox } : {}),
      ...(answer.decision.type === 'deny' && answer.decision.message !== undefined
        ? { message: answer.decision.message }
        : {}),
      ...(answer.decision.type === 'allow' && answer.decision.rule ? { wrote: answer.decision.rule } : {}),
    },
    reply.turnId,
  )
}

/** Calls that a session asked about so far; one gate belongs to one session. */
const askedBefore = new WeakMap<ExecutorPorts['gate'], JudgeInput[]>()
const mostRemembered = 200

/** The rules that "always" may write, each with the number of earlier questions that it would have spared. */
export function withCoverage(
  suggestions: readonly RuleSuggestion[],
  now: readonly Ready[],
  ports: ExecutorPorts,
  reply: ReplyContext,
): RuleSuggestion[] {
  const before = askedBefore.get(ports.gate) ?? []
  const rules = ports.rules.rules()
  const counted = suggestions.map((suggestion) => {
    const rule = { text: suggestion.text, verdict: 'allow', scope: 'session' } as const
    const covers = before.filter((call) => ports.judge({ ...call, rules: [...rules, rule] }).verdict === 'allow').length
    return { ...suggestion, covers }
  })
  const asked = [...before, ...now.map((ready) => judgeInput(ready, ports, reply))]
  askedBefore.set(ports.gate, asked.slice(-mostRemembered))
  return counted
}
