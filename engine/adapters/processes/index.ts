/** Names the processes of commands for the record, and finds them again when another process goes on with the session. */
import { readdirSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Processes } from '../../ports/index.ts'
import type { CommandProcess } from '../../protocol/index.ts'
import { isAlive, pidSpace, startOf, statFields } from '../process-identity.ts'

export const systemProcesses: Processes = {
  identify(pid) {
    if (!isAlive(pid)) return null
    return { pid, group: pid, started: startOf(pid, true), host: hostname(), space: pidSpace() }
  },
}

/**
 * Whether the process, or anything in the group that it led, still runs. False where that cannot be told: on another
 * machine, in another space of pids, or when the pid is another process's by now.
 */
export function stillRuns({ pid, group, started, host, space }: CommandProcess): boolean {
  if (host !== hostname() || space !== pidSpace() || started === '') return false
  const now = startOf(pid)
  if (now !== '') return now === started
  return isGroup(group) && !startedBefore(started)
}

/** As long as somebody is in a group, its number is not given to another process. */
function isGroup(group: number): boolean {
  if (!Number.isSafeInteger(group) || group <= 1) return false
  if (process.platform !== 'linux') return isAlive(-group)
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const [state, , groupOf] = statFields(pid)
      return Number(groupOf) === group && state !== 'Z' && state !== 'X'
    } catch {
      return false
    }
  })
}

/** Before this machine was started: then the group is of another time. */
function startedBefore(started: string): boolean {
  if (process.platform !== 'linux') return false
  const boot = (words: string) => words.split(' ')[0]
  return boot(started) !== boot(startOf(process.pid))
}
