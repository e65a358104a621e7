/** A recorded session as the state to go on from: history, settings and what has to be repaired. */
import type { AgentEvent, EventBody, Message, PermissionMode, TodoItem, ToolCall } from '../protocol/index.ts'
import { isTypedCall, type TypedTurn, typedCommandMessage, typedTurnAfter } from './typed-command.ts'

export type ResumedSession = {
  /** History with every call answered. */
  history: Message[]
  lastSeq: number
  cwd?: string
  model?: string
  mode?: PermissionMode
  title?: string
  spentUsd: number
  todo: TodoItem[]
  /** Events that must be recorded first: results for calls that never got one, and the end of a turn that never ended. */
  repairs: { turnId: string | null; body: EventBody }[]
}

const lost =
  'Interrupted: the session ended before this call had a result. It may or may not have run; check before you repeat it.'

/** Folds durable events; unknown or odd records are skipped, never fatal. */
export function resumeSession(events: readonly AgentEvent[]): ResumedSession {
  const resumed: ResumedSession = { history: [], lastSeq: 0, spentUsd: 0, todo: [], repairs: [] }
  let open: { call: ToolCall; started: boolean }[] = []
  let typed: TypedTurn | null = null
  let turnId: string | null = null
  const answer = (call: ToolCall, content: string, ok: boolean, metadata?: Record<string, unknown>) => {
    if (isTypedCall(typed, call)) {
      // What came of it stands in place of the turn's words.
      if (resumed.history.at(-1)?.role === 'user') resumed.history.pop()
      resumed.history.push(typedCommandMessage(call, { content, metadata }))
      return
    }
    resumed.history.push({ role: 'tool', toolCallId: call.id, name: call.name, content, ok })
  }
  const closeOpen = (record: boolean) => {
    for (const { call, started } of open) {
      const content = started ? lost : 'Interrupted: the session ended before this call ran. It had no effect.'
      answer(call, content, false)
      if (!record) continue
      const result = {
        ok: false,
        summary: 'interrupted',
        content,
        metadata: { durationMs: 0, repaired: true },
        error: 'USER_ABORTED' as const,
      }
      resumed.repairs.push({
        turnId,
        body: { type: 'tool_result', call, result, blocks: [{ type: 'error', text: content }] },
      })
    }
    open = []
  }

  for (const event of events) {
    if (event.seq > resumed.lastSeq) resumed.lastSeq = event.seq
    switch (event.type) {
      case 'session_start':
        resumed.cwd = event.cwd
        resumed.model = event.model
        resumed.mode = event.mode
        if (event.title) resumed.title = event.title
        break
      case 'setting':
        if (event.model) resumed.model = event.model
        if (event.mode) resumed.mode = event.mode
        if (event.title) resumed.title = event.title
        break
      case 'turn_start':
        closeOpen(false)
        turnId = event.turnId
        resumed.history.push({ role: 'user', content: event.input })
        break
      case 'message':
        closeOpen(false)
        if (event.message.role === 'user' || event.message.content !== '' || event.message.toolCalls)
          resumed.history.push(event.message)
        if (event.message.role === 'assistant')
          open = (event.message.toolCalls ?? []).map((call) => ({ call, started: false }))
        break
      case 'tool_proposed':
        if (isTypedCall(typed, event.call)) open = [{ call: event.call, started: false }]
        break
      case 'tool_start':
        for (const entry of open) if (entry.call.id === event.call.id) entry.started = true
        break
      case 'tool_result': {
        const index = open.findIndex((entry) => entry.call.id === event.call.id)
        // A typed command that could not even be prepared was never proposed.
        if (index < 0 && !isTypedCall(typed, event.call)) break
        if (index >= 0) open.splice(index, 1)
        answer(event.call, event.result.content, event.result.ok, event.result.metadata)
        break
      }
      case 'usage':
        resumed.spentUsd += event.usage.costUsd ?? 0
        break
      case 'todo':
        resumed.todo = event.items
        break
      case 'cleared':
        resumed.history = []
        break
      case 'turn_end':
        closeOpen(false)
        turnId = null
        break
      default:
        break
    }
    typed = typedTurnAfter(typed, event)
  }
  closeOpen(true)
  if (turnId !== null) {
    resumed.repairs.push({
      turnId,
      body: { type: 'turn_end', reason: 'user_abort', durationMs: 0, replies: 0, calls: 0 },
    })
  }
  return resumed
}
