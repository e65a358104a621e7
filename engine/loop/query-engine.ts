/**
 * One turn, from the user's words to a true reason for its end:
 * build_context → call_model → stream_reply → (await_approval → run_tools → call_model)* → done.
 */
import { type BuiltContext, buildContext } from '../context/build.ts'
import {
  type Clock,
  type ContextSection,
  type ContextSource,
  inSpan,
  type ModelAdapter,
  type Span,
  sleep,
  type Tool,
} from '../ports/index.ts'
import type {
  AgentErrorShape,
  AssistantMessage,
  EventBody,
  Message,
  Omitted,
  PermissionMode,
  StopReason,
  ToolCall,
  ToolSchema,
  UserMessage,
} from '../protocol/index.ts'
import { verificationOf } from '../session/verification.ts'
import type { Earlier } from './call-entry.ts'
import { createRepeatGuard, type TurnLimits } from './limits.ts'
import { type Reply, streamReply } from './model-stream.ts'
import { createPartialReply } from './partial-reply.ts'
import { retryDelay } from './retry.ts'
import { type CallOutcome, type ExecutorPorts, executeCalls } from './tool-executor.ts'
import { budgetError, cutAnswer, cutCalls, maxCutReplies, refusedAnswer, tooLarge } from './turn-errors.ts'

export type TurnPorts = {
  executor: ExecutorPorts
  clock: Clock
  sources: readonly ContextSource[]
  /** Asked before each call, since mode and day may change. */
  systemPrompt(): string
  model(): ModelAdapter
  mode(): PermissionMode
  limits: TurnLimits
  /** US dollars spent by the session so far. */
  spentUsd(): number
  /** Words that join the running turn; emptied by the call. */
  takeQueued(): string[]
}

export type TurnInput = {
  turnId: string
  /** History including this turn's user message as its last entry; grown in place. */
  history: Message[]
  input: string
  /** Aborted with the StopReason that the end shall have. */
  signal: AbortSignal
  span: Span
  emit(body: EventBody): void
}

export type TurnEnd = { reason: StopReason; replies: number; calls: number }

/** Where a turn is gone on with whose process died: the calls of its last reply that have no result, and its counts so far. */
export type TurnBefore = {
  calls: readonly ToolCall[]
  earlier: ReadonlyMap<string, Earlier>
  /** The model's words before the calls. */
  words: string
  replies: number
  callCount: number
  contextTold: boolean
}

export async function runTurn(turn: TurnInput, ports: TurnPorts, before?: TurnBefore): Promise<TurnEnd> {
  const guard = createRepeatGuard()
  const schemas = [...ports.executor.tools.values()].map(toSchema)
  let replies = before?.replies ?? 0
  let calls = before?.callCount ?? 0
  let cutReplies = 0
  const end = (reason: StopReason): TurnEnd => ({ reason, replies, calls })
  const fail = (reason: StopReason, error: AgentErrorShape): TurnEnd => {
    turn.emit({ type: 'error', error })
    return end(reason)
  }

  turn.emit({ type: 'state', name: 'build_context' })
  const loaded = await inSpan(turn.span, 'context.build', {}, (span) => loadSections(turn, ports, span))
  let announced = before?.contextTold ?? false

  /** The end of the turn, if that is what the results come to. */
  const run = async (asked: readonly ToolCall[], words: string, earlier?: TurnBefore['earlier']) => {
    turn.emit({ type: 'state', name: 'run_tools' })
    const context = {
      turnId: turn.turnId,
      signal: turn.signal,
      span: turn.span,
      mode: ports.mode,
      emit: turn.emit,
      modelReason: words.trim(),
    }
    const outcomes = await executeCalls(asked, ports.executor, context, earlier)
    const repeated = recordResults(turn, outcomes, guard)
    if (turn.signal.aborted) return end(abortReason(turn.signal))
    if (repeated) return fail('tool_error', repeated)
    cutReplies = asked.every((call) => call.malformed?.includes('cut off')) ? cutReplies + 1 : 0
    if (cutReplies >= maxCutReplies) return fail('model_error', cutCalls)
    steer(turn, ports.takeQueued())
    return null
  }

  const ended = before && (await run(before.calls, before.words, before.earlier))
  if (ended) return ended
  for (;;) {
    if (turn.signal.aborted) return end(abortReason(turn.signal))
    if (replies >= ports.limits.maxTurns) {
      turn.emit({
        type: 'notice',
        level: 'warn',
        code: 'max_turns',
        text: `Stopped after ${replies} model replies in this turn (the limit is --max-turns ${ports.limits.maxTurns}). Send a message to go on.`,
      })
      return end('max_turns')
    }
    const overspent = budgetError(ports.limits, ports.spentUsd())
    if (overspent) return fail('budget_exceeded', overspent)

    const model = ports.model()
    const built = buildContext({
      system: ports.systemPrompt(),
      sections: loaded.sections,
      history: turn.history,
      tools: schemas,
      contextWindow: model.contextWindow,
      maxOutputTokens: model.maxOutputTokens,
    })
    const omitted = [...loaded.omitted, ...built.omitted]
    announce(turn, built, omitted, announced)
    announced = true
    if (!built.fits) return fail('context_too_large', tooLarge(built))

    const reply = await callModel(turn, ports, model, built, schemas)
    if (turn.signal.aborted) {
      keepPartial(turn, reply.message)
      return end(abortReason(turn.signal))
    }
    if (reply.type === 'cut') {
      keepPartial(turn, reply.message)
      return fail(reply.error.code === 'CONTEXT_TOO_LARGE' ? 'context_too_large' : 'model_error', reply.error)
    }
    replies++
    const { message } = reply
    turn.history.push(message)
    const cutShort = reply.finish === 'length' && !message.toolCalls
    turn.emit(cutShort ? { type: 'message', message, partial: true } : { type: 'message', message })
    turn.emit({ type: 'usage', usage: reply.usage })
    if (cutShort) return fail('model_error', cutAnswer)
    if (reply.finish === 'content_filter' && !message.toolCalls) return fail('model_error', refusedAnswer)
    if (!message.toolCalls) {
      const words = ports.takeQueued()
      if (words.length === 0) return end('final_answer')
      steer(turn, words)
      continue
    }

    calls += message.toolCalls.length
    const ended = await run(message.toolCalls, message.content)
    if (ended) return ended
  }
}

async function loadSections(
  turn: TurnInput,
  ports: TurnPorts,
  span: Span,
): Promise<{ sections: ContextSection[]; omitted: Omitted[] }> {
  const sections: ContextSection[] = []
  const omitted: Omitted[] = []
  const budget = Math.floor(ports.model().contextWindow / 4)
  for (const source of ports.sources) {
    try {
      const loaded = await source.load({
        input: turn.input,
        cwd: ports.executor.cwd,
        budget,
        signal: turn.signal,
        span,
      })
      sections.push(...loaded.sections)
      omitted.push(...(loaded.omitted ?? []))
    } catch (error) {
      const text = `The context source "${source.name}" failed and is left out of this turn: ${error instanceof Error ? error.message : String(error)}`
      turn.emit({ type: 'notice', level: 'warn', code: 'context_source_failed', text })
    }
  }
  return { sections, omitted }
}

/** The `context` event once per turn; what had to be left out of a later request of the turn is a notice. */
function announce(turn: TurnInput, built: BuiltContext, omitted: Omitted[], again: boolean): void {
  if (!again) {
    turn.emit({
      type: 'context',
      evidence: built.evidence,
      omitted,
      budget: built.budget,
      instructions: built.instructions,
    })
  } else if (built.omitted.length > 0) {
    const text = `Left out of this request to fit the context: ${built.omitted.map((entry) => entry.what).join(', ')}.`
    turn.emit({
      type: 'notice',
      level: 'info',
      code: 'context_trimmed',
      text,
      details: { omitted, budget: built.budget },
    })
  }
}

/** Calls the model, again after a failure that may pass; waits are announced and can be interrupted. */
async function callModel(
  turn: TurnInput,
  ports: TurnPorts,
  model: ModelAdapter,
  built: BuiltContext,
  tools: ToolSchema[],
): Promise<Reply> {
  for (let attempt = 1; ; attempt++) {
    turn.emit({ type: 'state', name: 'call_model' })
    const span = turn.span.child('model.call', { model: model.model, attempt, inputTokensEstimated: built.budget.used })
    let streaming = false
    const emit = (body: EventBody) => {
      if (!streaming) {
        streaming = true
        turn.emit({ type: 'state', name: 'stream_reply' })
      }
      turn.emit(body)
      partial.see(body)
    }
    const partial = createPartialReply(ports.clock, turn.emit)
    const request = { messages: built.messages, tools, signal: turn.signal, sessionId: ports.executor.sessionId }
    const reply = await streamReply(model, request, emit)
    partial.end()
    if (reply.type === 'whole') {
      span.end('ok', { finish: reply.finish, usage: reply.usage, calls: reply.message.toolCalls?.length ?? 0 })
      return reply
    }
    span.end('error', { error: reply.error })
    if (turn.signal.aborted) return reply
    const delay = retryDelay(reply.error, attempt, ports.clock.random())
    if (delay === null)
      return attempt > 1
        ? { ...reply, error: { ...reply.error, message: `${reply.error.message} (after ${attempt} attempts)` } }
        : reply
    const when = delay < 50 ? 'at once' : `in ${(delay / 1000).toFixed(1)} s`
    const text = `${reply.error.message.replace(/[.\s]+$/, '')}. Trying again ${when} (attempt ${attempt + 1}).`
    turn.emit({
      type: 'notice',
      level: 'warn',
      code: 'model_retry',
      text,
      details: { error: reply.error, delayMs: delay, attempt },
    })
    if (!(await sleep(ports.clock, delay, turn.signal))) return reply
  }
}

/** An interrupted reply stays in the history as far as it came; its calls were never run and are not in it. */
function keepPartial(turn: TurnInput, message: AssistantMessage): void {
  if (message.content === '' && !message.reasoning) return
  const kept: AssistantMessage = { role: 'assistant', content: message.content }
  if (message.reasoning) kept.reasoning = message.reasoning
  if (kept.content !== '') turn.history.push(kept)
  turn.emit({ type: 'message', message: kept, partial: true })
}

/** Puts the results into the history in call order; returns the error that ends the turn when a call failed too often. */
function recordResults(
  turn: TurnInput,
  outcomes: CallOutcome[],
  guard: ReturnType<typeof createRepeatGuard>,
): AgentErrorShape | undefined {
  let stop: AgentErrorShape | undefined
  for (const { call, result } of outcomes) {
    const verification = verificationOf(call, result)
    if (verification) turn.emit({ type: 'verification', result: verification })
    const repeat = guard.note(call, result.ok)
    let content = result.content
    if (repeat.verdict !== 'go') {
      content += `\n[This exact call has now failed ${repeat.count} times in this turn. Repeating it will not help: change the input or the approach.]`
    }
    turn.history.push({ role: 'tool', toolCallId: call.id, name: call.name, content, ok: result.ok })
    if (repeat.verdict === 'stop') {
      stop = {
        code: 'TOOL_LOOP',
        message: `The model repeated the same failing call ${repeat.count} times: ${call.name} (${result.summary}).`,
        hint: 'Say what it should do differently, then go on.',
      }
    } else if (repeat.verdict === 'tell') {
      const text = `The model has repeated the same failing call ${repeat.count} times: ${call.name}. It was told.`
      turn.emit({ type: 'notice', level: 'warn', code: 'repeated_call', text })
    }
  }
  return stop
}

function steer(turn: TurnInput, words: string[]): void {
  for (const content of words) {
    const message: UserMessage = { role: 'user', content }
    turn.history.push(message)
    turn.emit({ type: 'message', message })
  }
}

/** The reason that an aborted turn ends with. */
export function abortReason(signal: AbortSignal): StopReason {
  return signal.reason === 'time_limit' ? 'time_limit' : 'user_abort'
}

function toSchema(tool: Tool): ToolSchema {
  return { name: tool.name, description: tool.description, inputSchema: tool.input.jsonSchema }
}
