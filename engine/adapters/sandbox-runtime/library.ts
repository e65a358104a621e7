/** The library's one sandbox per process, shared by the sessions of this process: who uses it, and whom a host is asked from. */
import type { SandboxManager, SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime'
import type { HostAnswer } from '../../ports/index.ts'

export type Manager = typeof SandboxManager

/** A running command; `session` tells commands of one session from those of others. */
export type ActiveCommand = { session: object; askHost(host: string, port: number): Promise<HostAnswer> }

/** Running commands, oldest first. */
const active = new Set<ActiveCommand>()
let users = 0
/** Starting and stopping wait for each other. */
let turn: Promise<unknown> = Promise.resolve()

export function enter(command: ActiveCommand): void {
  active.add(command)
}

export function leave(command: ActiveCommand): void {
  active.delete(command)
}

/** Starts the library, or joins what runs; the first one's programs and observed paths count. Rejects with its reasons. */
export function openLibrary(config: SandboxRuntimeConfig): Promise<Manager> {
  return inTurn(async () => {
    const { SandboxManager: manager } = await import('@anthropic-ai/sandbox-runtime')
    if (users === 0) await manager.initialize(config, askActive, true)
    users++
    return manager
  })
}

/** Once for each `openLibrary` that succeeded; the last one stops everything. */
export function closeLibrary(manager: Manager): Promise<void> {
  return inTurn(async () => {
    users--
    if (users === 0) await manager.reset()
  })
}

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const done = turn.then(work)
  turn = done.catch(() => undefined)
  return done
}

/**
 * The library does not say which command wants to connect. Within a session the latest one is asked for; where commands of
 * several sessions run, every one of these sessions must agree.
 */
async function askActive({ host, port }: { host: string; port: number | undefined }) {
  const name = plainHost(host)
  if (name === null) return { allow: false as const, reason: 'that is no name or address of a host' }
  const latest = new Map<object, ActiveCommand>()
  for (const command of active) latest.set(command.session, command)
  if (latest.size === 0) return { allow: false as const, reason: 'no command is running that could be asked about' }
  const answers = await Promise.all([...latest.values()].map((command) => command.askHost(name, port ?? 443)))
  const refusal = answers.find((answer) => !answer.allow)
  return refusal && !refusal.allow ? refusal : true
}

/** The host as it is compared and shown: `2130706433` is `127.0.0.1`, letters outside ASCII become `xn--`; null for no host. */
export function plainHost(host: string): string | null {
  try {
    const address = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
    const hostname = new URL(`http://${address}/`).hostname.replace(/\.$/, '')
    return /[/?#@\\\s]/.test(host) || hostname === '' ? null : hostname
  } catch {
    return null
  }
}
