/** A recorded session as the state to go on from: history, settings, what waits, and what has to be repaired. */
import type {
  AgentEvent,
  AssistantMessage,
  CommandProcess,
  EventBody,
  EventOf,
  QueuedInput,
  ToolCall,
} from '../protocol/index.ts'
import { createKeptHistory } from './kept-history.ts'
import { createLeftRunning, leftNotice } from './left-running.ts'
import { canWait, cutOff, type OpenCall, waiting } from './open-call.ts'
import { createRecordedFiles, proposalOf } from './recorded-files.ts'
import { createRecordedTimeline } from './recorded-timeline.ts'
import type { OpenTurn, ResumedSession, ResumeOptions } from './resumed.ts'
import { reviewMessage } from './review-debt.ts'
import { createReviewLedger } from './review-ledger.ts'
import { createSessionRules } from './session-rules.ts'
import { rewoundMessage } from './timeline.ts'
import { isTypedCall, type TypedTurn, typedCommandMessage, typedTurnAfter } from './typed-command.ts'
import { createUnfinished } from './unfinished.ts'

/** Folds durable events; unknown or odd records are skipped, never fatal. */
export function resumeSession(events: Iterable<AgentEvent>, options: ResumeOptions = {}): ResumedSession {
  const fold = createResume(options)
  for (const event of events) fold.add(event)
  return fold.finish()
}

/** The same for events that come one by one and are not kept. */
export function createResume(options: ResumeOptions = {}) {
  const resumed: Omit<ResumedSession, 'history' | 'files' | 'shortened' | 'timeline' | 'rules' | 'narrowing'> = {
    lastSeq: 0,
    spentUsd: 0,
    todo: [],
    queue: [],
    reviews: createReviewLedger(),
    dropped: 0,
    repairs: [],
  }
  const history = createKeptHistory()
  const files = createRecordedFiles()
  const timeline = createRecordedTimeline()
  const rules = createSessionRules()
  const unfinished = createUnfinished()
  const leftRunning = createLeftRunning()
  const runs = (leader: CommandProcess) => options.stillRuns?.(leader) === true
  /** Open questions → the calls they are about. */
  const questions = new Map<string, string[]>()
  let open: OpenCall[] = []
  let reply: AssistantMessage | null = null
  let typed: TypedTurn | null = null
  /** Words that were taken out of the queue, until they are in the conversation. */
  let taken: QueuedInput[] = []
  let turn: { id: string | null; input: string; replies: number; calls: number; contextTold: boolean } | null = null

  const answer = (call: ToolCall, content: string, ok: boolean, metadata?: Record<string, unknown>) => {
    // What came of a typed command stands in place of the turn's words.
    if (isTypedCall(typed, call)) history.replaceInput(typedCommandMessage(call, { content, metadata }))
    else history.answer({ role: 'tool', toolCallId: call.id, name: call.name, content, ok })
  }
  const closeOpen = (record: boolean) => {
    const notices = record ? noticesOf(open) : []
    for (const one of open) {
      // Of calls further back the files tell nothing any more.
      const cut = cutOff(one, record ? options : {})
      if (record && one.started) files.interrupted(one.call, one.proposal, options.hashOf)
      answer(one.call, cut.result.content, false)
      if (record) resumed.repairs.push({ turnId: turn?.id ?? null, body: { type: 'tool_result', ...cut } })
    }
    for (const body of notices) resumed.repairs.push({ turnId: turn?.id ?? null, body })
    open = []
    history.closeReply()
  }
  const noticesOf = (calls: readonly OpenCall[]) =>
    calls.flatMap(({ call, leader }) => (leader && runs(leader) ? [leftNotice(call, leader)] : []))
  const begin = (id: string | null, input: string) => {
    closeOpen(false)
    turn = { id, input, replies: 0, calls: 0, contextTold: false }
    reply = null
    if (id !== null) history.mark(id)
    history.push({ role: 'user', content: input })
  }
  const message = (event: EventOf<'message'>) => {
    closeOpen(false)
    if (event.message.role === 'user') return history.push(event.message)
    // The words before it are lost with their record, and an answer to nothing would be refused.
    if (turn === null) begin(event.turnId, lostWords)
    const kept = usable(event.message)
    if (kept !== event.message) resumed.dropped++
    reply = kept
    if (turn) turn.replies++
    if (kept.content === '' && !kept.toolCalls) return
    history.push(kept)
    open = (kept.toolCalls ?? []).map(waiting)
    if (turn) turn.calls += open.length
  }
  const result = (event: EventOf<'tool_result'>) => {
    const { call } = event
    for (const [id, callIds] of questions) if (callIds.includes(call.id)) questions.delete(id)
    const index = open.findIndex((entry) => entry.call.id === call.id)
    // A typed command that could not even be prepared was never proposed.
    if (index < 0 && !isTypedCall(typed, call)) return
    if (index >= 0) open.splice(index, 1)
    files.result(event)
    answer(call, event.result.content, event.result.ok, event.result.metadata)
  }
  const entry = (callId: string) => open.find(({ call }) => call.id === callId)

  function add(event: AgentEvent): void {
    if (event.seq > resumed.lastSeq) resumed.lastSeq = event.seq
    resumed.reviews.see(event)
    timeline.see(event)
    rules.see(event)
    unfinished.see(event)
    leftRunning.see(event)
    const joined = event.type === 'turn_start' ? event.input : event.type === 'message' ? event.message.content : null
    taken = joined === null ? [] : taken.filter(({ text }) => text !== joined)
    switch (event.type) {
      case 'session_start':
        resumed.cwd = event.cwd
        resumed.model = event.model
        resumed.mode = event.mode
        if (event.title) resumed.title = event.title
        // What the copied records cost was counted where they come from, and words that wait go on waiting there.
        if (event.forkedFrom !== undefined) {
          resumed.spentUsd = 0
          resumed.queue = []
          taken = []
        }
        break
      case 'setting':
        if (event.model) resumed.model = event.model
        if (event.mode) resumed.mode = event.mode
        if (event.title) resumed.title = event.title
        break
      case 'turn_start':
        begin(event.turnId, event.input)
        questions.clear()
        break
      case 'context':
        if (turn) turn.contextTold = true
        break
      case 'message':
        message(event)
        break
      case 'tool_proposed': {
        if (isTypedCall(typed, event.call) && entry(event.call.id) === undefined) {
          open = [waiting(event.call)]
          if (turn) turn.calls++
        }
        const one = entry(event.call.id)
        if (one) one.proposal = proposalOf(event)
        break
      }
      case 'approval_request': {
        const { id, callId, changeSet } = event.request
        questions.set(id, changeSet?.map((one) => one.callId) ?? [callId])
        break
      }
      case 'approval_decision': {
        const { decision } = event
        for (const callId of questions.get(event.id) ?? []) {
          const one = entry(callId)
          if (!one || one.started || decision.type !== 'deny' || event.decidedBy !== 'person') continue
          one.denied = decision.message === undefined ? {} : { message: decision.message }
        }
        questions.delete(event.id)
        break
      }
      case 'tool_start': {
        const one = entry(event.call.id)
        if (one) one.started = true
        break
      }
      case 'tool_process': {
        const one = entry(event.callId)
        if (one) one.leader = event.leader
        break
      }
      case 'tool_result':
        result(event)
        break
      case 'usage':
        resumed.spentUsd += event.usage.costUsd ?? 0
        break
      case 'todo':
        resumed.todo = event.items
        break
      case 'queue':
        taken = resumed.queue.filter(({ id }) => !event.items.some((item) => item.id === id))
        resumed.queue = event.items
        break
      case 'reviewed': {
        // In a turn they joined it as a message of its own.
        const words = event.turnId === null ? reviewMessage(event.review) : ''
        if (words !== '') history.push({ role: 'user', content: words })
        break
      }
      case 'rewound': {
        const { id, toTurnId, undoes, conversation } = event.rewound
        const told = rewoundMessage(event.rewound)
        if (told !== null) history.push(told)
        // What was read since is not in the history any more, or was put back.
        files.clear()
        if (!conversation) break
        if (undoes !== undefined) history.restore(undoes)
        else if (toTurnId !== null) history.rewind(id, toTurnId)
        break
      }
      case 'cleared':
        history.clear()
        files.clear()
        break
      case 'turn_end':
        closeOpen(false)
        turn = null
        questions.clear()
        break
      default:
        break
    }
    typed = typedTurnAfter(typed, event)
  }

  function finish(): ResumedSession {
    const asked = [...questions].map(([id, callIds]) => ({ id, callId: callIds[0] ?? '' }))
    const openTurn = canGoOn()
    if (openTurn) openTurn.questions = asked
    for (const question of asked) resumed.repairs.push({ turnId: turn?.id ?? null, body: abandoned(question) })
    closeOpen(true)
    if (turn !== null) endTurn(turn)
    for (const body of leftRunning.notices(runs)) resumed.repairs.push({ turnId: null, body })
    return {
      ...resumed,
      queue: [...taken, ...resumed.queue],
      history: history.messages(),
      rules: rules.all().flatMap(({ text, verdict }) => (verdict === 'allow' ? [text] : [])),
      narrowing: rules.all().filter(({ verdict }) => verdict !== 'allow'),
      files: files.all(),
      timeline: timeline.state(history),
      shortened: history.shortened(),
      ...(openTurn ? { open: openTurn } : {}),
    }
  }

  /** As far as it had come: what of a reply is recorded is kept like one that was interrupted. */
  function endTurn({ id, replies, calls }: NonNullable<typeof turn>): void {
    const message = unfinished.reply()
    if (message !== null) {
      if (message.content !== '') history.push(message)
      resumed.repairs.push({ turnId: id, body: { type: 'message', message, partial: true, repaired: true } })
    }
    const body = { durationMs: unfinished.durationMs(), replies, calls, processEnded: true }
    resumed.repairs.push({ turnId: id, body: { type: 'turn_end', reason: 'user_abort', ...body } })
  }

  /** Only calls that wait make a turn worth going on with: what ran and was cut off nobody can finish. */
  function canGoOn(): OpenTurn | undefined {
    if (turn === null || turn.id === null || !open.some(canWait)) return undefined
    const isTyped = open.some(({ call }) => isTypedCall(typed, call))
    if (!isTyped && reply === null) return undefined
    const { id, input, replies, calls, contextTold } = turn
    return {
      ...{ turnId: id, input, replies, callCount: calls, contextTold, questions: [] },
      reply: isTyped ? null : reply,
      calls: open.map((one) => ({ ...one })),
      cutOff: open.filter((one) => !canWait(one)).map((one) => cutOff(one, options)),
      notices: [...noticesOf(open), ...leftRunning.notices(runs)],
      history: [...history.messages()],
    }
  }

  return { add, finish }
}

/** The end of a question that the process left open. */
export function abandoned({ id, callId }: { id: string; callId: string }): EventBody {
  const message = 'the session ended before anybody answered'
  return { type: 'approval_decision', id, callId, decision: { type: 'deny', message }, decidedBy: 'abandoned' }
}

const lostWords = '[Words of the person that could not be read: the record of the session is damaged here.]'

/** The message without calls that no provider would take back: those without id or name, and those whose id comes twice. */
function usable(message: AssistantMessage): AssistantMessage {
  if (!message.toolCalls) return message
  const ids = new Set<string>()
  const calls = message.toolCalls.filter(({ id, name }) => {
    if (id === '' || name === '' || ids.has(id)) return false
    ids.add(id)
    return true
  })
  if (calls.length === message.toolCalls.length) return message
  const { toolCalls: _, ...rest } = message
  return calls.length === 0 ? rest : { ...rest, toolCalls: calls }
}
