/** One turn from its words to its end: the records around it, its time limit and its span, whatever fills it. */
import type { TurnEnd, TurnInput } from '../loop/query-engine.ts'
import type { Clock, ModelAdapter, Tracer } from '../ports/index.ts'
import {
  type AgentEvent,
  type EventBody,
  type Message,
  type PermissionMode,
  type SessionHandle,
  type StopReason,
  toErrorShape,
} from '../protocol/index.ts'

/** What fills a turn between its words and its end. */
export type Work = (turn: TurnInput) => Promise<TurnEnd>

/** `goesOn`: its words are recorded already, by a former process. */
export type Begun = { input: string; work: Work; turnId: string; goesOn: boolean }

export type TurnFrame = {
  clock: Clock
  tracer: Tracer
  timeoutMs: number | undefined
  model(): ModelAdapter
  mode(): PermissionMode
  history(): Message[]
  emit(body: EventBody): void
  flush(): Promise<void>
}

export async function runWhole(
  { input, work, turnId, goesOn }: Begun,
  controller: AbortController,
  { clock, tracer, timeoutMs, ...frame }: TurnFrame,
): Promise<void> {
  const { emit } = frame
  const startedAt = clock.monotonic()
  const span = tracer.start('turn.run', turnId, { model: frame.model().model, mode: frame.mode() })
  const cancelLimit = timeoutMs === undefined ? undefined : clock.after(timeoutMs, () => controller.abort('time_limit'))
  const history = frame.history()
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
      const text = `Stopped: the turn reached its time limit of ${(timeoutMs ?? 0) / 1000} s (--timeout).`
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
  await frame.flush()
}

/** Sends the words, and gives the events from then on up to the end of the turn. */
export async function* eventsOfTurn(
  session: Pick<SessionHandle, 'send' | 'subscribe'>,
  input: string,
): AsyncGenerator<AgentEvent> {
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
}

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
