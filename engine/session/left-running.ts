/** Commands that a former process of the session left running when it died: found again, and named. */
import { type AgentEvent, type CommandProcess, type EventBody, shorten, type ToolCall } from '../protocol/index.ts'

/** Something to know that goes into the record with the end of what was cut off. */
export type LeftNotice = Extract<EventBody, { type: 'notice' }>

/** Commands whose calls are over and that may go on: in the background, or since their process was killed. */
export function createLeftRunning() {
  const known = new Map<string, CommandProcess>()
  /** Of processes that died, and of the one whose records are being read: if that ends in order, it ends them. */
  const left = new Map<string, Left>()
  const own = new Map<string, Left>()
  return {
    see(event: AgentEvent) {
      switch (event.type) {
        case 'session_start':
          for (const [id, one] of own) left.set(id, one)
          own.clear()
          // Those of the session that a fork was made of are not its own.
          if (event.forkedFrom !== undefined) left.clear()
          break
        case 'session_end':
          own.clear()
          break
        case 'tool_process':
          known.set(event.callId, event.leader)
          break
        case 'tool_result': {
          const { call, result } = event
          const leader = known.get(call.id)
          known.delete(call.id)
          const { stillRunning, repaired } = result.metadata
          if (leader === undefined) break
          if (repaired === true) left.set(call.id, { call, leader })
          else if (Array.isArray(stillRunning) && stillRunning.length > 0) own.set(call.id, { call, leader })
        }
      }
    },
    notices(stillRuns: (leader: CommandProcess) => boolean): LeftNotice[] {
      return [...left.values(), ...own.values()].flatMap(({ call, leader }) =>
        stillRuns(leader) ? [leftNotice(call, leader)] : [],
      )
    },
  }
}

type Left = { call: ToolCall; leader: CommandProcess }

export function leftNotice(call: ToolCall, leader: CommandProcess): LeftNotice {
  const text = `${commandOf(call) ?? 'A command'} was left behind when the session's process ended: ${howToStop(leader)}.`
  return { type: 'notice', level: 'warn', code: 'left_running', text, details: { callId: call.id, pid: leader.pid } }
}

/** `its process 4711 still runs; …` */
export function howToStop({ pid, group }: CommandProcess): string {
  return `its process ${pid} still runs; \`kill -- -${group}\` stops it`
}

/** The first line of what a call runs, as code; null when it runs nothing. */
export function commandOf({ input }: ToolCall): string | null {
  const command = (input as { command?: unknown } | null)?.command
  if (typeof command !== 'string') return null
  const line = command.split('\n', 1)[0] ?? ''
  const short = shorten(line, 200)
  return `\`${short}${short === command ? '' : ' …'}\``
}
