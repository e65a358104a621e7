/** Runs git on a repository of our own over somebody's folder, so that nothing in that folder can make it run anything. */
import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, realpathSync } from 'node:fs'
import { setPriority } from 'node:os'
import { delimiter, isAbsolute, join, sep } from 'node:path'

export type GitPlace = {
  /** Absolute path of the program. */
  program: string
  gitDir: string
  /** The top of the files, whose ignore rules count. */
  workTree: string
  /** In it; paths are relative to this. */
  cwd: string
  indexFile: string
}

/** `low`: nobody waits for it yet, so that it gives way to what somebody does wait for. */
export type GitRun = { stdin?: string | Uint8Array; signal: AbortSignal; mostBytes?: number; low?: boolean }

/** Why git did not do it; `aborted` when the time was up or the person went on. */
export class GitFailure extends Error {
  readonly aborted: boolean
  constructor(message: string, aborted: boolean) {
    super(message)
    this.name = 'GitFailure'
    this.aborted = aborted
  }
}

/** Its standard output. Rejects with a GitFailure. */
export function git(place: GitPlace, args: readonly string[], run: GitRun): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const what = args.find((word) => /^[a-z-]+$/.test(word) && word !== '-c') ?? ''
    if (run.signal.aborted) return reject(new GitFailure(`git ${what} was not started`, true))
    const child = spawn(place.program, [...args], {
      cwd: place.cwd,
      env: environment(place),
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    if (run.low && child.pid !== undefined) giveWay(child.pid)
    const parts: Buffer[] = []
    let bytes = 0
    let errors = ''
    let tooMuch = false
    const kill = () => void child.kill('SIGKILL')
    run.signal.addEventListener('abort', kill, { once: true })
    child.stdout.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes > (run.mostBytes ?? Number.POSITIVE_INFINITY)) {
        tooMuch = true
        kill()
      } else parts.push(part)
    })
    child.stderr.on('data', (part: Buffer) => {
      if (errors.length < 2000) errors += part.toString('utf8')
    })
    child.on('error', (error) => reject(new GitFailure(error.message, false)))
    child.on('close', (code) => {
      run.signal.removeEventListener('abort', kill)
      if (run.signal.aborted) reject(new GitFailure(`git ${what} took too long`, true))
      else if (tooMuch) reject(new GitFailure(`git ${what} gave too much output`, false))
      else if (code === 0) resolve(Buffer.concat(parts))
      else reject(new GitFailure(`git ${what} failed: ${errors.trim().split('\n')[0] ?? ''}`, false))
    })
    // A git that ends early closes its input; what it says about it counts.
    child.stdin.on('error', () => undefined)
    child.stdin.end(run.stdin ?? '')
  })
}

/** No more than this: a command may come to wait for it, and then it cannot be raised again. */
const someWay = 5

function giveWay(pid: number): void {
  try {
    setPriority(pid, someWay)
  } catch {
    // It has ended already, or the system does not let us.
  }
}

/** Where systems and their package managers put it: what PATH begins with may be anybody's. */
const systemFolders = [
  '/usr/bin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/opt/local/bin',
  '/run/current-system/sw/bin',
]

/** Default of `findGit`: the system's folders, then those of PATH. */
export function gitFolders(path: string | undefined): string {
  // Without its developer tools macOS has a git that only asks whether to install them.
  const stub = process.platform === 'darwin' && !developerTools.some((folder) => existsSync(folder))
  return [...systemFolders.filter((folder) => !stub || folder !== '/usr/bin'), path ?? ''].join(delimiter)
}

const developerTools = ['/Library/Developer/CommandLineTools', '/Applications/Xcode.app']

/** The first git in an absolute folder of `path` that does not lie in the workspace; undefined when there is none. */
export function findGit(path: string, workspace: string): string | undefined {
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue
    const file = join(folder, process.platform === 'win32' ? 'git.exe' : 'git')
    try {
      accessSync(file, constants.X_OK)
      const real = realpathSync(file)
      if (![file, real].some((one) => one.startsWith(workspace + sep))) return file
    } catch {
      // Not there, or not for us to run.
    }
  }
  return undefined
}

/** The pins once more, for a git that is too old to take them from its environment. */
export function configText(): string {
  const lines = [['core.repositoryformatversion', '0'], ['core.bare', 'false'], ...pins].map(
    ([key = '', value = '']) => {
      const [section, name] = key.split('.')
      return `[${section}]\n\t${name} = ${value}\n`
    },
  )
  return lines.join('')
}

/** Nothing of the person's own environment, system or home folder counts: no config, hook, filter, monitor or prompt. */
function environment({ gitDir, workTree, indexFile }: GitPlace): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {
    PATH: process.platform === 'win32' ? process.env.PATH : '/usr/bin:/bin',
    LC_ALL: 'C',
    HOME: gitDir,
    XDG_CONFIG_HOME: gitDir,
    GIT_DIR: gitDir,
    GIT_WORK_TREE: workTree,
    GIT_INDEX_FILE: indexFile,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: '',
    GIT_CONFIG_COUNT: `${pins.length}`,
  }
  pins.forEach(([key, value], i) => {
    env[`GIT_CONFIG_KEY_${i}`] = key
    env[`GIT_CONFIG_VALUE_${i}`] = value
  })
  return env
}

const pins: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['core.autocrlf', 'false'],
  ['core.safecrlf', 'false'],
  ['core.fileMode', 'true'],
  ['core.symlinks', 'true'],
  ['core.untrackedCache', 'false'],
  ['core.splitIndex', 'false'],
  ['core.sparseCheckout', 'false'],
  // Names that other systems cannot have are names here.
  ['core.protectNTFS', 'false'],
  ['core.protectHFS', 'false'],
  ['core.compression', '1'],
  ['core.fsync', 'none'],
  ['core.sharedRepository', '0600'],
  ['safe.bareRepository', 'explicit'],
  ['gc.auto', '0'],
  ['submodule.recurse', 'false'],
  ['commit.gpgSign', 'false'],
]
