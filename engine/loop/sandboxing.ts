/** The sandbox as the executor uses it: whether a call runs in it, what hosts it may reach, and whether it may run again outside. */
import type { GateAnswer } from '../permission/gate.ts'
import type { Judgement } from '../permission/judge-port.ts'
import { canonicalHost } from '../permission/rules.ts'
import type { CallSandbox, HostAnswer, Prepared, Sandbox, SandboxRefusals, Tool, ToolOutcome } from '../ports/index.ts'
import type { Block, Decision, PermissionNeed, PermissionRequest, SandboxUse, ToolCall } from '../protocol/index.ts'
import type { ExecutorPorts, ReplyContext } from './tool-executor.ts'

/** One session's sandbox, with what was decided about it. */
export type SessionSandbox = {
  readonly port: Sandbox
  /** Hosts that a person allowed for this session. */
  readonly hosts: Set<string>
  /** Whether people were told that there is none. */
  told: boolean
}

export function createSessionSandbox(port: Sandbox): SessionSandbox {
  return { port, hosts: new Set(), told: false }
}

export type Confinement = { use: SandboxUse } | { refusal: string }

/** How a call of this tool would run; undefined for tools that run no commands. Says once when there is no sandbox. */
export async function confinementOf(
  tool: Tool,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<Confinement | undefined> {
  if (!tool.sandboxed) return undefined
  const { sandbox } = ports
  if (!sandbox) return { use: 'off' }
  const state = await sandbox.port.start()
  if (state.on) return { use: 'on' }
  if (sandbox.port.required) {
    return {
      refusal: `Commands may only run in the sandbox (the config says "sandbox": "required"), and there is none: ${state.reason}. Nothing was run. ${state.fix}`,
    }
  }
  if (!sandbox.told) {
    sandbox.told = true
    const text = `Commands are not sandboxed, although the config asks for it: ${state.reason}. ${state.fix}`
    reply.emit({ type: 'notice', level: 'warn', code: 'sandbox_unavailable', text })
  }
  return { use: 'unavailable' }
}

export type SandboxedCall = {
  call: ToolCall
  tool: Tool
  prepared: Prepared<unknown>
}

/** A call's sandbox; `end` closes what is still asked once the tool is done, and must be called. */
export type OpenSandbox = { sandbox: CallSandbox; end(): Promise<void> }

/** The sandbox for a call that runs now. */
export function openSandbox(
  { port, hosts }: SessionSandbox,
  asked: SandboxedCall,
  ports: ExecutorPorts,
  reply: ReplyContext,
): OpenSandbox {
  const ended = new AbortController()
  const abort = () => ended.abort()
  reply.signal.addEventListener('abort', abort, { once: true })
  /** Answers that count for this call, and questions that are open: one for each host. */
  const known = new Map<string, Promise<HostAnswer>>()
  const told = new Set<string>()

  const askHost = (given: string, port: number): Promise<HostAnswer> => {
    const host = canonicalHost(given)
    if (hosts.has(host)) return Promise.resolve({ allow: true })
    const before = known.get(host)
    if (before) return before
    if (ended.signal.aborted) {
      // Only what goes on in the background still wants something now.
      if (!told.has(host) && !reply.signal.aborted) {
        told.add(host)
        const text = `A command in the background (${asked.prepared.title}) wanted to reach ${host} and was refused: hosts are asked for only while a call runs.`
        reply.emit({ type: 'notice', level: 'warn', code: 'host_refused', text })
      }
      return Promise.resolve({ allow: false, reason: 'hosts are asked for only while the call that started it runs' })
    }
    const answer = decideHost({ host, port }, asked, ports, reply, ended.signal).then((decided) => {
      if (decided.allow && decided.forSession) hosts.add(host)
      return decided
    })
    known.set(host, answer)
    return answer
  }

  return {
    sandbox: {
      wrap: ({ waiting, ...start }) =>
        port.wrap({
          ...start,
          async askHost(host, hostPort) {
            waiting?.(true)
            try {
              return await askHost(host, hostPort)
            } finally {
              waiting?.(false)
            }
          },
        }),
    },
    async end() {
      reply.signal.removeEventListener('abort', abort)
      ended.abort()
      await Promise.all(known.values())
    },
  }
}

type HostDecision = HostAnswer & { forSession?: boolean }

/** Judges one host by the rules and asks where they say so; the decision is recorded. */
async function decideHost(
  target: { host: string; port: number },
  { call, tool, prepared }: SandboxedCall,
  ports: ExecutorPorts,
  reply: ReplyContext,
  signal: AbortSignal,
): Promise<HostDecision> {
  const { host, port } = target
  const need: PermissionNeed = { type: 'network', host, url: `${host}:${port}` }
  const judged = ports.judge({
    tool: tool.name,
    kind: 'network',
    needs: [need],
    mode: reply.mode(),
    rules: ports.rules.rules(),
  })
  const title = `reach ${host} (port ${port})`
  const digest = ports.digest.sha256(`${tool.name}\nreach ${host}:${port}\n${prepared.fingerprint}`)
  const blocks: Block[] = [
    { type: 'text', text: `A command in the sandbox wants to connect to ${host}, port ${port}:` },
    ...prepared.blocks,
  ]
  const decided = await decide(
    { step: 'host', title, digest, blocks, kind: 'network' },
    judged,
    { call, tool },
    ports,
    reply,
    signal,
  )
  if (decided.decision.type === 'allow') return { allow: true, forSession: decided.decidedBy !== 'mode' }
  const message = decided.decision.message?.trim() ?? ''
  return { allow: false, reason: message === '' ? 'the person said no' : message }
}

/**
 * Asks whether a plan that the sandbox stopped may run again outside. Undefined when it may not, because nothing was
 * stopped, the sandbox is required or the turn is over; else the answer, which is recorded, and the digest it is for.
 */
export async function askOutside(
  outcome: ToolOutcome,
  { call, tool, prepared }: SandboxedCall,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<{ allowed: boolean; message: string; fingerprint: string } | undefined> {
  const { sandbox } = ports
  if (!sandbox || sandbox.port.required || outcome.ok || !outcome.sandbox?.blocked || reply.signal.aborted) {
    return undefined
  }
  const judged = ports.judge({
    tool: tool.name,
    kind: tool.kind,
    needs: prepared.needs,
    mode: reply.mode(),
    rules: ports.rules.rules(),
  })
  const refused = refusedText(outcome.sandbox)
  const fingerprint = `${prepared.fingerprint}\noutside the sandbox`
  const reason = `the sandbox refused ${refused}`
  const question: Judgement = {
    ...judged,
    verdict: judged.verdict === 'deny' ? 'deny' : 'ask',
    reason: judged.verdict === 'deny' ? judged.reason : reason,
    suggestions: [],
  }
  const blocks: Block[] = [
    { type: 'text', text: `It failed because the sandbox refused ${refused}. Run it again outside the sandbox?` },
    ...prepared.blocks,
  ]
  const digest = ports.digest.sha256(`${tool.name}\n${fingerprint}`)
  const { decision } = await decide(
    { step: 'outside', title: `outside the sandbox: ${prepared.title}`, digest, blocks, kind: tool.kind },
    question,
    { call, tool },
    ports,
    reply,
    reply.signal,
  )
  return {
    allowed: decision.type === 'allow',
    message: decision.type === 'deny' ? (decision.message?.trim() ?? '') : '',
    fingerprint,
  }
}

/** The outcome with what the sandbox refused in it, for the model. */
export function withRefusals(outcome: ToolOutcome, after: string): ToolOutcome {
  const refused = outcome.sandbox?.refused ?? []
  if (refused.length === 0) return outcome
  return {
    ...outcome,
    content: `${outcome.content}\n[the sandbox refused ${refusedText({ refused, blocked: true })}${after}]`,
    metadata: { ...outcome.metadata, refused },
  }
}

/** The outcome of the second run, which stands for the call; the model learns of the first. */
export function ranOutside(outcome: ToolOutcome, first: ToolOutcome): ToolOutcome {
  const refused = first.sandbox?.refused ?? []
  return {
    ...outcome,
    content: `${outcome.content}\n[this ran outside the sandbox with the person's permission, after a first run inside had failed because the sandbox refused ${refusedText({ refused, blocked: true })}]`,
    metadata: { ...outcome.metadata, sandboxed: false, refused },
  }
}

function refusedText({ refused }: SandboxRefusals): string {
  return refused.join('; ')
}

/** Answers by the ruling, or asks the gate; the decision is in the stream when it was asked, and in the ledger always. */
async function decide(
  what: { step: 'host' | 'outside'; title: string; digest: string; blocks: Block[]; kind: Tool['kind'] },
  judged: Judgement,
  { call, tool }: { call: ToolCall; tool: Tool },
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
    const text = `The rule ${rule.text} was not saved: ${error instanceof Error ? error.message : String(error)}. This call runs; the next one asks again.`
    reply.emit({ type: 'notice', level: 'warn', code: 'rule_not_saved', text })
  }
}
