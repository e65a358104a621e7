/** The transcript's finished items. */
import type { AgentEvent, Review, Rewound, ToolCall, ToolResult } from '@sluice/engine/protocol'
import { append, at, findBefore, type Log } from '../log.ts'
import { keepEnds, retainBlocks } from '../retain.ts'
import type { CallItem, Item, SessionView } from '../state.ts'

const reasoningChars = 32_000
const textChars = 400_000

/** `view` is the view before the event: its live calls lend a result their title and decision. */
export function settled(view: SessionView, event: AgentEvent): Log<Item> {
  const item = itemOf(view, event)
  if (item === null || saysNothing(item, at(view.settled, view.settled.length - 1))) return view.settled
  return append(view.settled, item)
}

/** Resumed once more without a word in between. */
function saysNothing(item: Item, last: Item | undefined): boolean {
  return (
    item.kind === 'session' && item.resumed && last?.kind === 'session' && last.resumed && last.model === item.model
  )
}

function itemOf(view: SessionView, event: AgentEvent): Item | null {
  const head = { id: `e${event.seq}`, at: Date.parse(event.time) }
  switch (event.type) {
    case 'session_start':
      if (event.forkedFrom !== undefined) {
        const text = `This is a fork: everything above was said in ${event.forkedFrom}, which stays as it is.`
        return { kind: 'notice', ...head, level: 'info', code: 'forked', text }
      }
      return { kind: 'session', ...head, model: event.model, resumed: event.resumed ?? false }
    case 'turn_start':
      return { kind: 'user', ...head, text: keepEnds(event.input, textChars), joined: false }
    case 'message': {
      const { message } = event
      if (message.role === 'user') {
        return { kind: 'user', ...head, text: keepEnds(message.content, textChars), joined: true }
      }
      const reasoning = keepEnds(message.reasoning ?? '', reasoningChars)
      if (message.content.trim() === '' && reasoning.trim() === '') return null
      const text = keepEnds(message.content, textChars)
      return { kind: 'assistant', ...head, text, reasoning, partial: event.partial ?? false }
    }
    case 'tool_result':
      return callItem(view, event)
    case 'reviewed': {
      const text = reviewText(event.review)
      return text === '' ? null : { kind: 'notice', ...head, level: 'info', code: 'reviewed', text }
    }
    case 'rewound': {
      const { rewound } = event
      const whole = rewound.cutOff === undefined && rewound.files.every(({ how }) => how !== 'failed')
      const level = whole ? 'info' : 'warn'
      return { kind: 'notice', ...head, level, code: 'rewound', text: rewoundText(rewound) }
    }
    case 'notice':
      return { kind: 'notice', ...head, level: event.level, code: event.code, text: keepEnds(event.text, textChars) }
    case 'error':
      return { kind: 'error', ...head, error: withoutDetails(event.error) }
    case 'compaction':
      return {
        kind: 'compaction',
        ...head,
        beforeTokens: event.beforeTokens,
        afterTokens: event.afterTokens,
        summary: keepEnds(event.summary, textChars),
      }
    case 'cleared':
      return { kind: 'cleared', ...head }
    case 'turn_end':
      return {
        kind: 'turn-end',
        ...head,
        reason: event.reason,
        durationMs: event.durationMs,
        replies: event.replies,
        calls: event.calls,
        tokens: view.turn?.tokens ?? 0,
        ...(event.processEnded ? { processEnded: true } : {}),
      }
    default:
      return null
  }
}

/** What a look at a change came to; '' where everything stayed as it was. */
function reviewText({ path, kept, reverted, change, message, undoes }: Review): string {
  if (change === null) return ''
  const all = kept.length + reverted.length
  const which = reverted.length === all ? 'all' : `${reverted.length} of ${all} hunks`
  const what =
    undoes === undefined ? `You took back ${which} of a change of ${path}` : `You put a change of ${path} back`
  return `${what} (+${change.additions} −${change.deletions}); the model hears of it with your next message.${message ? ` You said: ${keepEnds(message, 400)}` : ''}`
}

/** What a rewind did, and how it is undone. */
function rewoundText(rewound: Rewound): string {
  const { input, conversation, turns, files, kept, undoes, call, cutOff } = rewound
  const many = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`
  const done = files.filter(({ how }) => how !== 'failed').length
  const failed = files.filter(({ how }) => how === 'failed')
  const back =
    call === undefined
      ? `Back to before “${firstLine(input)}”`
      : `Undo of one call (${call.tool}: ${firstLine(call.title)})`
  const what = undoes === undefined ? back : 'The rewind was undone'
  const parts = [
    ...(conversation ? [`${many(turns, 'turn')} ${undoes === undefined ? 'left the conversation' : 'came back'}`] : []),
    ...(done > 0 ? [`${many(done, 'file')} restored`] : []),
    ...(kept.length > 0 ? [`${kept.length} kept as ${kept.length === 1 ? 'it is' : 'they are'}`] : []),
  ]
  const problems = failed.map(({ path, problem }) => `\n${path} could not be restored: ${problem ?? ''}`)
  if (cutOff !== undefined) return cutOffText(rewound, done, many)
  const undo = undoes === undefined && (conversation || done > 0) ? ' /rewind undo takes it back.' : ''
  return `${what}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}.${undo}${problems.join('')}`
}

/** The process ended in the middle of it. */
function cutOffText(
  { input, toTurnId, call, cutOff = 0 }: Rewound,
  done: number,
  many: (count: number, one: string) => string,
): string {
  const what =
    toTurnId === null
      ? 'Undoing a rewind'
      : call === undefined
        ? `A rewind to before “${firstLine(input)}”`
        : `Undoing one call (${call.tool}: ${firstLine(call.title)})`
  if (done === 0)
    return `${what} was cut off when sluice ended: no file was restored, and the conversation is as it was.`
  const rest = toTurnId === null ? '' : '; the same once more with /rewind does the rest'
  return `${what} was cut off when sluice ended: ${many(done, 'file')} restored, ${cutOff} not, and the conversation is as it was. /rewind undo takes it back${rest}.`
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}

function callItem(view: SessionView, event: AgentEvent & { type: 'tool_result' }): CallItem {
  const live = view.live?.calls.find((call) => call.callId === event.call.id)
  const { result } = event
  const decision = live?.decision ?? null
  return {
    kind: 'call',
    id: callKey(event.turnId, event.call),
    at: Date.parse(event.time),
    callId: event.call.id,
    name: event.call.name,
    title: live?.title ?? titleOf(event.call),
    toolKind: live?.toolKind ?? null,
    blocks: detached(retainBlocks(event.blocks.length > 0 ? event.blocks : failureBlocks(result))),
    decision,
    status: result.ok ? 'done' : decision?.type === 'deny' ? 'refused' : 'failed',
    summary: detached(keepEnds(result.summary, 400)),
    durationMs: numberOf(result.metadata.durationMs),
    exitCode: numberOf(result.metadata.exitCode),
    ...(isTyped(view, event.call) ? { typed: true } : {}),
  }
}

/** A result that another process supplied comes without its proposal: the call's own words name it. */
function titleOf({ input }: ToolCall): string {
  const { command, path } = (input ?? {}) as { command?: unknown; path?: unknown }
  const words = typeof command === 'string' ? command : typeof path === 'string' ? path : ''
  return words.split('\n', 1)[0]?.slice(0, 400) ?? ''
}

/** A command of the person has a turn of its own, without a reply, that begins with the line they typed. */
function isTyped({ settled, turn }: SessionView, call: ToolCall): boolean {
  if (call.name !== 'bash' || turn === null || turn.durationMs !== null || turn.replies > 0) return false
  const words = at(
    settled,
    findBefore(settled, settled.length, (item) => item.kind === 'user'),
  )
  return words?.kind === 'user' && words.text.startsWith('!')
}

/** The identity of a call on screen, the same before and after its result. */
export function callKey(turnId: string | null, call: ToolCall): string {
  return `${turnId ?? 'none'}/${call.id}`
}

/** A copy with strings of its own: a piece of a long output would keep the whole output in memory. */
function detached<T>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}

/** A failure that shows nothing else shows what the model was told. */
function failureBlocks(result: ToolResult): CallItem['blocks'] {
  return result.ok || result.content === '' ? [] : [{ type: 'error', text: result.content }]
}

function withoutDetails(error: (AgentEvent & { type: 'error' })['error']) {
  const { details: _, ...rest } = error
  return rest
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
