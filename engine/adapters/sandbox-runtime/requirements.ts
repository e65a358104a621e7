/** What the sandbox needs of the machine, what is missing, and how to get it. */
import { accessSync, constants, readFileSync, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, sep } from 'node:path'

/** Programs by platform; ripgrep comes with sluice and is only missing where its package has none for the machine. */
export function neededPrograms(platform: NodeJS.Platform): readonly string[] {
  if (platform === 'linux') return ['bwrap', 'socat']
  return platform === 'darwin' ? ['sandbox-exec'] : []
}

/** Null where a sandbox can be had at all; else why not, and what to do. */
export function unsupported(platform: NodeJS.Platform): { reason: string; fix: string } | null {
  if (platform === 'linux' || platform === 'darwin') return null
  return {
    reason: `there is no sandbox for this system (${platform})`,
    fix: platform === 'win32' ? 'Run sluice inside WSL 2.' : 'Use Linux or macOS, or a container.',
  }
}

/**
 * The first executable of that name in an absolute folder of `path` that does not lie in one of `notIn`: what a sandboxed
 * command may have written must never be run outside. Undefined when there is none.
 */
export function locateProgram(name: string, path: string | undefined, notIn: readonly string[]): string | undefined {
  for (const folder of (path ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue
    const file = join(folder, name)
    try {
      accessSync(file, constants.X_OK)
      const real = realpathSync(file)
      if (![file, real].some((one) => notIn.some((root) => one === root || one.startsWith(root + sep)))) return file
    } catch {
      // Not there, or not for us to run.
    }
  }
  return undefined
}

/** The line that installs `programs` with the package manager found in `path`. */
export function installCommand(
  programs: readonly string[],
  path: string | undefined,
  root = isRoot(),
  platform: NodeJS.Platform = process.platform,
): string {
  const packages = [...new Set(programs.map((program) => packageNames[program] ?? program))].join(' ')
  const found = managers.find(([program]) => locateProgram(program, path, []) !== undefined)
  if (!found) {
    const likely = managers.filter(([program]) => (program === 'brew') === (platform === 'darwin'))
    return likely.map(([, command]) => `${command} ${packages}`).join(', or ')
  }
  const [program, command] = found
  return `${root || program === 'brew' ? '' : 'sudo '}${command} ${packages}`
}

/** Sentences about this machine where a sandbox is known to fail or to protect less; empty mostly. */
export function knownGaps(platform: NodeJS.Platform, root = isRoot()): string[] {
  const gaps: string[] = []
  if (platform === 'linux' && !root && restrictsNamespaces()) gaps.push(restrictedNamespaces)
  if (platform === 'linux' && root) {
    gaps.push(
      'You are root: the sandbox then needs the capability CAP_SETFCAP and protects less than it does for an ordinary user.',
    )
  }
  return gaps
}

/** Ubuntu from 24.04 on lets AppArmor take the rights of a new user namespace away. */
export const restrictedNamespaces =
  'AppArmor restricts user namespaces on this system (Ubuntu 24.04 and later do), which the sandbox is made of. ' +
  'Allow them with: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0'

export function restrictsNamespaces(): boolean {
  try {
    return readFileSync('/proc/sys/kernel/apparmor_restrict_unprivileged_userns', 'utf8').trim() === '1'
  } catch {
    return false
  }
}

function isRoot(): boolean {
  return process.geteuid?.() === 0
}

const packageNames: Record<string, string> = { bwrap: 'bubblewrap', rg: 'ripgrep' }

const managers: readonly (readonly [string, string])[] = [
  ['apt-get', 'apt-get install -y'],
  ['dnf', 'dnf install -y'],
  ['pacman', 'pacman -S --needed'],
  ['brew', 'brew install'],
]
