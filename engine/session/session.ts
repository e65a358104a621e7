/** The façade of a running session: words, answers and interrupts in, AgentEvents out. */

import { defaultMaxTurns } from '../loop/limits.ts'
import { runTurn, type TurnPorts } from '../loop/query-engine.ts'
import { createSessionSandbox } from '../loop/sandboxing.ts'
import { runTypedCommand } from '../loop/typed-command.ts'
import { createPermissionGate } from '../permission/gate.ts'
import type { EventBody, Message, QueuedInput } from '../protocol/index.ts'
import { createEventStream } from './event-stream.ts'
import { createFileLedger } from './file-ledger.ts'
import { createFormerTurn, goOnWith, noteRecorded } from './open-turn.ts'
import { createReviewDebt, reviewMessage } from './review-debt.ts'
import { createReviewLedger } from './review-ledger.ts'
import { createRewind } from './rewind.ts'
import { createSessionRules, rulesOf, watchRules } from './session-rules.ts'
import type { Session, SessionOptions } from './session-shape.ts'
import { createTimeline } from './timeline.ts'
import { eventsOfTurn, runWhole, type Work } from './turn.ts'
import { typedInput } from './typed-command.ts'
import { waitingWords } from './waiting-words.ts'
import { watchedReviews } from './watched-reviews.ts'

export type { Session, SessionOptions } from './session-shape.ts'

export function createSession(options: SessionOptions): Session {
  const { clock, resumed } = options
  const gate = createPermissionGate()
  const reviews = resumed?.reviews ?? createReviewLedger()
  const timeline = createTimeline(resumed?.timeline)
  const rules = createSessionRules(resumed && rulesOf(resumed))
  const lostRules = watchRules(rules, options.rules)
  const files = createFileLedger()
  noteRecorded(files, options.cwd, resumed?.files ?? [])
  let history: Message[] = resumed?.history ?? []
  let mode = options.mode
  let model = options.model
  let spentUsd = resumed?.spentUsd ?? 0
  let queue: QueuedInput[] = resumed?.queue ?? []
  let running: { turnId: string; controller: AbortController; done: Promise<void> } | undefined
  /** While files are put back: no turn may begin then. */
  let held: Promise<unknown> | undefined
  let closed: Promise<void> | undefined
  /** A call was, in this process. */
  let proposed = false
  /** Calls that run. */
  const started = new Set<string>()

  const stream = createEventStream({
    sessionId: options.id,
    lastSeq: resumed?.lastSeq ?? 0,
    clock,
    sinks: options.sinks,
    first: options.onEvent,
    see(event) {
      reviews.see(event)
      timeline.see(event, history)
      rules.see(event)
      // A turn of words alone needs no snapshot.
      if (event.type === 'tool_proposed' && !proposed) {
        proposed = true
        options.checkpoints?.expect()
      }
      if (event.type === 'tool_start') started.add(event.call.id)
      else if (event.type === 'tool_result') started.delete(event.call.id)
      if (event.type === 'usage') spentUsd += event.usage.costUsd ?? 0
    },
  })
  const emit = (body: EventBody, turnId: string | null = running?.turnId ?? null): void => {
    stream.emit(body, turnId)
    if (body.type === 'tool_result') noteLostRules()
  }
  /** A turn of a former process that may be gone on with. */
  const former = createFormerTurn(resumed, { cwd: options.cwd, files, emit })

  /** What another session of the folder has taken away is taken away in this record too. */
  function noteLostRules(): void {
    for (const rule of lostRules()) emit({ type: 'setting', rule: { change: 'removed', ...rule } })
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
      processes: options.processes,
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
      former.settle()
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

  const frame = {
    clock,
    tracer: options.tracer,
    timeoutMs: options.limits?.timeoutMs,
    model: () => model,
    mode: () => mode,
    history: () => history,
    emit,
    flush,
  }

  async function flush(): Promise<void> {
    await Promise.all([...options.sinks.map((sink) => sink.flush()), options.audit.flush(), options.tracer.flush()])
  }

  const converse: Work = (turn) => runTurn(turn, turnPorts)

  function begin(input: string, work: Work = converse, goingOn?: string): void {
    noteLostRules()
    const controller = new AbortController()
    const turnId = goingOn ?? clock.id('turn')
    const done = Promise.resolve()
      .then(() => runWhole({ input, work, turnId, goesOn: goingOn !== undefined }, controller, frame))
      .then(() => {
        running = undefined
        emit({ type: 'state', name: 'idle' }, null)
        noteLostRules()
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

  emit({
    type: 'session_start',
    cwd: options.cwd,
    model: model.model,
    mode,
    version: options.version,
    ...(resumed ? { resumed: true } : {}),
    ...(resumed?.title ? { title: resumed.title } : {}),
  })
  if (resumed) rewind.recover()
  if (!former.waits) former.settle()
  if (queue.length > 0) {
    emit({ type: 'queue', items: queue })
    // A turn that goes on takes them by itself.
    if (!former.waits) emit(waitingWords(queue))
  }
  noteLostRules()

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
    subscribe: stream.subscribe,
    send(input) {
      if (closed) return
      former.settle()
      if (!running && !held && queue.length === 0) return begin(input)
      queue = [...queue, { id: clock.id('queued'), text: input }]
      emit({ type: 'queue', items: queue })
      // Words of a former process go first.
      if (!running && !held) beginNext()
    },
    continueOpenTurn() {
      if (closed || running) return false
      const open = former.take()
      if (!open) return false
      history = open.history
      begin(open.input, (turn) => goOnWith(open, turn, turnPorts), open.turnId)
      return true
    },
    run(command) {
      if (closed || running || held) return false
      former.settle()
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
    noteRule(change) {
      if (closed) return
      emit({ type: 'setting', rule: change })
      noteLostRules()
      if (!running) void flush()
    },
    clear() {
      if (running) return
      former.settle()
      history = []
      emit({ type: 'cleared' })
    },
    async *query(input) {
      former.settle()
      yield* eventsOfTurn(session, input)
    },
    close(how) {
      closed ??= (async () => {
        noteLostRules()
        // While something runs, its end must be recorded.
        if (how?.leaveQuestions === true && started.size === 0 && (gate.open().length > 0 || former.waits)) {
          stream.silence()
        }
        queue = []
        running?.controller.abort('user_abort')
        gate.abandon('the session was closed')
        await running?.done
        await held?.catch(() => undefined)
        former.settle()
        emit({ type: 'session_end' }, null)
        await flush()
        await Promise.all(options.sinks.map((sink) => sink.close()))
      })()
      return closed
    },
  }
  return session
}
