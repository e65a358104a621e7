/** Looks at everything on this machine that sluice needs or can use, and says what to do about what is missing. */
import { execFile } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { createSandbox, installCommand, knownGaps, locateProgram } from '@sluice/engine/adapters/sandbox-runtime'
import { UsageError } from '../cli/usage-error.ts'
import { type Config, loadConfig } from '../config.ts'
import type { Paths } from '../paths.ts'
import { readCapabilities, sizeOf } from '../terminal/capabilities.ts'
import { packagedRipgrep } from './sandbox.ts'

/** `missing`: sluice cannot work without it. `warn`: it works, with less. `fix` is one sentence or command. */
export type Check = { name: string; status: 'ok' | 'warn' | 'missing'; detail: string; fix?: string }

export type Machine = {
  env: NodeJS.ProcessEnv
  paths: Paths
  /** Canonical. */
  cwd: string
  stdin: { isTTY?: boolean }
  stdout: { isTTY?: boolean; columns?: number; rows?: number }
}

/** In the order in which a person would look. Never rejects; changes nothing but a temporary folder of its own. */
export async function inspectMachine(machine: Machine): Promise<Check[]> {
  const { env, paths } = machine
  const { check: config, settings } = await checkConfig(paths.configFile)
  const checks: Check[] = [
    checkNode(process.versions.node),
    config,
    checkFolder('config folder', dirname(paths.configFile), 'warn'),
    checkFolder('session folder', paths.sessionsDir, 'missing'),
    checkFolder('temporary folder', tmpdir(), 'missing'),
    await checkShell(env),
    await checkSearch(env),
    await checkProgram('git', env, 'Without it, commands that use git fail.'),
    checkTerminal(machine),
    checkModel(env, settings),
    await checkSandbox(machine, settings),
  ]
  const gaps = knownGaps(process.platform).map(
    (detail): Check => ({ name: 'sandbox, known gap', status: 'warn', detail }),
  )
  return [...checks, ...gaps]
}

/** The oldest Node whose sqlite can search. */
const oldestNode = [22, 16] as const

function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const needed = oldestNode.join('.')
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) {
    return { name: 'Node', status: 'ok', detail: version }
  }
  return { name: 'Node', status: 'missing', detail: version, fix: `Install Node ${needed} or newer.` }
}

async function checkConfig(file: string): Promise<{ check: Check; settings: Config }> {
  try {
    const { config, warnings } = await loadConfig(file)
    if (warnings.length > 0) {
      return { check: { name: 'config', status: 'warn', detail: warnings.join(' ') }, settings: config }
    }
    const found = statSync(file, { throwIfNoEntry: false }) !== undefined
    return { check: { name: 'config', status: 'ok', detail: found ? file : `none (${file})` }, settings: config }
  } catch (error) {
    const fix = error instanceof UsageError ? error.fix : ''
    const detail = error instanceof Error ? error.message : String(error)
    return { check: { name: 'config', status: 'missing', detail, ...(fix === '' ? {} : { fix }) }, settings: {} }
  }
}

/** A folder that is not there yet can be made where the nearest one above it can be written. */
function checkFolder(name: string, folder: string, otherwise: 'warn' | 'missing'): Check {
  for (let at = folder; ; at = dirname(at)) {
    try {
      const isFolder = statSync(at).isDirectory()
      if (!isFolder) return { name, status: otherwise, detail: `${at} is no folder`, fix: 'Move it away.' }
      accessSync(at, constants.W_OK | constants.X_OK)
      return { name, status: 'ok', detail: folder }
    } catch (error) {
      const absent = (error as NodeJS.ErrnoException).code === 'ENOENT'
      if (!absent || dirname(at) === at) {
        const why = (error as NodeJS.ErrnoException).code ?? String(error)
        return {
          name,
          status: otherwise,
          detail: `${folder} cannot be written (${why})`,
          fix: `Give yourself the right to write in ${at}, or set SLUICE_HOME to a folder of yours.`,
        }
      }
    }
  }
}

async function checkShell(env: NodeJS.ProcessEnv): Promise<Check> {
  const bash = locateProgram('bash', [env.PATH, '/bin', '/usr/bin'].filter(Boolean).join(':'), [])
  if (bash === undefined) {
    return {
      name: 'bash',
      status: 'missing',
      detail: 'not found',
      fix: `Install it: ${installCommand(['bash'], env.PATH)}`,
    }
  }
  return { name: 'bash', status: 'ok', detail: `${await versionOf(bash)} (${bash})` }
}

async function checkSearch(env: NodeJS.ProcessEnv): Promise<Check> {
  const packaged = await packagedRipgrep()
  const program = packaged ?? locateProgram('rg', env.PATH, [])
  if (program === undefined) {
    return {
      name: 'ripgrep',
      status: 'missing',
      detail: 'not found',
      fix: `Install it: ${installCommand(['rg'], env.PATH)}`,
    }
  }
  const origin = packaged === undefined ? program : 'comes with sluice'
  return { name: 'ripgrep', status: 'ok', detail: `${await versionOf(program)} (${origin})` }
}

async function checkProgram(name: string, env: NodeJS.ProcessEnv, loss: string): Promise<Check> {
  const program = locateProgram(name, env.PATH, [])
  if (program !== undefined) return { name, status: 'ok', detail: await versionOf(program) }
  return { name, status: 'warn', detail: `not found. ${loss}`, fix: `Install it: ${installCommand([name], env.PATH)}` }
}

function checkTerminal({ env, stdin, stdout }: Machine): Check {
  const name = 'terminal'
  if (!stdin.isTTY || !stdout.isTTY) {
    return { name, status: 'ok', detail: 'input or output is no terminal here, so this says nothing about yours' }
  }
  const able = readCapabilities(env, stdin, stdout)
  const { columns, rows } = sizeOf(stdout, env)
  const detail = [
    `${columns}×${rows}`,
    able.color ? 'colours' : 'no colours',
    able.unicode ? 'Unicode' : 'ASCII only',
    `TERM=${env.TERM ?? ''}`,
  ].join(', ')
  if (!able.fullScreen) {
    return {
      name,
      status: 'warn',
      detail,
      fix: 'This terminal cannot move its cursor (TERM=dumb); use sluice -p, or another terminal.',
    }
  }
  return { name, status: 'ok', detail }
}

/** Says what is set, never to what: a key does not belong on a screen. */
function checkModel(env: NodeJS.ProcessEnv, config: Config): Check {
  const set = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'].filter(
    (name) => env[name],
  )
  const found = [...set.map((name) => `${name} is set`), ...(config.baseUrl ? ['the config names a base URL'] : [])]
  if (found.length > 0) return { name: 'model', status: 'ok', detail: found.join(', ') }
  return {
    name: 'model',
    status: 'warn',
    detail: 'neither a key nor a base URL is set',
    fix: 'Set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own; sluice demo works without.',
  }
}

async function checkSandbox({ env, paths, cwd }: Machine, config: Config): Promise<Check> {
  const name = 'sandbox'
  const mode = config.sandbox ?? 'off'
  const sandbox = createSandbox({
    required: false,
    place: { cwd, home: paths.home, configFolder: dirname(paths.configFile), stateFolder: dirname(paths.sessionsDir) },
    readable: [],
    ripgrep: packagedRipgrep,
    env,
  })
  const state = await sandbox.start()
  await sandbox.close()
  if (state.on) {
    const hint = mode === 'off' ? '; commands run outside, since the config does not say "sandbox": "on"' : ''
    return { name, status: 'ok', detail: `works here; the config says "${mode}"${hint}` }
  }
  const detail = `there is none: ${state.reason}; the config says "${mode}"`
  return { name, status: mode === 'required' ? 'missing' : 'warn', detail, fix: state.fix }
}

/** What a program says of its version; an empty answer or none within seconds is no reason to fail. */
function versionOf(program: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      program,
      ['--version'],
      { timeout: 5_000, env: { PATH: process.env.PATH, LC_ALL: 'C' } },
      (_error, stdout) => {
        const line = stdout.split('\n', 1)[0] ?? ''
        resolve(/\d+(\.\d+)+/.exec(line)?.[0] ?? (line.trim() || 'of unknown version'))
      },
    )
  })
}
