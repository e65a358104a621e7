/** Commands that go on after their call: what they left running, until it has ended or the session has. */
import type { AgentEvent } from '@sluice/engine/protocol'
import type { BackgroundCommand, SessionView } from '../state.ts'
import { callKey } from './settled.ts'

const none: readonly BackgroundCommand[] = []

/** `view` is the view before the event: its live call lends the title. */
export function background(view: SessionView, event: AgentEvent): readonly BackgroundCommand[] {
  switch (event.type) {
    // Commands end with the process that started them.
    case 'session_start':
    case 'session_end':
      return view.background.length === 0 ? view.background : none
    case 'tool_result': {
      const pids = pidsOf(event.result.metadata.stillRunning)
      if (pids.length === 0) return view.background
      const live = view.live?.calls.find((call) => call.callId === event.call.id)
      const { command } = (event.call.input ?? {}) as { command?: unknown }
      const title = live?.title || (typeof command === 'string' ? command.slice(0, 400) : event.call.name)
      return [...view.background, { id: callKey(event.turnId, event.call), title, pids }]
    }
    default:
      return view.background
  }
}

/** Without the processes that have ended; the very same list when all of them still run. */
export function stillThere(
  commands: readonly BackgroundCommand[],
  ended: readonly number[],
): readonly BackgroundCommand[] {
  if (!commands.some((command) => command.pids.some((pid) => ended.includes(pid)))) return commands
  const left = commands.map((command) => ({ ...command, pids: command.pids.filter((pid) => !ended.includes(pid)) }))
  return left.filter((command) => command.pids.length > 0)
}

function pidsOf(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((pid) => Number.isInteger(pid) && pid > 0) : []
}
