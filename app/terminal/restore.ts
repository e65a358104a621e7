/** Puts the terminal back whatever ends the process: a return, an exit, a crash or a signal. */
import { writeSync } from 'node:fs'
import { constants } from 'node:os'
import { restoreSequences } from './modes.ts'

export type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

export interface TerminalGuard {
  /**
   * From now on the terminal is ours. `leaveModes` switches off what is on besides Ink's modes, `unmount` is Ink's, so that it
   * does not draw again after the restore; `alternate` tells that the alternate screen is used.
   */
  arm(armed: { leaveModes(): void; unmount(): void; alternate: boolean }): void
  /** Puts the terminal back at once, synchronously. Later calls do nothing. */
  restore(): void
  /** Restores, says what happened on stderr, and exits with 1. */
  crash(error: unknown): never
  /** Ignores SIGINT until the returned function is called: another program owns the terminal, and Ctrl+C is meant for it. */
  holdInterrupts(): () => void
  /** Ends as a process does that did not catch `signal`; the terminal is restored first. */
  die(signal: EndingSignal): Promise<void>
  /** Restores and takes every hook out. */
  release(): void
}

export type GuardOptions = {
  /** Where the terminal is written to. Default 1. */
  fd?: number
  /** Puts the line discipline back (raw mode off). */
  cook(): void
  /** Runs after the restore and before the process dies by `signal`; at most `graceMs` long. */
  onSignal?(signal: EndingSignal): void | Promise<void>
  /** Text for stderr instead of the error's stack. */
  describe?(error: unknown): string
  graceMs?: number
}

/** Hooks exit, crashes and ending signals. Nothing is written unless the guard was armed. */
export function installTerminalGuard(options: GuardOptions): TerminalGuard {
  const fd = options.fd ?? 1
  let armed: Parameters<TerminalGuard['arm']>[0] | null = null
  let restored = false
  let held = 0
  let dying = false

  function restore(): void {
    if (restored) return
    restored = true
    if (armed !== null) {
      const { leaveModes, unmount, alternate } = armed
      attempt(leaveModes)
      if (alternate) writeAll(fd, restoreSequences.beforeUnmount)
      // Ink would otherwise unmount on exit, and paint a last frame over what was printed since.
      attempt(unmount)
      const { afterUnmount, alternateScreen, last } = restoreSequences
      writeAll(fd, afterUnmount + (alternate ? alternateScreen : '') + last)
    }
    attempt(options.cook)
  }

  function crash(error: unknown): never {
    restore()
    writeAll(2, `${options.describe?.(error) ?? stackOf(error)}\n`)
    process.exit(1)
  }

  async function die(signal: EndingSignal): Promise<void> {
    if (dying) return
    dying = true
    restore()
    const grace = new Promise<void>((resolve) => {
      setTimeout(resolve, options.graceMs ?? 3000).unref()
    })
    try {
      await Promise.race([options.onSignal?.(signal), grace])
    } catch (error) {
      writeAll(2, `${stackOf(error)}\n`)
    }
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    // The first process of a container does not die by its own signal.
    setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 200)
  }

  const onSignal = (signal: NodeJS.Signals) => {
    if (signal === 'SIGINT' && held > 0) return
    void die(signal as EndingSignal)
  }
  const signals: EndingSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, onSignal)
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
  process.on('exit', restore)

  return {
    arm(next) {
      armed = next
      restored = false
    },
    restore,
    crash,
    die,
    holdInterrupts() {
      held++
      let once = true
      return () => {
        if (once) held--
        once = false
      }
    },
    release() {
      restore()
      for (const signal of signals) process.off(signal, onSignal)
      process.off('uncaughtException', crash)
      process.off('unhandledRejection', crash)
      process.off('exit', restore)
    },
  }
}

/** Writes all of `data`; a terminal that is gone is no error. */
export function writeAll(fd: number, data: string): void {
  const bytes = Buffer.from(data)
  let done = 0
  for (let tries = 0; done < bytes.length && tries < 1000; tries++) {
    try {
      done += writeSync(fd, bytes, done)
    } catch (error) {
      // A terminal that others set to non-blocking can be full for a moment.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // The rest of the restore matters more.
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
