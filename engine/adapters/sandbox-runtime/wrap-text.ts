/** Puts a command into the line that the library wraps: unquoted by way of the environment, with folders of its own. */
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { type SandboxedStart, ToolFailure } from '../../ports/index.ts'
import { asIfIn } from './elsewhere.ts'
import type { Manager } from './library.ts'
import type { Policy } from './policy.ts'

/** Carries the command line past all shells that would have to quote it. */
export const scriptVariable = 'SLUICE_SANDBOXED_SCRIPT'

/** Made for one session; commands can write `temporary` only. */
export type Folders = {
  temporary: string
  /** Empty, for the library to be in: what it guards by its own list lies there and not in the workspace. */
  nowhere: string
  /** A file, set as git's `core.excludesFile`; undefined where git is to look at the person's own. */
  excludes: string | undefined
}

/** The policy in the library's words; a path is never a pattern. */
export function filesystemOf(policy: Policy) {
  const literally = (paths: readonly string[]) => paths.map((path) => ({ path, literal: true as const }))
  return {
    allowWrite: literally(policy.writable),
    denyWrite: literally(policy.unwritable),
    denyRead: literally(policy.unreadable),
    allowRead: literally(policy.readable),
  }
}

/** The line for `sh -c` that runs `argv` inside the walls. Rejects with a ToolFailure when they cannot be put up. */
export async function wrapText(
  manager: Manager,
  { argv, signal }: SandboxedStart,
  policy: Policy,
  folders: Folders,
  commandId: string,
): Promise<string> {
  // The last word comes by the environment and leaves it before anything else is started.
  const before = argv.slice(0, -1).map(quote).join(' ')
  const script = [
    `set -- "$${scriptVariable}"`,
    `unset ${scriptVariable}`,
    ...privateFolders(folders.temporary).map(([name, value]) => `export ${name}=${quote(value)}`),
    ...gitSetting('core.excludesFile', folders.excludes),
    `exec ${before} "$1"`,
  ].join('; ')
  try {
    const wrap = () =>
      manager.wrapWithSandbox(script, stageShell(argv[0]), { filesystem: filesystemOf(policy) }, signal, {
        commandId,
        commandText: argv.at(-1),
      })
    // Elsewhere its own list is made of rules that nobody sees.
    return await (process.platform === 'linux' ? asIfIn(folders.nowhere, wrap) : wrap())
  } catch (error) {
    if (signal.aborted) throw new ToolFailure('The command was not started: the call was aborted.', 'USER_ABORTED')
    const message = error instanceof Error ? error.message : String(error)
    throw new ToolFailure(`The sandbox could not be put around this command, so it was not run: ${message}`)
  }
}

/** Temporary files and caches go where they can be written; programs that insist on the home folder are refused there. */
function privateFolders(temporary: string): [string, string][] {
  return [
    ['TMPDIR', temporary],
    ['TMP', temporary],
    ['TEMP', temporary],
    ['XDG_CACHE_HOME', join(temporary, 'cache')],
    ['npm_config_cache', join(temporary, 'npm')],
  ]
}

/** Added to the pins that the command's environment brings, whose number is known inside only. */
function gitSetting(key: string, value: string | undefined): string[] {
  if (value === undefined) return []
  const count = `\${GIT_CONFIG_COUNT:-0}`
  return [
    `export "GIT_CONFIG_KEY_${count}"=${quote(key)} "GIT_CONFIG_VALUE_${count}"=${quote(value)}`,
    `export GIT_CONFIG_COUNT=$((${count} + 1))`,
  ]
}

/** The shell between the walls and the command: the system's own, which no command can have replaced. */
function stageShell(own: string | undefined): string {
  for (const shell of ['/bin/bash', '/usr/bin/bash']) {
    try {
      accessSync(shell, constants.X_OK)
      return shell
    } catch {
      // The next one.
    }
  }
  return own ?? 'bash'
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
