/** Which process a pid means: when it began, and in which space of pids on which machine. */
import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'

/** One of somebody else is there too. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * When a process began, in whatever words the system has for it; '' where it has none, or the process is gone. With
 * `evenEnded`, one that has just ended is told of too.
 */
export function startOf(pid: number, evenEnded = false): string {
  try {
    if (process.platform === 'linux') {
      // Field 22 is the twentieth behind the name.
      const [state, ...fields] = statFields(pid)
      return state === 'Z' && !evenEnded ? '' : `${bootId()} ${fields[18]}`
    }
    if (process.platform === 'win32') return ''
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', timeout: 2000 }).trim()
  } catch {
    return ''
  }
}

/** What `/proc/PID/stat` says behind the name of the program, which stands in brackets and may hold anything: state, parent, group, … */
export function statFields(pid: number | string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

let boot: string | undefined

/** Ticks count from the start of the machine. */
function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8)
  return boot
}

/** The pid namespace, in which alone a pid means something; '' where the system does not say. */
export function pidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}
