/** Knows every process that commands have left running, and ends them: one call's, one session's or all of them. */
import { setTimeout as pause } from 'node:timers/promises'
import { findProcesses, findProcessesNow, type ProcessEntry } from './process-table.ts'

/** A command that was started; `leader` is its shell, which leads a process group of its own. */
export type TrackedCommand = {
  readonly callId: string
  readonly sessionId: string
  readonly command: string
  readonly leader: number
  /** Undefined once nobody is left in the group. */
  group: number | undefined
  known: ProcessEntry[]
}

const tracked = new Map<string, TrackedCommand>()

/** Enters a started command; `callId` is the mark in its environment. */
export function trackCommand(start: {
  callId: string
  sessionId: string
  command: string
  leader: number
}): TrackedCommand {
  const command: TrackedCommand = { ...start, group: start.leader, known: [] }
  tracked.set(command.callId, command)
  return command
}

/** What still runs of a command whose shell has ended. One of which nothing runs is forgotten. */
export async function stillRunning(command: TrackedCommand): Promise<ProcessEntry[]> {
  command.known = (await findProcesses(command)) ?? untold(command)
  if (!command.known.some((entry) => entry.group === command.group)) command.group = undefined
  if (command.known.length === 0) tracked.delete(command.callId)
  return command.known
}

/** Commands of which something may run, oldest first; of one session, or of all. */
export function trackedCommands(sessionId?: string): TrackedCommand[] {
  return [...tracked.values()].filter((command) => sessionId === undefined || command.sessionId === sessionId)
}

/**
 * Ends a command and everything that it started, also what left its process group: TERM, after `graceMs` KILL.
 * Resolves with what could not be ended, such as processes of another user.
 */
export async function endCommand(command: TrackedCommand, graceMs = 2_000): Promise<ProcessEntry[]> {
  let left = await stillRunning(command)
  send(command, left, 'SIGTERM')
  // A stopped process takes its TERM only when it goes on.
  send(command, left, 'SIGCONT')
  const deadline = performance.now() + graceMs
  for (let wait = 10; left.length > 0 && performance.now() < deadline; wait = Math.min(wait * 2, 100)) {
    await pause(wait)
    left = await stillRunning(command)
  }
  // More than once, since a process may have started another one while we looked.
  for (let round = 0; left.length > 0 && round < 10; round++) {
    send(command, left, 'SIGKILL')
    await pause(20)
    left = await stillRunning(command)
  }
  return left
}

/** Ends everything that the commands of a session, or of all sessions, have left running. Never rejects. */
export async function stopAllCommands(sessionId?: string): Promise<void> {
  await Promise.allSettled(trackedCommands(sessionId).map((command) => endCommand(command)))
}

/** KILLs everything at once and synchronously: for the `exit` event of this program, after which nothing runs. */
export function killAllNow(): void {
  for (const command of tracked.values()) {
    try {
      send(command, findProcessesNow(command) ?? untold(command), 'SIGKILL')
    } catch {
      // There is nobody left to tell.
    }
  }
  tracked.clear()
}

/** Without a table of processes the group can still be asked whether somebody is in it. */
function untold({ leader, group }: TrackedCommand): ProcessEntry[] {
  if (group === undefined || !sendTo(-group, 0)) return []
  return [{ pid: leader, parent: 0, group, started: '', name: 'process group' }]
}

/** The group gets the signal once as a whole, so that a program that counts signals gets one; strays get their own. */
function send(command: TrackedCommand, entries: readonly ProcessEntry[], signal: NodeJS.Signals): void {
  const grouped = entries.some((entry) => entry.group === command.group)
  if (grouped && command.group !== undefined) sendTo(-command.group, signal)
  for (const entry of entries) if (!grouped || entry.group !== command.group) sendTo(entry.pid, signal)
}

/** False when it has ended by itself or is not ours to end; the next look at the table tells which. */
function sendTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
