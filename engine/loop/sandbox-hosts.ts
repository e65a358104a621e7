/** The hosts that a sandboxed command may reach: judged by the rules, asked for once, remembered for the session. */
import { canonicalHost } from '../permission/rules.ts'
import type { CallSandbox, HostAnswer } from '../ports/index.ts'
import type { Block, PermissionNeed } from '../protocol/index.ts'
import { decideStep, type RunningCall } from './decide-step.ts'
import type { SessionSandbox } from './sandboxing.ts'
import type { ExecutorPorts, ReplyContext } from './tool-executor.ts'

/** A call's sandbox; `end` closes what is still asked once the tool is done, and must be called. */
export type OpenSandbox = { sandbox: CallSandbox; end(): Promise<void> }

/** The sandbox for a call that runs now. */
export function openSandbox(
  { port, hosts }: SessionSandbox,
  asked: RunningCall,
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
  { call, tool, prepared }: RunningCall,
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
  const decided = await decideStep(
    { step: 'host', title, digest, blocks, kind: 'network' },
    judged,
    { call, tool, prepared },
    ports,
    reply,
    signal,
  )
  if (decided.decision.type === 'allow') return { allow: true, forSession: decided.decidedBy !== 'mode' }
  const message = decided.decision.message?.trim() ?? ''
  return { allow: false, reason: message === '' ? 'the person said no' : message }
}
