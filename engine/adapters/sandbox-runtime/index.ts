/** The sandbox on top of @anthropic-ai/sandbox-runtime: bubblewrap on Linux, seatbelt on macOS. Loads nothing until it is started. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isInside } from '../../permission/paths.ts'
import type { Guarded } from '../../permission/protected-paths.ts'
import {
  type Sandbox,
  type SandboxedCommand,
  type SandboxedStart,
  type SandboxState,
  ToolFailure,
} from '../../ports/index.ts'
import { writeGitExcludes } from './git-excludes.ts'
import { type ActiveCommand, closeLibrary, enter, leave, type Manager, openLibrary } from './library.ts'
import { currentPolicy, guardedAtTop } from './policy.ts'
import { describeRefusals } from './refusals.ts'
import {
  installCommand,
  locateProgram,
  neededPrograms,
  restrictedNamespaces,
  restrictsNamespaces,
  unsupported,
} from './requirements.ts'
import { takeNames } from './taken-names.ts'
import { filesystemOf, scriptVariable, wrapText } from './wrap-text.ts'

export { installCommand, knownGaps, locateProgram, neededPrograms, unsupported } from './requirements.ts'

export type SandboxOptions = {
  required: boolean
  /** Canonical; the folders are sluice's own. */
  place: Guarded
  /** Within sluice's own folders, what the model is told to read. */
  readable: readonly string[]
  /** Path of the ripgrep that sluice brings along, if it is there. */
  ripgrep(): Promise<string | undefined>
  /** Of this process. */
  env: Readonly<Record<string, string | undefined>>
}

/** Below `folder`, which is private, commands can write `temporary` and nothing else. */
type Running = { manager: Manager; folder: string; temporary: string; nowhere: string; ripgrep: string; git?: string }

export function createSandbox(options: SandboxOptions): Sandbox {
  const { place, env } = options
  const { platform } = process
  const session = {}
  let running: Running | undefined
  let state = stateFromOutside(options)
  let starting: Promise<SandboxState> | undefined

  async function start(): Promise<SandboxState> {
    if (!state.on) return state
    const search = (await options.ripgrep()) ?? locateProgram('rg', env.PATH, [place.cwd])
    if (search === undefined) {
      state = { on: false, ...notInstalled(['rg'], env.PATH) }
      return state
    }
    try {
      running = await open(options, search)
      const problem = await tryOut()
      if (problem === undefined) return state
      state = { on: false, ...problem }
    } catch (error) {
      state = { on: false, ...explainStart(error instanceof Error ? error.message : String(error)) }
    }
    await stop()
    return state
  }

  /** Runs the emptiest command there is; what goes wrong then would go wrong for every command. */
  async function tryOut(): Promise<{ reason: string; fix: string } | undefined> {
    const signal = AbortSignal.timeout(startLimit)
    const askHost = async () => ({ allow: false as const, reason: 'nothing was to be reached' })
    const command = await wrap({ argv: ['/bin/sh', '-c', 'exit 0'], cwd: place.cwd, signal, askHost })
    try {
      const { code, stderr } = await runQuietly(command, place.cwd, env, signal)
      if (code === 0) return undefined
      return explainStart(stderr.trim().split('\n')[0] || `a first command ended with ${code ?? 'a signal'}`)
    } finally {
      command.close()
    }
  }

  async function wrap(given: SandboxedStart): Promise<SandboxedCommand> {
    if (!running) throw new ToolFailure('The sandbox was not started, or is closed. The command was not run.')
    const { manager, folder, temporary, nowhere, ripgrep, git } = running
    const policy = await currentPolicy({
      place,
      temporary,
      ripgrep,
      platform,
      readable: options.readable,
      own: ownFolders(),
      signal: given.signal,
    })
    const before = guardedAtTop(place)
    const commandId = randomBytes(18).toString('base64url')
    const excludes = git === undefined || policy.shown.length === 0 ? undefined : join(folder, `excludes-${commandId}`)
    if (git !== undefined && excludes !== undefined) {
      await writeGitExcludes({ place, shown: policy.shown, unreadable: policy.unreadable, git, env, file: excludes })
    }
    const giveUpNames = takeNames(
      policy.shown.map((name) => join(place.cwd, name)),
      join(place.stateFolder ?? folder, 'taken-names'),
    )
    const wrapped = await wrapText(manager, given, policy, { temporary, nowhere, excludes }, commandId).catch(
      (error) => {
        giveUpNames()
        throw error
      },
    )
    const active: ActiveCommand = { session, askHost: given.askHost }
    enter(active)
    return {
      argv: ['/bin/sh', '-c', wrapped],
      env: { [scriptVariable]: given.argv.at(-1) ?? '' },
      async refusals(end) {
        // Observations come by another way than the output and may be some turns behind it.
        await pause(observationLag)
        const lines = manager
          .getSandboxViolationStore()
          .getViolationsForCommand(commandId)
          .map((violation) => violation.line)
        const held = [...policy.unwritable, ...policy.unreadable]
        // What keeps a name free may still be there, as may the folder that it lies in.
        const made = [...guardedAtTop(place)].filter(
          ([path]) => !before.has(path) && !held.some((one) => isInside(path, one)),
        )
        return {
          ...describeRefusals(lines, end, policy, place),
          ...(made.length > 0 ? { made: made.map(([path, reason]) => `${basename(path)} (${reason})`) } : {}),
        }
      },
      close() {
        leave(active)
        manager.cleanupAfterCommand()
        giveUpNames()
        if (excludes !== undefined) rmSync(excludes, { force: true })
      },
    }
  }

  async function stop(): Promise<void> {
    const was = running
    running = undefined
    if (!was) return
    try {
      await closeLibrary(was.manager)
      await rm(was.folder, { recursive: true, force: true })
    } catch {
      // Nobody can do anything about it any more, and the system empties its temporary folder by itself.
    }
  }

  return {
    required: options.required,
    state: () => state,
    start: () => {
      starting ??= start()
      return starting
    },
    wrap,
    async close() {
      await starting
      await stop()
    },
  }
}

/** Where clouds hand out credentials to whoever asks from the machine; no rule and no mode opens them. */
const metadataHosts = [
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '[fd00:ec2::254]',
  'metadata.google.internal',
]

/** How long the first command may take, in ms; it takes 50. */
const startLimit = 20_000
const observationLag = 25

function stateFromOutside({ place, env }: SandboxOptions): SandboxState {
  const never = unsupported(process.platform)
  if (never) return { on: false, ...never }
  const missing = neededPrograms(process.platform).filter((name) => !locateProgram(name, env.PATH, [place.cwd]))
  return missing.length === 0 ? { on: true } : { on: false, ...notInstalled(missing, env.PATH) }
}

function notInstalled(missing: readonly string[], path: string | undefined): { reason: string; fix: string } {
  const are = missing.length === 1 ? 'is' : 'are'
  return {
    reason: `${missing.map((name) => names[name] ?? name).join(' and ')} ${are} not installed`,
    fix: `Install ${missing.length === 1 ? 'it' : 'them'}: ${installCommand(missing, path)}`,
  }
}

const names: Record<string, string> = { bwrap: 'bubblewrap (bwrap)', rg: 'ripgrep (rg)' }

async function open({ place, env, readable }: SandboxOptions, ripgrep: string): Promise<Running> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-')))
  const [temporary, nowhere] = [join(folder, 'tmp'), join(folder, 'nowhere')]
  const located = (name: string) => locateProgram(name, env.PATH, [place.cwd, folder])
  try {
    for (const made of [temporary, nowhere]) mkdirSync(made, { mode: 0o700 })
    const signal = AbortSignal.timeout(startLimit)
    const policy = await currentPolicy({
      place,
      temporary,
      readable,
      own: ownFolders(),
      ripgrep,
      platform: process.platform,
      signal,
    })
    const manager = await openLibrary({
      // Every other host is asked for: rules decide, and rules may change while a session runs.
      network: {
        allowedDomains: [],
        deniedDomains: metadataHosts,
        deniedDomainReasons: Object.fromEntries(
          metadataHosts.map((host) => [host, 'it hands out credentials of this machine']),
        ),
      },
      filesystem: filesystemOf(policy),
      ripgrep: { command: ripgrep },
      bwrapPath: located('bwrap'),
      socatPath: located('socat'),
    })
    const git = located('git')
    return { manager, folder, temporary, nowhere, ripgrep, ...(git === undefined ? {} : { git }) }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** Where this program and the library lie, which may be the very workspace or its `node_modules`. */
function ownFolders(): string[] {
  try {
    const library = createRequire(import.meta.url).resolve('@anthropic-ai/sandbox-runtime')
    return [import.meta.dirname, dirname(dirname(realpathSync(library)))]
  } catch {
    return [import.meta.dirname]
  }
}

/** What kept the sandbox from starting, and what helps against it. */
function explainStart(message: string): { reason: string; fix: string } {
  const reason = `it does not start here: ${message}`
  if (restrictsNamespaces()) return { reason, fix: restrictedNamespaces }
  if (/setfcap|uid map|uid_map/i.test(message)) {
    return { reason, fix: 'Run sluice as an ordinary user, or give root the capability CAP_SETFCAP.' }
  }
  if (/namespace|operation not permitted|clone|unshare/i.test(message)) {
    return {
      reason,
      fix: 'User namespaces are not permitted here; in a container, allow them (for Docker: --security-opt seccomp=unconfined).',
    }
  }
  return { reason, fix: 'sluice doctor tells more.' }
}

function runQuietly(
  command: SandboxedCommand,
  cwd: string,
  env: SandboxOptions['env'],
  signal: AbortSignal,
): Promise<{ code: number | null; stderr: string }> {
  const [program = '', ...args] = command.argv
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { PATH: env.PATH, ...command.env },
      stdio: ['ignore', 'ignore', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    })
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stderr }))
  })
}
