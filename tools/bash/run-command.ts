/** Runs one command line in a bash of its own, with no terminal and no input, until it ends or has to be ended. */
import { randomUUID } from 'node:crypto'
import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type ArtifactStore,
  type CallSandbox,
  type SandboxedCommand,
  type SandboxRefusals,
  ToolFailure,
} from '@sluice/engine/ports'
import { commandEnvironment } from './environment.ts'
import type { ProcessEntry } from './process-table.ts'
import { endCommand, stillRunning, type TrackedCommand, trackCommand } from './processes.ts'
import { type Recorded, recorder } from './recorder.ts'

export type CommandStart = {
  command: string
  /** Canonical and existing. */
  cwd: string
  sessionId: string
  /** Milliseconds until the command is ended; no limit for one in the background. */
  timeoutMs: number
  background: boolean
  signal: AbortSignal
  artifacts: ArtifactStore
  /** Where the command must run, if not outside. */
  sandbox?: CallSandbox
  /** The shell runs, and leads a group of its own. */
  started?(pid: number): void
  /** Pieces of output, for the eye. Not called once the command is reported. */
  output(chunk: string): void
}

/** Why the call is over: the shell ended, its time was up, it was aborted, or it goes on in the background. */
export type EndedBy = 'exit' | 'timeout' | 'abort' | 'background'

export type CommandEnd = Recorded & {
  endedBy: EndedBy
  pid: number
  /** Of the shell; both null while it runs. */
  exitCode: number | null
  signal: NodeJS.Signals | null
  durationMs: number
  /** What goes on: the command itself in the background, what it left behind, or what could not be ended. */
  running: ProcessEntry[]
  /** Set when it ran in the sandbox. */
  sandbox?: SandboxRefusals
}

/** Resolves soon after the shell has ended, whoever still holds its pipes. Throws ToolFailure when nothing was started. */
export async function runCommand(start: CommandStart): Promise<CommandEnd> {
  const callId = randomUUID()
  const startedAt = performance.now()
  const limit = timeLimit(start)
  const launched = await launch(start, limit)
  const shell = await spawnShell(start, callId, launched).catch((error) => {
    launched.confined?.close()
    throw error
  })
  if (launched.confined) void shell.ended.then(launched.confined.close)
  const { sessionId } = start
  const command = trackCommand({ callId, sessionId, command: start.command, leader: shell.pid })
  start.started?.(shell.pid)
  const record = recorder(start.artifacts, start.output)
  const pipes = drain(shell, (source, bytes) => record.write(source, bytes))
  if (start.background) record.keepAll()

  let endedBy = await firstEnd(shell, start, limit)
  const survivors = endedBy === 'timeout' || endedBy === 'abort' ? await endCommand(command) : []
  // The shell may be among the survivors; then its end is not waited for.
  if (endedBy !== 'background' && survivors.length === 0) await shell.ended
  await pipes.quiet()
  if (endedBy === 'background' && shell.status().ended) endedBy = 'exit'
  const running = endedBy === 'exit' || endedBy === 'background' ? await leftovers(command, pipes) : survivors
  const durationMs = Math.round(performance.now() - startedAt)

  const goesOn = endedBy === 'background' || running.length > 0
  if (goesOn) leaveRunning(shell, command, pipes, record)
  const report = record.report()
  if (!goesOn) {
    pipes.close()
    record.close()
  }
  const { exitCode, signal } = shell.status()
  const end = { ...report, endedBy, pid: shell.pid, exitCode, signal, durationMs, running }
  if (!launched.confined) return end
  const sandbox = await launched.confined.refusals({ exitCode, output: report.text })
  // What goes on, or was ended by us, did not fail for what was refused.
  return { ...end, sandbox: endedBy === 'exit' ? sandbox : { ...sandbox, blocked: false } }
}

/** What stays; a child that is just ending, such as the last of a pipe, gets a moment to do so. */
async function leftovers(command: TrackedCommand, pipes: Pipes): Promise<ProcessEntry[]> {
  const running = await stillRunning(command)
  if (running.length === 0 || pipes.open()) return running
  await pause(50)
  return stillRunning(command)
}

/** How long a command in the background is watched for an early end. */
const backgroundWatch = 1_000

function firstEnd(shell: Shell, { signal }: CommandStart, limit: TimeLimit): Promise<EndedBy> {
  return new Promise((resolve) => {
    const settle = (by: EndedBy) => {
      limit.stop()
      signal.removeEventListener('abort', aborted)
      resolve(by)
    }
    const aborted = () => settle('abort')
    limit.start(settle)
    signal.addEventListener('abort', aborted, { once: true })
    if (signal.aborted) aborted()
    void shell.ended.then(() => settle('exit'))
  })
}

type TimeLimit = ReturnType<typeof timeLimit>

/** The time after which a command is over for us; it stands still while a person is asked something on its behalf. */
function timeLimit({ background, timeoutMs }: CommandStart) {
  const by: EndedBy = background ? 'background' : 'timeout'
  let left = background ? backgroundWatch : timeoutMs
  let reached: ((by: EndedBy) => void) | undefined
  let timer: NodeJS.Timeout | undefined
  let since = 0
  let questions = 0
  const run = () => {
    if (!reached || questions > 0) return
    since = performance.now()
    timer = setTimeout(reached, left, by)
  }
  const hold = () => {
    if (timer) left = Math.max(0, left - (performance.now() - since))
    clearTimeout(timer)
    timer = undefined
  }
  return {
    start(settle: (by: EndedBy) => void): void {
      reached = settle
      run()
    },
    stop(): void {
      hold()
      reached = undefined
    },
    waiting(open: boolean): void {
      questions += open ? 1 : -1
      if (open) hold()
      else if (!timer) run()
    },
  }
}

type Pipes = ReturnType<typeof drain>

/**
 * What goes on after the call writes on into the call's file: a server whose pipe is closed would die of its next word.
 * It does not keep this program alive.
 */
function leaveRunning(shell: Shell, command: TrackedCommand, pipes: Pipes, record: ReturnType<typeof recorder>): void {
  if (pipes.open()) record.keepAll()
  shell.release()
  void pipes.done.then(() => record.close())
  void Promise.all([pipes.done, shell.ended]).then(() => stillRunning(command))
}

type Stream = NodeJS.ReadableStream & { destroy(): unknown }

type Shell = {
  pid: number
  stdout: Stream
  stderr: Stream
  /** Resolves when the shell has ended; its children may go on. */
  ended: Promise<void>
  status(): { ended: boolean; exitCode: number | null; signal: NodeJS.Signals | null }
  /** Lets this program end while the shell or its pipes are open. */
  release(): void
}

type Launch = { argv: readonly string[]; env: Readonly<Record<string, string>>; confined?: SandboxedCommand }

/** What to spawn: bash itself, or what puts bash into the sandbox. */
async function launch({ command, cwd, signal, sandbox }: CommandStart, limit: TimeLimit): Promise<Launch> {
  const argv = [findBash(process.env.PATH), '--noprofile', '--norc', '-c', '--', command]
  if (!sandbox) return { argv, env: {} }
  const confined = await sandbox.wrap({ argv, cwd, signal, waiting: limit.waiting })
  return { argv: confined.argv, env: confined.env, confined }
}

async function spawnShell({ cwd }: CommandStart, callId: string, { argv, env }: Launch): Promise<Shell> {
  const { execa } = await import('execa')
  const [program = '', ...args] = argv
  const child = execa(program, args, {
    cwd,
    env: { ...commandEnvironment(process.env, cwd, callId), ...env },
    extendEnv: false,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    // A session of its own: no controlling terminal to ask questions at, and one group to signal.
    detached: true,
    cleanup: false,
    reject: false,
  })
  if (child.pid === undefined) {
    const { originalMessage, message } = await child
    throw new ToolFailure(`The command could not be started: ${originalMessage ?? message}`)
  }
  const { pid, stdout, stderr, nodeChildProcess } = child
  let status: ReturnType<Shell['status']> = { ended: false, exitCode: null, signal: null }
  const ended = new Promise<void>((resolve) => {
    nodeChildProcess.once('exit', (exitCode, signal) => {
      status = { ended: true, exitCode, signal }
      resolve()
    })
  })
  return {
    pid,
    stdout,
    stderr,
    ended,
    status: () => status,
    release: () => {
      nodeChildProcess.unref()
      for (const stream of [stdout, stderr]) if ('unref' in stream && typeof stream.unref === 'function') stream.unref()
    },
  }
}

/** How long the pipes must be silent after the shell's end, and how long that is waited for, in ms. */
const silence = 150
const longestDrain = 1_000

/** Reads both pipes to their end, however long that takes. */
function drain(shell: Shell, write: (source: 'stdout' | 'stderr', bytes: Uint8Array) => void) {
  let lastByte = performance.now()
  let open = 2
  let closed = false
  const done = new Promise<void>((resolve) => {
    for (const source of ['stdout', 'stderr'] as const) {
      shell[source].on('data', (bytes: Uint8Array) => {
        lastByte = performance.now()
        if (!closed) write(source, bytes)
      })
      // A pipe that breaks is one that has ended.
      shell[source].on('error', () => undefined)
      shell[source].on('close', () => {
        open--
        if (open === 0) resolve()
      })
    }
  })
  return {
    done,
    open: () => open > 0,
    /** Resolves when both pipes have ended, or nothing has come for a moment. */
    async quiet(): Promise<void> {
      const started = performance.now()
      while (open > 0 && performance.now() - started < longestDrain) {
        const left = Math.max(lastByte, started) + silence - performance.now()
        if (left <= 0) return
        await Promise.race([done, pause(left)])
      }
    },
    close(): void {
      closed = true
      shell.stdout.destroy()
      shell.stderr.destroy()
    },
  }
}

/** The first bash of an absolute folder of PATH, else the system's. */
function findBash(path: string | undefined): string {
  const folders = [...(path ?? '').split(delimiter).filter((folder) => isAbsolute(folder)), '/bin', '/usr/bin']
  const found = folders.map((folder) => join(folder, 'bash')).find(isExecutable)
  if (found === undefined) {
    throw new ToolFailure(
      'There is no bash on this machine (looked in PATH, /bin and /usr/bin). Install bash to run commands.',
    )
  }
  return found
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
