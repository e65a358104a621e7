/** A recorded event as the screen needs it: with long texts cut, so that a long session fits into memory twice. */
import type { AgentEvent, Block, ToolCall } from '@sluice/engine/protocol'
import { keepEnds, retainBlocks } from '../state/retain.ts'

const textChars = 400_000
const resultChars = 8_000

/** The same state on the screen as from the event itself. */
export function forScreen(event: AgentEvent): AgentEvent {
  switch (event.type) {
    case 'message': {
      const { message } = event
      if (message.content.length <= textChars && !('toolCalls' in message)) return event
      const words = { ...message, content: keepEnds(message.content, textChars) }
      if ('toolCalls' in words) delete words.toolCalls
      return { ...event, message: words }
    }
    case 'partial':
      // The screen waits for the whole reply, or for what is made of this when the session is gone on with.
      return {
        v: event.v,
        seq: event.seq,
        time: event.time,
        sessionId: event.sessionId,
        turnId: event.turnId,
        type: 'partial',
        text: '',
      }
    case 'tool_proposed':
      return { ...event, call: shown(event.call), blocks: kept(event.blocks) }
    case 'tool_start':
      return { ...event, call: shown(event.call) }
    case 'tool_result': {
      const { content, metadata, ...result } = event.result
      // Where nothing else is shown, the screen shows what the model was told.
      const text = event.blocks.length > 0 ? '' : keepEnds(content, resultChars)
      const { diff: _, ...facts } = metadata
      return {
        ...event,
        call: shown(event.call),
        result: { ...result, content: text, metadata: facts },
        blocks: kept(event.blocks),
      }
    }
    case 'approval_request':
      // A question of a former process is not shown: it is asked again, or over.
      return { ...event, request: { ...event.request, blocks: [], needs: [] } }
    default:
      return event
  }
}

function kept(blocks: Block[]): Block[] {
  const short = retainBlocks(blocks)
  return short === blocks ? blocks : [...short]
}

/** The screen may name a call by the command that it runs, or by its file. */
function shown({ id, name, input }: ToolCall): ToolCall {
  const { command, path } = (input ?? {}) as { command?: unknown; path?: unknown }
  return { id, name, input: { ...named('command', command), ...named('path', path) } }
}

function named(key: string, value: unknown): Record<string, string> {
  return typeof value === 'string' ? { [key]: value.length > 2000 ? copy(value.slice(0, 2000)) : value } : {}
}

/** With strings of its own: a piece of a long text would keep all of it in memory. */
function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}
