/**
 * The one door to side effects. Every call, whatever its origin, goes find → validate → prepare → risk → permission →
 * amend → timeout and abort → run → truncate → audit, and leaves exactly one result.
 */
import { commentWords } from '../change/index.ts'
import type { GateAnswer, PermissionGate } from '../permission/gate.ts'
import type { Judge, Judgement } from '../permission/judge-port.ts'
import type {
  ArtifactStore,
  AuditSink,
  Clock,
  Digest,
  FileLedger,
  PlannedFile,
  PrepareContext,
  Prepared,
  RuleStore,
  Span,
  Tool,
  ToolOutcome,
} from '../ports/index.ts'
import { ToolFailure } from '../ports/index.ts'
import type {
  AgentErrorCode,
  Block,
  DecidedBy,
  Decision,
  EventBody,
  LineComment,
  PermissionMode,
  PermissionRequest,
  SandboxUse,
  TodoItem,
  ToolCall,
  ToolResult,
} from '../protocol/index.ts'
import { saveRule } from './decide-step.ts'
import { openSandbox } from './sandbox-hosts.ts'
import { askOutside, confinementOf, ranOutside, type SessionSandbox, withRefusals } from './sandboxing.ts'
import { afterChange, prepareAnew } from './stale-edit.ts'
import { truncateContent } from './truncate.ts'

export type ExecutorPorts = {
  cwd: string
  sessionId: string
  tools: ReadonlyMap<string, Tool>
  judge: Judge
  rules: RuleStore
  gate: PermissionGate
  audit: AuditSink
  artifacts: ArtifactStore
  clock: Clock
  digest: Digest
  files: FileLedger
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

type Ready = { tool: Tool; prepared: Prepared<unknown>; digest: string; sandbox?: SandboxUse }
type Entry = {
  call: ToolCall
  tool?: Tool
  ready?: Ready
  /** Set when the call must not run. */
  refused?: ToolOutcome & { error: AgentErrorCode }
  amended?: boolean
  answer?: string
  note?: string
  comments?: LineComment[]
  /** A person decided on the change that runs now. */
  decidedByPerson?: boolean
  done?: Promise<void>
  outcome?: { result: ToolResult; blocks: Block[] }
}

const abortGraceMs = 8_000

/** Runs the calls of one reply. Results come in call order; the promise never rejects. */
export async function executeCalls(
  calls: readonly ToolCall[],
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<CallOutcome[]> {
  const entries: Entry[] = calls.map((call) => ({ call, tool: findTool(call.name, ports.tools) }))
  const groupId = ports.clock.id('group')
  let reported = 0
  const report = () => {
    for (let entry = entries[reported]; entry?.outcome; entry = entries[++reported]) {
      reply.emit({ type: 'tool_result', call: entry.call, ...entry.outcome })
    }
  }
  const finish = (entry: Entry, outcome: { result: ToolResult; blocks: Block[] }) => {
    entry.outcome = outcome
    report()
  }

  // Edits and commands run one after the other; reads between two of them run together.
  let barrier: Promise<void> = Promise.resolve()
  let reads: Promise<void>[] = []
  const start = (entry: Entry, ready: Ready) => {
    const concurrent = ready.tool.kind === 'read' || ready.tool.kind === 'network'
    const before = concurrent ? barrier : Promise.all([barrier, ...reads]).then(() => undefined)
    const askAgain = (reason: string) => decideCall(entry, groupId, entries, ports, reply, reason)
    const done = before
      .then(() => runCall(entry, ready, askAgain, ports, reply))
      .then((outcome) => finish(entry, outcome))
    entry.done = done
    if (concurrent) reads.push(done)
    else {
      barrier = done
      reads = []
    }
  }

  let next = 0
  while (next < entries.length) {
    const stop = entries.findIndex((entry, i) => i >= next && entry.tool?.kind === 'execute')
    const segment = entries.slice(next, stop < 0 ? entries.length : stop + 1)
    next += segment.length
    // What an earlier command changed is only there once it has ended.
    await Promise.all([barrier, ...reads])
    const planned = new Map<string, PlannedFile>()
    for (const entry of segment) await prepareCall(entry, planned, ports, reply)

    let stale = false
    const settledPlans = new Map<string, PlannedFile>()
    for (const entry of segment) {
      if (stale && entry.ready) {
        // An earlier edit of this reply was refused or changed, so this one is made anew against what will be there.
        entry.ready = undefined
        await prepareCall(entry, new Map(settledPlans), ports, reply)
      }
      if (entry.ready) await decideCall(entry, groupId, entries, ports, reply)
      if (entry.refused || !entry.ready) {
        if (entry.tool?.kind === 'edit') stale = true
        finish(
          entry,
          settle(
            entry.call,
            withWords(entry, entry.refused ?? failure('INTERNAL', 'The call could not be prepared.')),
            0,
            ports,
            entry.tool,
          ),
        )
        continue
      }
      if (entry.amended) stale = true
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
    const prepared: Prepared<unknown> = await tool.prepare(input.value, prepareContext(call, planned, ports, reply))
    for (const write of prepared.writes ?? []) planned.set(write.path, write)
    entry.ready = {
      tool,
      prepared,
      digest: ports.digest.sha256(`${tool.name}\n${prepared.fingerprint}`),
      sandbox: confinement?.use,
    }
    reply.emit({ type: 'tool_proposed', call, kind: tool.kind, title: prepared.title, blocks: prepared.blocks })
  } catch (error) {
    entry.refused = reply.signal.aborted ? interrupted() : fromThrown(error)
  }
}

/**
 * Judges the call, asks where the rules say so, and records the decision; sets `refused` or leaves the call ready. With
 * `again`, the reason for it, whatever is not denied is asked.
 */
async function decideCall(
  entry: Entry,
  groupId: string,
  entries: Entry[],
  ports: ExecutorPorts,
  reply: ReplyContext,
  again?: string,
): Promise<void> {
  const ready = entry.ready as Ready
  const { tool, prepared } = ready
  const span = reply.span.child(`permission.${prepared.writes ? 'diff_preview' : 'check'}`, {
    tool: tool.name,
    callId: entry.call.id,
  })
  const startedAt = ports.clock.monotonic()
  const ruling = judgeCall(ready, ports, reply)
  const judged = again === undefined || ruling.verdict === 'deny' ? ruling : { ...ruling, reason: again }
  const risk = prepared.risk ?? judged.risk
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
  const outcome = refusal ? 'deny' : 'allow'
  ports.audit.record(
    {
      type: 'decision',
      callId: entry.call.id,
      requestId,
      tool: tool.name,
      kind: tool.kind,
      title: prepared.title,
      cwd: ports.cwd,
      mode: reply.mode(),
      needs: judged.parts,
      risk,
      verdict: asks ? 'ask' : judged.verdict,
      outcome,
      decidedBy: answer.decidedBy,
      rule: judged.rule,
      reason: judged.reason,
      digestShown,
      digestPermitted: entry.ready?.digest ?? digestShown,
      latencyMs: Math.round(ports.clock.monotonic() - startedAt),
      ...(ready.sandbox ? { sandbox: ready.sandbox } : {}),
      ...(answer.decision.type === 'deny' && answer.decision.message !== undefined
        ? { message: answer.decision.message }
        : {}),
    },
    reply.turnId,
  )
  span.end('ok', { verdict: judged.verdict, outcome, decidedBy: answer.decidedBy })
  entry.decidedByPerson = answer.decidedBy === 'person'
  if (refusal) entry.refused = refusal
}

function judgeCall({ tool, prepared }: Ready, ports: ExecutorPorts, reply: ReplyContext): Judgement {
  return ports.judge({
    tool: tool.name,
    kind: tool.kind,
    needs: prepared.needs,
    mode: reply.mode(),
    rules: ports.rules.rules(),
  })
}

async function askGate(request: PermissionRequest, ports: ExecutorPorts, reply: ReplyContext): Promise<GateAnswer> {
  const asked = ports.gate.ask(request, reply.signal)
  const given = ports.unattended?.(request)
  if (given) ports.gate.answer(request.id, given.decision, given.decidedBy)
  return asked
}

/** Returns why the call must not run, or undefined; applies rule, amendment and answer of an allowing decision. */
async function applyDecision(
  entry: Entry,
  { decision, decidedBy }: GateAnswer,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<Entry['refused']> {
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
    const amended = { ...ready, prepared, digest: ports.digest.sha256(`${ready.tool.name}\n${prepared.fingerprint}`) }
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
    suggestions: judged.suggestions,
    group: { id: groupId, index: entries.indexOf(entry), size: entries.length },
  }
  if (reply.modelReason !== '') request.modelReason = reply.modelReason
  if (prepared.question) request.question = prepared.question
  if (sandbox) request.sandbox = sandbox
  return request
}

/** timeout + abort → run → truncate → audit. */
async function runCall(
  entry: Entry,
  ready: Ready,
  askAgain: (reason: string) => Promise<void>,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<{ result: ToolResult; blocks: Block[] }> {
  const { call } = entry
  const { tool, prepared } = ready
  if (reply.signal.aborted) return settle(call, interrupted(), 0, ports, tool)
  reply.emit({ type: 'state', name: 'run_tools' })
  reply.emit({ type: 'tool_start', call })
  const startedAt = ports.clock.monotonic()
  const span = reply.span.child(`tool.${tool.name}`, { callId: call.id, title: prepared.title })
  const first = await attempt(entry, ready, ports, reply, span, ready.sandbox === 'on')
  const renewed = await renewStale(first, entry, askAgain, ports, reply)
  if (renewed) {
    const outcome =
      'refused' in renewed ? renewed.refused : await attempt(entry, renewed.ready, ports, reply, span, false)
    if (outcome.ok) ports.files.forget(renewed.path)
    const durationMs = Math.round(ports.clock.monotonic() - startedAt)
    const blocks = entry.ready?.prepared.blocks ?? prepared.blocks
    const settled = settle(call, withWords(entry, afterChange(outcome)), durationMs, ports, tool, blocks)
    span.end(outcome.ok ? 'ok' : 'error', { summary: settled.result.summary })
    return settled
  }
  const outside = await askOutside(first, { call, tool, prepared }, ports, reply)
  let outcome = withRefusals(
    first,
    outside ? `; it was not run outside: ${outside.message || 'the person said no'}` : '',
  )
  if (outside?.allowed) {
    const second = await attempt(entry, ready, ports, reply, span, false, outside.fingerprint)
    outcome = ranOutside(second, first)
  }
  const durationMs = Math.round(ports.clock.monotonic() - startedAt)
  const settled = settle(call, withWords(entry, outcome), durationMs, ports, tool, prepared.blocks)
  span.end(outcome.ok ? 'ok' : 'error', { summary: settled.result.summary })
  return settled
}

/** Asks about a stale edit again, if it can be made anew; null where the failure goes to the model. */
async function renewStale(
  outcome: ToolOutcome,
  entry: Entry,
  askAgain: (reason: string) => Promise<void>,
  ports: ExecutorPorts,
  reply: ReplyContext,
): Promise<({ path: string } & ({ ready: Ready } | { refused: ToolOutcome })) | null> {
  const { call, tool } = entry
  if (!tool || !entry.decidedByPerson || reply.signal.aborted) return null
  const renewed = await prepareAnew(outcome, call, tool, prepareContext(call, new Map(), ports, reply))
  if (renewed === null) return null
  const { path, prepared } = renewed
  entry.ready = { tool, prepared, digest: ports.digest.sha256(`${tool.name}\n${prepared.fingerprint}`) }
  entry.refused = undefined
  await askAgain('the file changed while you decided; this is the new change')
  if (entry.refused !== undefined) return { path, refused: entry.refused }
  reply.emit({ type: 'state', name: 'run_tools' })
  return { path, ready: entry.ready }
}

/** The outcome with what the person said about it, so that it is heard whatever the tool. */
function withWords<T extends ToolOutcome>(entry: Entry, outcome: T): T {
  const words = [commentWords(entry.comments ?? []), entry.note ? `[The person adds: ${entry.note}]` : '']
  const said = words.filter((text) => text !== '')
  return said.length === 0 ? outcome : { ...outcome, content: [outcome.content, ...said].join('\n') }
}

/** Runs the plan once, inside the sandbox or outside, and records what came of it; `fingerprint` replaces that of the plan. */
async function attempt(
  entry: Entry,
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
  const outcome = await withLimits(tool, ports, reply, (signal) =>
    tool.run(prepared.plan, {
      ...prepareContext(call, new Map(), ports, reply),
      signal,
      artifacts: ports.artifacts,
      output: (chunk) => reply.emit({ type: 'tool_output', callId: call.id, chunk }),
      span,
      answer: entry.answer,
      mayRead: readJudge(ports),
      setTodo: (items: TodoItem[]) => reply.emit({ type: 'todo', items }),
      ...(opened ? { sandbox: opened.sandbox } : {}),
    }),
  )
  await opened?.end()
  const done = outcome.applied === undefined ? undefined : (fingerprint ?? outcome.applied)
  const auditEntry = {
    type: 'outcome' as const,
    callId: call.id,
    tool: tool.name,
    ok: outcome.ok,
    digestApplied: done === undefined ? null : ports.digest.sha256(`${tool.name}\n${done}`),
    durationMs: Math.round(ports.clock.monotonic() - startedAt),
  }
  ports.audit.record(outcome.error ? { ...auditEntry, error: outcome.error } : auditEntry, reply.turnId)
  return outcome
}

/** Runs with the tool's time limit; a tool that ignores its signal is given up after a grace and its result says so. */
async function withLimits(
  tool: Tool,
  ports: ExecutorPorts,
  reply: ReplyContext,
  run: (signal: AbortSignal) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
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

function settle(
  _call: ToolCall,
  outcome: ToolOutcome,
  durationMs: number,
  ports: ExecutorPorts,
  tool: Tool | undefined,
  preparedBlocks: Block[] = [],
): { result: ToolResult; blocks: Block[] } {
  const cut = truncateContent(
    outcome.content,
    tool?.maxResultTokens ?? 4000,
    ports.artifacts,
    `${tool?.name ?? 'call'}-output.txt`,
  )
  const result: ToolResult = {
    ok: outcome.ok,
    summary: outcome.summary,
    content: cut.content,
    metadata: { durationMs, ...outcome.metadata, ...(cut.truncated ? { truncated: cut.truncated } : {}) },
  }
  if (!outcome.ok) result.error = outcome.error ?? 'TOOL_EXECUTION_FAILED'
  const blocks =
    outcome.blocks ??
    (outcome.ok ? preparedBlocks : [...preparedBlocks, { type: 'error' as const, text: outcome.summary }])
  return { result, blocks }
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

function prepareContext(
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

function failure(error: AgentErrorCode, content: string): ToolOutcome & { error: AgentErrorCode } {
  return { ok: false, error, content, summary: firstLine(content) }
}

function interrupted(): ToolOutcome & { error: AgentErrorCode } {
  return {
    ok: false,
    error: 'USER_ABORTED',
    summary: 'interrupted before it ran',
    content: 'The person interrupted the turn before this call ran. It had no effect.',
  }
}

function denied(message: string | undefined, decidedBy: DecidedBy): ToolOutcome & { error: AgentErrorCode } {
  const reason = message?.trim() ?? ''
  if (decidedBy !== 'person') {
    return {
      ...failure('TOOL_PERMISSION_DENIED', reason === '' ? 'This call is not permitted.' : `Not permitted: ${reason}`),
      summary: `denied: ${firstLine(reason)}`,
    }
  }
  if (reason === '') {
    return {
      ...failure(
        'TOOL_PERMISSION_DENIED',
        'The person refused this call and gave no reason. Nothing was done. Do not repeat it; go on without it or ask what they want.',
      ),
      summary: 'refused',
    }
  }
  return {
    ...failure('TOOL_PERMISSION_DENIED', `The person refused this call. Nothing was done. Their words: ${reason}`),
    summary: `refused: ${firstLine(reason)}`,
  }
}

function fromThrown(error: unknown): ToolOutcome & { error: AgentErrorCode } {
  if (error instanceof ToolFailure) return { ...failure(error.code, error.message), metadata: error.metadata }
  const message = error instanceof Error ? error.message : String(error)
  return failure('INTERNAL', `The tool failed inside sluice (this is a bug, not your input): ${message}`)
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? ''
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}
