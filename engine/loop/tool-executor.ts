/**
 * The one door to side effects. Every call, whatever its origin, goes find → validate → prepare → risk → permission →
 * amend → timeout and abort → run → truncate → audit, and leaves exactly one result.
 */
import type { GateAnswer, PermissionGate } from '../permission/gate.ts'
import type { Judge } from '../permission/judge-port.ts'
import type {
  ArtifactStore,
  AuditSink,
  Checkpoints,
  Clock,
  Digest,
  FileLedger,
  PlannedFile,
  Prepared,
  Processes,
  RuleStore,
  Span,
  Tool,
} from '../ports/index.ts'
import type { EventBody, PermissionMode, PermissionRequest, ToolCall, ToolResult } from '../protocol/index.ts'
import { prepareContext } from './attempt.ts'
import { type Earlier, type Entry, type Ready, readyOf, type Settled } from './call-entry.ts'
import { changeSetAt, decideSet } from './change-set.ts'
import { runSet } from './change-set-run.ts'
import { decideCall } from './decide-call.ts'
import { failure, fromThrown, interrupted, settle, withWords } from './outcomes.ts'
import { runCall } from './run-call.ts'
import { confinementOf, type SessionSandbox } from './sandboxing.ts'
import { preparedOn, versionFound } from './stale-edit.ts'

export type ExecutorPorts = {
  cwd: string
  sessionId: string
  tools: ReadonlyMap<string, Tool>
  judge: Judge
  rules: RuleStore
  gate: PermissionGate
  audit: AuditSink
  artifacts: ArtifactStore
  /** Absent: what calls change is not kept. */
  checkpoints?: Checkpoints
  clock: Clock
  digest: Digest
  files: FileLedger
  /** Absent: what runs is not found again after a crash. */
  processes?: Processes
  /** Absent: commands run outside. */
  sandbox?: SessionSandbox
  /** Answers a question when no person can or should: headless runs, the demo. Null leaves it to the gate. */
  unattended?: (request: PermissionRequest) => GateAnswer | null
}

export type ReplyContext = {
  turnId: string
  signal: AbortSignal
  span: Span
  mode(): PermissionMode
  emit(body: EventBody): void
  /** The model's words before its calls. */
  modelReason: string
}

export type CallOutcome = { call: ToolCall; result: ToolResult }

/**
 * Runs the calls of one reply. Results come in call order; the promise never rejects. `earlier` holds, by id, what a former
 * process left of these calls.
 */
export async function executeCalls(
  calls: readonly ToolCall[],
  ports: ExecutorPorts,
  reply: ReplyContext,
  earlier?: ReadonlyMap<string, Earlier>,
): Promise<CallOutcome[]> {
  const entries: Entry[] = calls.map((call) => {
    const entry: Entry = { call, tool: findTool(call.name, ports.tools), epoch: 0, earlier: earlier?.get(call.id) }
    const { settled } = entry.earlier ?? {}
    return settled ? { ...entry, settled: true, outcome: settled } : entry
  })
  const groupId = ports.clock.id('group')
  let reported = 0
  const report = () => {
    for (let entry = entries[reported]; entry?.outcome; entry = entries[++reported]) {
      reply.emit({ type: 'tool_result', call: entry.call, ...entry.outcome })
    }
  }
  const finish = (entry: Entry, outcome: Settled) => {
    entry.outcome = outcome
    report()
  }
  const refuse = (entry: Entry) => {
    const outcome = entry.refused ?? failure('INTERNAL', 'The call could not be prepared.')
    finish(entry, settle(withWords(entry, outcome), 0, ports, entry.tool))
  }

  // Edits and commands run one after the other; reads between two of them run together.
  let barrier: Promise<void> = Promise.resolve()
  let reads: Promise<void>[] = []
  const alone = (work: () => Promise<void>): Promise<void> => {
    barrier = Promise.all([barrier, ...reads]).then(work)
    reads = []
    return barrier
  }
  const start = (entry: Entry, ready: Ready) => {
    const askAgain = (reason: string) => decideCall(entry, groupId, entries, ports, reply, reason)
    const work = async () => finish(entry, await runCall(entry, ready, askAgain, ports, reply))
    if (ready.tool.kind === 'read' || ready.tool.kind === 'network') {
      entry.done = barrier.then(work)
      reads.push(entry.done)
    } else entry.done = alone(work)
  }

  report()

  /** Rises with every edit that became another than the calls after it were prepared for. */
  let epoch = 0
  const refresh = async (entry: Entry, planned: Map<string, PlannedFile>) => {
    if (entry.epoch === epoch || !entry.ready) return
    entry.ready = undefined
    entry.epoch = epoch
    await prepareCall(entry, planned, ports, reply)
  }

  let next = 0
  while (next < entries.length) {
    const stop = entries.findIndex((entry, i) => i >= next && entry.tool?.kind === 'execute')
    const segment = entries.slice(next, stop < 0 ? entries.length : stop + 1)
    next += segment.length
    // What an earlier command changed is only there once it has ended.
    await Promise.all([barrier, ...reads])
    const planned = new Map<string, PlannedFile>()
    for (const entry of segment) {
      if (entry.settled) continue
      entry.epoch = epoch
      await prepareCall(entry, planned, ports, reply)
    }

    const settledPlans = new Map<string, PlannedFile>()
    for (const [index, entry] of segment.entries()) {
      if (entry.settled) continue
      await refresh(entry, new Map(settledPlans))
      const set = await changeSetAt(segment.slice(index), new Map(settledPlans), refresh, ports, reply)
      if (set) {
        const group = { id: groupId, index: entries.indexOf(entry), size: entries.length }
        await decideSet(set, group, ports, reply, set.entries.find(({ again }) => again !== undefined)?.again)
        for (const write of set.writes()) settledPlans.set(write.path, write)
        if (set.changed()) epoch++
        for (const member of set.entries) {
          member.settled = true
          if (member.refused) refuse(member)
        }
        const done = alone(async () => {
          for (const [member, outcome] of await runSet(set, ports, reply)) finish(member, outcome)
        })
        for (const member of set.entries) member.done = done
        continue
      }
      entry.settled = true
      if (entry.ready) await decideCall(entry, groupId, entries, ports, reply, entry.again)
      if (entry.refused || !entry.ready) {
        if (entry.tool?.kind === 'edit') epoch++
        refuse(entry)
        continue
      }
      if (entry.amended) epoch++
      for (const write of entry.ready.prepared.writes ?? []) settledPlans.set(write.path, write)
      start(entry, entry.ready)
    }
  }
  await Promise.all(entries.map((entry) => entry.done))
  return entries.map((entry) => ({ call: entry.call, result: (entry.outcome as { result: ToolResult }).result }))
}

/** Exact name first; a different case, dashes or a `functions.` prefix are understood when they mean one tool. */
export function findTool(name: string, tools: ReadonlyMap<string, Tool>): Tool | undefined {
  const exact = tools.get(name)
  if (exact) return exact
  const plain = (text: string) =>
    text
      .replace(/^functions?[.:]/i, '')
      .toLowerCase()
      .replaceAll('-', '_')
      .trim()
  const wanted = plain(name)
  const matches = [...tools.values()].filter((tool) => plain(tool.name) === wanted)
  return matches.length === 1 ? matches[0] : undefined
}

/** find → validate → prepare; sets `ready` or `refused`. */
async function prepareCall(
  entry: Entry,
  planned: Map<string, PlannedFile>,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<void> {
  const { call, tool } = entry
  entry.refused = undefined
  if (reply.signal.aborted) {
    entry.refused = interrupted()
    return
  }
  if (!tool) {
    const names = [...ports.tools.keys()].join(', ')
    entry.refused = failure('TOOL_NOT_FOUND', `There is no tool named "${call.name}". The tools are: ${names}.`)
    return
  }
  if (call.malformed !== undefined) {
    entry.refused = failure(
      'TOOL_INPUT_INVALID',
      `The arguments of ${tool.name} could not be used: ${call.malformed}. Nothing was run. Send the call again with complete, valid JSON arguments${call.malformed.includes('cut off') ? '; if they are long, split the work into several smaller calls' : ''}.`,
    )
    return
  }
  const input = tool.input.validate(call.input)
  if (!input.ok) {
    entry.refused = failure('TOOL_INPUT_INVALID', `The arguments of ${tool.name} are not valid: ${input.problems}`)
    return
  }
  try {
    const confinement = tool.sandboxed ? await confinementOf(ports, reply) : undefined
    if (confinement && 'refusal' in confinement) {
      entry.refused = failure('TOOL_EXECUTION_FAILED', confinement.refusal)
      return
    }
    const prepared: Prepared<unknown> = await prepareOrAnew(entry, tool, input.value, planned, ports, reply)
    for (const write of prepared.writes ?? []) planned.set(write.path, write)
    entry.ready = readyOf(tool, prepared, ports.digest, confinement?.use)
    entry.proposed = prepared
    reply.emit({ type: 'tool_proposed', call, kind: tool.kind, title: prepared.title, blocks: prepared.blocks })
  } catch (error) {
    entry.refused = reply.signal.aborted ? interrupted() : fromThrown(error)
  }
}

/** An edit that a former process asked about is made anew where its file has changed since, and that is said. */
async function prepareOrAnew(
  entry: Entry,
  tool: Tool,
  input: unknown,
  planned: Map<string, PlannedFile>,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<Prepared<unknown>> {
  const context = prepareContext(entry.call, planned, ports, reply)
  try {
    return await tool.prepare(input, context)
  } catch (error) {
    const found = entry.earlier && tool.kind === 'edit' ? versionFound(fromThrown(error)) : null
    const anew = found && (await preparedOn([found], entry, context))
    if (!anew) throw error
    entry.again = 'the file changed since you were asked; this is the new change'
    return anew
  }
}
