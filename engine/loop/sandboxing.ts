/** The sandbox as the executor uses it: whether a call runs in it, and whether it may run again outside. */
import type { Judgement } from '../permission/judge-port.ts'
import type { Sandbox, SandboxRefusals, ToolOutcome } from '../ports/index.ts'
import type { Block, SandboxUse } from '../protocol/index.ts'
import { decideStep, type RunningCall } from './decide-step.ts'
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

/** How a command would run now. Says once in a session when there is no sandbox although one is wanted. */
export async function confinementOf(ports: ExecutorPorts, reply: ReplyContext): Promise<Confinement> {
  const { sandbox } = ports
  if (!sandbox) return { use: 'off' }
  const state = await sandbox.port.start()
  if (state.on) return { use: 'on' }
  const { required } = sandbox.port
  if (!sandbox.told) {
    sandbox.told = true
    const what = required
      ? 'No command can run: the config says "sandbox": "required", and there is none here'
      : 'Commands are not sandboxed, although the config asks for it'
    const text = `${what}: ${state.reason}. ${state.fix}`
    reply.emit({ type: 'notice', level: 'warn', code: 'sandbox_unavailable', text })
  }
  if (required) {
    return {
      refusal: `Commands may only run in the sandbox (the config says "sandbox": "required"), and there is none: ${state.reason}. Nothing was run. ${state.fix}`,
    }
  }
  return { use: 'unavailable' }
}

/**
 * Asks whether a plan that the sandbox stopped may run again outside. Undefined when it may not, because nothing was
 * stopped, the sandbox is required or the turn is over; else the answer, which is recorded, and the digest it is for.
 */
export async function askOutside(
  outcome: ToolOutcome,
  { call, tool, prepared }: RunningCall,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<{ allowed: boolean; message: string; fingerprint: string } | undefined> {
  if (!outcome.sandbox || !mayRunOutside(outcome, ports, reply)) return undefined
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
  const { decision } = await decideStep(
    { step: 'outside', title: `outside the sandbox: ${prepared.title}`, digest, blocks, kind: tool.kind },
    question,
    { call, tool, prepared },
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

/** Only what failed for the walls, while somebody waits for it, and where the config does not insist on them. */
function mayRunOutside(outcome: ToolOutcome, { sandbox }: ExecutorPorts, reply: ReplyContext): boolean {
  const failedForIt = !outcome.ok && outcome.sandbox?.blocked === true
  return sandbox !== undefined && !sandbox.port.required && failedForIt && !reply.signal.aborted
}

/** The outcome with what the sandbox refused in it, and what came into being that other programs obey. */
export function withRefusals(outcome: ToolOutcome, after: string): ToolOutcome {
  const { refused = [], made = [] } = outcome.sandbox ?? {}
  const notes: string[] = []
  if (refused.length > 0) notes.push(`the sandbox refused ${refused.join('; ')}${after}`)
  if (made.length > 0) notes.push(madeText(made))
  if (notes.length === 0) return outcome
  return {
    ...outcome,
    content: [outcome.content, ...notes.map((note) => `[${note}]`)].join('\n'),
    metadata: { ...outcome.metadata, refused, ...(made.length > 0 ? { made } : {}) },
  }
}

/**
 * Tells the person what they are not asked about: what was refused to a command that went on without it, and files that
 * other programs obey, since the walls let them be made.
 */
export function tellOfWalls(outcome: ToolOutcome, title: string, ports: ExecutorPorts, reply: ReplyContext): void {
  const { refused = [], made = [] } = outcome.sandbox ?? {}
  if (refused.length > 0 && !mayRunOutside(outcome, ports, reply)) {
    const text = `${title}: the sandbox refused ${refused.join('; ')}`
    reply.emit({ type: 'notice', level: 'info', code: 'sandbox_refused', text })
  }
  if (made.length > 0) {
    reply.emit({ type: 'notice', level: 'warn', code: 'guarded_made', text: `${title}: ${madeText(made)}` })
  }
}

function madeText(made: readonly string[]): string {
  return `this made ${made.join('; ')}: a person should look at it before anything uses it`
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
