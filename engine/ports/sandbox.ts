/** The sandbox: runs a command so that it reads, writes and reaches only what it may. */

/** `reason` says why there is none and `fix` what to do about it: sentences for people, set when `on` is false. */
export type SandboxState = { on: true } | { on: false; reason: string; fix: string }

export type HostAnswer = { allow: true } | { allow: false; reason: string }

export type SandboxedStart = {
  /** Program (absolute path) and arguments; the last one may be as long as a command line may be. */
  argv: readonly string[]
  /** Canonical; where it will be spawned. */
  cwd: string
  signal: AbortSignal
  /** Called whenever the command wants to reach a host; never rejects. The connection waits for the answer. */
  askHost(host: string, port: number): Promise<HostAnswer>
}

/**
 * `refused` has one clause for each thing that was refused; `blocked` means that the command seems to have failed for it.
 * `made` names files that other programs obey and that came into being, with the reason in brackets; not set without any.
 */
export type SandboxRefusals = { refused: string[]; blocked: boolean; made?: string[] }

export type SandboxedCommand = {
  /** To be spawned instead, without a shell, in the folder and environment that the command would have had. */
  argv: readonly string[]
  /** Set over that environment. */
  env: Readonly<Record<string, string>>
  /** What was refused until now; `output` is what the command printed. */
  refusals(end: { exitCode: number | null; output: string }): Promise<SandboxRefusals>
  /** Must be called exactly once, when the command has ended or was never started. */
  close(): void
}

export interface Sandbox {
  /** True: no command may run outside. False: commands run outside, and people are told so, where there is no sandbox. */
  readonly required: boolean
  /** What is known now; before `start` only what shows from outside. */
  state(): SandboxState
  /** Makes ready and tries it out, once; later calls give the same answer. Never rejects. */
  start(): Promise<SandboxState>
  /** Only after a `start` that gave `on`. Rejects with a ToolFailure when this command cannot be confined: it must not run then. */
  wrap(start: SandboxedStart): Promise<SandboxedCommand>
  /** Ends what serves the sandbox and removes its temporary folder. Never rejects. */
  close(): Promise<void>
}

/** The sandbox of one call: hosts are asked for by the executor. */
export interface CallSandbox {
  /** `waiting` is called with true while a person is asked about a host, for commands that are timed. */
  wrap(
    start: Pick<SandboxedStart, 'argv' | 'cwd' | 'signal'> & { waiting?(open: boolean): void },
  ): Promise<SandboxedCommand>
}
