/** A command that the person types (`!command`): how its turn is told from others, and what the model hears of it. */
import type { AgentErrorCode, EventBody, ToolCall, UserMessage } from '../protocol/index.ts'

/** The tool that runs it. */
export const shellTool = 'bash'

/** The words of the turn that runs `command`; `isTypedCall` knows them again. */
export function typedInput(command: string): string {
  return `!${command}`
}

/** What of an open turn tells a typed command from a call of the model; `over` once a reply or the command's result is there. */
export type TypedTurn = { input: string; over: boolean }

/**
 * True for the call of such a turn: no reply asks for it. Words that begin with `!` may be a prompt too (`-p`); its calls
 * come after a reply.
 */
export function isTypedCall(turn: TypedTurn | null, call: ToolCall): boolean {
  return turn !== null && !turn.over && turn.input.startsWith('!') && call.name === shellTool
}

/** The turn after an event, for those who read a record; null outside turns. */
export function typedTurnAfter(turn: TypedTurn | null, event: EventBody): TypedTurn | null {
  if (event.type === 'turn_start') return { input: event.input, over: false }
  // Not at `session_start`: another process supplies the result that is missing.
  if (event.type === 'turn_end' || turn === null) return null
  if (event.type === 'message' || (event.type === 'tool_result' && isTypedCall(turn, event.call))) {
    return { ...turn, over: true }
  }
  return turn
}

/** What joins the history in place of the turn's words: the next reply knows what the person saw. */
export function typedCommandMessage(
  call: ToolCall,
  result: { content: string; metadata?: Record<string, unknown>; error?: AgentErrorCode },
): UserMessage {
  const command = (call.input as { command?: unknown } | null)?.command
  const shown = typeof command === 'string' ? quoted(command) : 'a command'
  const ran = result.metadata !== undefined && 'exitCode' in result.metadata
  return { role: 'user', content: `${ran ? 'I ran' : 'I wanted to run'} ${shown}:\n${result.content}` }
}

/** On a line of its own where backticks could not hold it. */
function quoted(command: string): string {
  return /[`\n]/.test(command) ? `this command\n${command}\nand this came of it` : `\`${command}\``
}
