/** Runs a plan once: with what a tool may use, a limit on its time, and an entry in the ledger for what came of it. */
import type { PlannedFile, PrepareContext, RunContext, Span, Tool, ToolOutcome } from '../ports/index.ts'
import type { TodoItem, ToolCall } from '../protocol/index.ts'
import { digestOf, type Entry, type Ready } from './call-entry.ts'
import { failure, fromThrown, interrupted } from './outcomes.ts'
import { openSandbox } from './sandbox-hosts.ts'
import type { ExecutorPorts, ReplyContext } from './tool-executor.ts'
import { watched, writesOf } from './watched.ts'

/** Runs the plan once, inside the sandbox or outside, and records what came of it; `fingerprint` replaces that of the plan. */
export async function attempt(
  entry: Pick<Entry, 'call' | 'answer'>,
  { tool, prepared }: Ready,
  ports: ExecutorPorts,
  reply: ReplyContext,
  span: Span,
  inside: boolean,
  fingerprint?: string,
): Promise<ToolOutcome> {
  const { call } = entry
  const startedAt = ports.clock.monotonic()
  const opened =
    inside && ports.sandbox ? openSandbox(ports.sandbox, { call, tool, prepared }, ports, reply) : undefined
  const watch = { callId: call.id, tool, writes: writesOf(tool, prepared), needs: prepared.needs }
  const outcome = await watched(watch, ports, reply, async () => {
    const done = await withLimits(tool, ports, reply, (signal) =>
      tool.run(prepared.plan, {
        ...runContext(call, ports, reply, span, signal),
        answer: entry.answer,
        ...(opened ? { sandbox: opened.sandbox } : {}),
      }),
    )
    // What the sandbox puts into the folder is gone before it is looked at again.
    await opened?.end()
    return done
  })
  const done = outcome.applied === undefined ? undefined : (fingerprint ?? outcome.applied)
  recordOutcome({ call, tool, outcome, done }, ports.clock.monotonic() - startedAt, ports, reply)
  return outcome
}

/** Puts what one call really did into the ledger; `done` is its fingerprint, undefined when nothing was done. */
export function recordOutcome(
  { call, tool, outcome, done }: { call: ToolCall; tool: Tool; outcome: ToolOutcome; done: string | undefined },
  durationMs: number,
  ports: ExecutorPorts,
  reply: ReplyContext,
): void {
  const auditEntry = {
    type: 'outcome' as const,
    callId: call.id,
    tool: tool.name,
    ok: outcome.ok,
    digestApplied: done === undefined ? null : digestOf(tool, done, ports.digest),
    durationMs: Math.round(durationMs),
  }
  ports.audit.record(outcome.error ? { ...auditEntry, error: outcome.error } : auditEntry, reply.turnId)
}

/** Runs with the tool's time limit; a tool that ignores its signal is given up after a grace and its result says so. */
export async function withLimits(
  tool: Tool,
  ports: ExecutorPorts,
  reply: ReplyContext,
  run: (signal: AbortSignal) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  // The turn may have been interrupted while the files were looked at.
  if (reply.signal.aborted) return interrupted()
  const controller = new AbortController()
  let timedOut = false
  const abort = () => controller.abort(reply.signal.reason)
  reply.signal.addEventListener('abort', abort, { once: true })
  const cancelTimeout =
    tool.timeoutMs > 0
      ? ports.clock.after(tool.timeoutMs, () => {
          timedOut = true
          controller.abort('timeout')
        })
      : undefined
  let cancelGrace: (() => void) | undefined
  const givenUp = new Promise<ToolOutcome>((resolve) => {
    controller.signal.addEventListener('abort', () => {
      cancelGrace = ports.clock.after(abortGraceMs, () =>
        resolve(
          failure(
            timedOut ? 'TOOL_TIMEOUT' : 'USER_ABORTED',
            `${tool.name} did not stop within ${abortGraceMs / 1000} s of being told to; it may still be running.`,
          ),
        ),
      )
    })
  })
  try {
    const outcome = await Promise.race([(async () => run(controller.signal))().catch(fromThrown), givenUp])
    if (timedOut && !outcome.ok && outcome.error !== 'TOOL_TIMEOUT') {
      return {
        ...outcome,
        error: 'TOOL_TIMEOUT',
        content: `Stopped after ${tool.timeoutMs / 1000} s, the limit of ${tool.name}.\n${outcome.content}`,
      }
    }
    if (reply.signal.aborted && !outcome.ok) return { ...outcome, error: 'USER_ABORTED' }
    return outcome
  } finally {
    reply.signal.removeEventListener('abort', abort)
    cancelTimeout?.()
    cancelGrace?.()
  }
}

const abortGraceMs = 8_000

export function prepareContext(
  call: ToolCall,
  planned: ReadonlyMap<string, PlannedFile>,
  ports: ExecutorPorts,
  reply: ReplyContext,
): PrepareContext {
  return {
    cwd: ports.cwd,
    sessionId: ports.sessionId,
    callId: call.id,
    signal: reply.signal,
    files: ports.files,
    planned,
  }
}

export function runContext(
  call: ToolCall,
  ports: ExecutorPorts,
  reply: ReplyContext,
  span: Span,
  signal: AbortSignal,
): RunContext {
  return {
    ...prepareContext(call, new Map(), ports, reply),
    signal,
    artifacts: ports.artifacts,
    started(pid) {
      const leader = ports.processes?.identify(pid)
      if (leader) reply.emit({ type: 'tool_process', callId: call.id, leader })
    },
    output: (chunk) => reply.emit({ type: 'tool_output', callId: call.id, chunk }),
    span,
    mayRead: readJudge(ports),
    setTodo: (items: TodoItem[]) => reply.emit({ type: 'todo', items }),
  }
}

/** Judges single files for a search; each path once. */
function readJudge(ports: ExecutorPorts): (path: string, inside: boolean) => boolean {
  const known = new Map<string, boolean>()
  const rules = ports.rules.rules()
  return (path, inside) => {
    const before = known.get(path)
    if (before !== undefined) return before
    const needs = [{ type: 'path' as const, access: 'read' as const, path, shown: path, inside }]
    const allowed = ports.judge({ tool: 'read_file', kind: 'read', needs, mode: 'default', rules }).verdict === 'allow'
    known.set(path, allowed)
    return allowed
  }
}
