/** The façade of a running session: words, answers and interrupts in, AgentEvents out. */

import { defaultMaxTurns, type TurnLimits } from '../loop/limits.ts'
import { runTurn, type TurnEnd, type TurnInput, type TurnPorts } from '../loop/query-engine.ts'
import { createSessionSandbox } from '../loop/sandboxing.ts'
import { runTypedCommand } from '../loop/typed-command.ts'
import { createPermissionGate, type GateAnswer } from '../permission/gate.ts'
import type { Judge } from '../permission/judge-port.ts'
import type {
  ArtifactStore,
  AuditSink,
  Checkpoints,
  Clock,
  ContextSource,
  Digest,
  EventSink,
  ModelAdapter,
  ReviewedFiles,
  RuleStore,
  Sandbox,
  Tool,
  Tracer,
} from '../ports/index.ts'
import {
  type AgentEvent,
  type EventBody,
  isDurable,
  type Message,
  type PermissionMode,
  type PermissionRequest,
  type QueuedInput,
  type ReviewDebt,
  type Rewind,
  type SessionHandle,
  type StopReason,
  toErrorShape,
} from '../protocol/index.ts'
import { createFileLedger } from './file-ledger.ts'
import { goOnWith, noteRecorded, noteShown } from './open-turn.ts'
import { abandoned, type OpenTurn, type ResumedSession } from './resume.ts'
import { createReviewDebt, reviewMessage } from './review-debt.ts'
import { createReviewLedger } from './review-ledger.ts'
import { createRewind } from './rewind.ts'
import { createTimeline } from './timeline.ts'
import { typedInput } from './typed-command.ts'
import { watchedReviews } from './watched-reviews.ts'

export type SessionOptions = {
  id: string
  /** Canonical workspace root. */
  cwd: string
  version: string
  mode: PermissionMode
  model: ModelAdapter
  /** Finds a model by the name a person gives; throws AgentError. */
  selectModel(name: string): ModelAdapter
  tools: readonly Tool[]
  judge: Judge
  rules: RuleStore
  sources: readonly ContextSource[]
  systemPrompt(mode: PermissionMode): string
  sinks: readonly EventSink[]
  /** First subscriber; unlike later ones it also gets `session_start`. */
  onEvent?: (event: AgentEvent) => void
  audit: AuditSink
  tracer: Tracer
  artifacts: ArtifactStore
  clock: Clock
  digest: Digest
  limits?: Partial<TurnLimits>
  /** Absent: commands run outside. */
  sandbox?: Sandbox
  /** Absent: what was applied unseen can be kept, and not be taken back. */
  reviewedFiles?: ReviewedFiles
  /** Absent: what calls change is not kept, so that a rewind leaves files alone. */
  checkpoints?: Checkpoints
  unattended?: (request: PermissionRequest) => GateAnswer | null
  resumed?: ResumedSession
}

export interface Session extends SessionHandle {
  /** One turn as an async iterable over the very events that subscribers get; ends after its `turn_end`. */
  query(input: string): AsyncGenerator<AgentEvent>
  /**
   * Runs a command that the person typed as a turn of its own, judged and recorded like a call of the model; the next
   * request carries what came of it. False while a turn runs, and nothing happens then.
   */
  run(command: string): boolean
  /**
   * Goes on with the turn that a former process left: what waited for a person is asked again. False when there is none.
   * Until then, anything else that begins or ends a turn first records its calls as interrupted.
   */
  continueOpenTurn(): boolean
  /** What was applied without a person's look, and what they say to it afterwards. */
  readonly debt: ReviewDebt
  /** Back to before an earlier turn. */
  readonly rewind: Rewind
  readonly mode: PermissionMode
  readonly model: string
  readonly busy: boolean
}

/** What fills a turn between its words and its end. */
type Work = (turn: TurnInput) => Promise<TurnEnd>

export function createSession(options: SessionOptions): Session {
  const { clock } = options
  const listeners = new Set<(event: AgentEvent) => void>(options.onEvent ? [options.onEvent] : [])
  const gate = createPermissionGate()
  const reviews = options.resumed?.reviews ?? createReviewLedger()
  const timeline = createTimeline(options.resumed?.timeline)
  const files = createFileLedger()
  noteRecorded(files, options.cwd, options.resumed?.files ?? [])
  /** A turn of a former process that may be gone on with. */
  let pending = options.resumed?.open
  let history: Message[] = options.resumed?.history ?? []
  let seq = options.resumed?.lastSeq ?? 0
  let mode = options.mode
  let model = options.model
  let spentUsd = options.resumed?.spentUsd ?? 0
  let queue: QueuedInput[] = options.resumed?.queue ?? []
  let running: { turnId: string; controller: AbortController; done: Promise<void> } | undefined
  /** While files are put back: no turn may begin then. */
  let held: Promise<unknown> | undefined
  let closed: Promise<void> | undefined

  /** Calls that run. */
  const started = new Set<string>()
  /** The records stay as they are: the session ends as if its process had died. */
  let silent = false

  const emit = (body: EventBody, turnId: string | null = running?.turnId ?? null): void => {
    if (silent) return
    const event: AgentEvent = {
      v: 1,
      seq: ++seq,
      time: clock.timestamp(),
      sessionId: options.id,
      turnId,
      ...body,
    }
    reviews.see(event)
    timeline.see(event, history)
    if (event.type === 'tool_start') started.add(event.call.id)
    else if (event.type === 'tool_result') started.delete(event.call.id)
    if (event.type === 'usage') spentUsd += event.usage.costUsd ?? 0
    if (isDurable(event)) for (const sink of options.sinks) sink.write(event)
    // What a person is asked must survive whatever happens while they think.
    if (event.type === 'approval_request') for (const sink of options.sinks) void sink.flush(true)
    for (const listener of [...listeners]) listener(event)
  }

  const turnPorts: TurnPorts = {
    executor: {
      cwd: options.cwd,
      sessionId: options.id,
      tools: new Map(options.tools.map((tool) => [tool.name, tool])),
      judge: options.judge,
      rules: options.rules,
      gate,
      audit: options.audit,
      artifacts: options.artifacts,
      checkpoints: options.checkpoints,
      clock,
      digest: options.digest,
      files,
      sandbox: options.sandbox && createSessionSandbox(options.sandbox),
      unattended: options.unattended,
    },
    clock,
    sources: options.sources,
    systemPrompt: () => options.systemPrompt(mode),
    model: () => model,
    mode: () => mode,
    limits: { ...options.limits, maxTurns: options.limits?.maxTurns ?? defaultMaxTurns },
    spentUsd: () => spentUsd,
    takeQueued() {
      if (queue.length === 0) return []
      const words = queue.map((item) => item.text)
      queue = []
      emit({ type: 'queue', items: [] })
      return words
    },
  }

  async function turn({ input, work, turnId, goesOn }: Begun, controller: AbortController): Promise<void> {
    const startedAt = clock.monotonic()
    const span = options.tracer.start('turn.run', turnId, { model: model.model, mode })
    const cancelLimit =
      options.limits?.timeoutMs === undefined
        ? undefined
        : clock.after(options.limits.timeoutMs, () => controller.abort('time_limit'))
    let reason: StopReason = 'tool_error'
    let replies = 0
    let calls = 0
    if (!goesOn) {
      emit({ type: 'turn_start', input })
      history.push({ role: 'user', content: input })
    }
    try {
      const end = await work({ turnId, history, input, signal: controller.signal, span, emit })
      reason = end.reason
      replies = end.replies
      calls = end.calls
      if (reason === 'time_limit') {
        const text = `Stopped: the turn reached its time limit of ${(options.limits?.timeoutMs ?? 0) / 1000} s (--timeout).`
        emit({ type: 'notice', level: 'warn', code: 'time_limit', text })
      }
    } catch (error) {
      // runTurn rejects only through a bug; the history may lack results then, so they are supplied here.
      answerDangling(history)
      emit({ type: 'error', error: toErrorShape(error) })
    }
    cancelLimit?.()
    span.end(reason === 'final_answer' ? 'ok' : 'error', { reason, replies, calls })
    emit({ type: 'state', name: 'done' })
    emit({ type: 'turn_end', reason, durationMs: Math.round(clock.monotonic() - startedAt), replies, calls })
    await flush()
  }

  const debt = createReviewDebt({
    cwd: options.cwd,
    ledger: reviews,
    files:
      options.reviewedFiles && options.checkpoints
        ? watchedReviews(options.reviewedFiles, options.checkpoints, () => timeline.turns().at(-1)?.turnId)
        : options.reviewedFiles,
    original: async (hash) => (await options.checkpoints?.content(hash)) ?? null,
    seen: files,
    audit: options.audit,
    clock,
    digest: options.digest,
    mode: () => mode,
    busy: () => running !== undefined || held !== undefined || closed !== undefined,
    record(review) {
      emit({ type: 'reviewed', review })
      const words = reviewMessage(review)
      // In a turn they join it, as a message that is recorded by itself.
      if (words !== '' && running) session.send(words)
      else if (words !== '') history.push({ role: 'user', content: words })
      if (!running) void flush()
    },
  })

  const rewind = createRewind({
    cwd: options.cwd,
    timeline,
    checkpoints: options.checkpoints,
    audit: options.audit,
    clock,
    digest: options.digest,
    mode: () => mode,
    history: () => history,
    busy() {
      if (closed) return 'The session is being closed.'
      if (held) return 'A rewind is under way.'
      return running ? 'A turn is running. Interrupt it with esc, then rewind.' : null
    },
    async hold(work) {
      settlePending()
      const done = work()
      held = done
      try {
        return await done
      } finally {
        held = undefined
        if (!closed && !running) beginNext()
      }
    },
    done(rewound, next, planBefore) {
      history = next
      // What was read since is not in the history any more, or was put back.
      files.forgetAll()
      emit({ type: 'rewound', rewound }, null)
      if (planBefore !== timeline.todo()) emit({ type: 'todo', items: [...timeline.todo()] }, null)
      void flush()
    },
  })

  async function flush(): Promise<void> {
    await Promise.all([...options.sinks.map((sink) => sink.flush()), options.audit.flush(), options.tracer.flush()])
  }

  const converse: Work = (turn) => runTurn(turn, turnPorts)

  function begin(input: string, work: Work = converse, former?: OpenTurn): void {
    const controller = new AbortController()
    const turnId = former?.turnId ?? clock.id('turn')
    const done = Promise.resolve()
      .then(() => turn({ input, work, turnId, goesOn: former !== undefined }, controller))
      .then(() => {
        running = undefined
        emit({ type: 'state', name: 'idle' }, null)
        if (!closed) beginNext()
      })
    running = { turnId, controller, done }
  }

  function beginNext(): void {
    const next = queue[0]
    if (next === undefined) return
    queue = queue.slice(1)
    emit({ type: 'queue', items: queue }, null)
    begin(next.text)
  }

  /** The turn of a former process ends as it must when nobody goes on with it. */
  function settlePending(): void {
    if (!pending) return
    pending = undefined
    for (const repair of options.resumed?.repairs ?? []) emit(repair.body, repair.turnId)
  }

  function goOn(former: OpenTurn): void {
    history = former.history
    noteShown(files, options.cwd, former)
    for (const question of former.questions) emit(abandoned(question), former.turnId)
    const text = 'This turn was cut off while calls waited; it goes on, and what had not run is asked again.'
    emit({ type: 'notice', level: 'info', code: 'turn_goes_on', text }, former.turnId)
    begin(former.input, (turn) => goOnWith(former, turn, turnPorts), former)
  }

  emit({
    type: 'session_start',
    cwd: options.cwd,
    model: model.model,
    mode,
    version: options.version,
    ...(options.resumed ? { resumed: true } : {}),
    ...(options.resumed?.title ? { title: options.resumed.title } : {}),
  })
  if (!pending) for (const repair of options.resumed?.repairs ?? []) emit(repair.body, repair.turnId)
  if (queue.length > 0) emit({ type: 'queue', items: queue })

  const session: Session = {
    id: options.id,
    cwd: options.cwd,
    debt,
    rewind,
    get mode() {
      return mode
    },
    get model() {
      return model.model
    },
    get busy() {
      return running !== undefined
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    send(input) {
      if (closed) return
      settlePending()
      if (!running && !held && queue.length === 0) return begin(input)
      queue = [...queue, { id: clock.id('queued'), text: input }]
      emit({ type: 'queue', items: queue })
      // Words of a former process go first.
      if (!running && !held) beginNext()
    },
    continueOpenTurn() {
      if (closed || running || !pending) return false
      const former = pending
      pending = undefined
      goOn(former)
      return true
    },
    run(command) {
      if (closed || running || held) return false
      settlePending()
      begin(typedInput(command), (turn) => runTypedCommand(turn, command, turnPorts))
      return true
    },
    unqueue(id) {
      const item = queue.find((entry) => entry.id === id)
      if (!item) return null
      queue = queue.filter((entry) => entry !== item)
      emit({ type: 'queue', items: queue })
      return item.text
    },
    interrupt() {
      running?.controller.abort('user_abort')
    },
    answer: (id, decision) => gate.answer(id, decision),
    setMode(next) {
      if (next === mode) return
      mode = next
      emit({ type: 'setting', mode: next })
    },
    setModel(name) {
      model = options.selectModel(name)
      emit({ type: 'setting', model: model.model })
    },
    setTitle(title) {
      if (!closed) emit({ type: 'setting', title })
    },
    notice(level, code, text) {
      if (!closed) emit({ type: 'notice', level, code, text })
    },
    clear() {
      if (running) return
      settlePending()
      history = []
      emit({ type: 'cleared' })
    },
    async *query(input) {
      settlePending()
      const events: AgentEvent[] = []
      let wake: (() => void) | undefined
      const stop = session.subscribe((event) => {
        events.push(event)
        wake?.()
      })
      try {
        session.send(input)
        for (;;) {
          for (let event = events.shift(); event; event = events.shift()) {
            yield event
            if (event.type === 'turn_end') return
          }
          await new Promise<void>((resolve) => {
            wake = resolve
            if (events.length > 0) resolve()
          })
        }
      } finally {
        stop()
      }
    },
    close(how) {
      closed ??= (async () => {
        // While something runs, its end must be recorded.
        silent = how?.leaveQuestions === true && started.size === 0 && (gate.open().length > 0 || pending !== undefined)
        queue = []
        running?.controller.abort('user_abort')
        gate.abandon('the session was closed')
        await running?.done
        await held?.catch(() => undefined)
        settlePending()
        emit({ type: 'session_end' }, null)
        await flush()
        await Promise.all(options.sinks.map((sink) => sink.close()))
      })()
      return closed
    },
  }
  return session
}

type Begun = { input: string; work: Work; turnId: string; goesOn: boolean }

/** Law 1 for the case that a bug broke a turn off between a reply and its results. */
function answerDangling(history: Message[]): void {
  const last = history.findLastIndex((message) => message.role === 'assistant')
  const message = history[last]
  if (message?.role !== 'assistant' || !message.toolCalls) return
  const answered = new Set(history.slice(last + 1).map((entry) => (entry.role === 'tool' ? entry.toolCallId : '')))
  for (const call of message.toolCalls) {
    if (answered.has(call.id)) continue
    history.push({
      role: 'tool',
      toolCallId: call.id,
      name: call.name,
      content: 'Failed inside sluice; it may or may not have run.',
      ok: false,
    })
  }
}
