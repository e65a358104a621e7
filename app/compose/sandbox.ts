/** The sandbox that the config asks for, and what is to be said where there is none. */
import { dirname } from 'node:path'
import { createSandbox } from '@sluice/engine/adapters/sandbox-runtime'
import type { RuleStore, Sandbox, StoredRule } from '@sluice/engine/ports'
import { UsageError } from '../cli/usage-error.ts'
import type { Config } from '../config.ts'
import { type Paths, sessionFiles } from '../paths.ts'

export type SandboxSetting = { config: Config; cwd: string; paths: Paths; id: string }

/** Undefined when commands are to run outside, which is the default. Nothing is loaded or started yet. */
export function configuredSandbox({ config, cwd, paths, id }: SandboxSetting): Sandbox | undefined {
  const mode = config.sandbox ?? 'off'
  if (mode === 'off') return undefined
  return createSandbox({
    required: mode === 'required',
    place: {
      cwd,
      home: paths.home,
      configFolder: dirname(paths.configFile),
      stateFolder: dirname(paths.sessionsDir),
    },
    // The model is told where the whole of a long output lies.
    readable: [sessionFiles(paths, id).artifacts],
    ripgrep: packagedRipgrep,
    env: process.env,
  })
}

/** Throws UsageError when a sandbox is required and there is none: for runs in which nobody could do anything about it. */
export async function refuseWithoutSandbox(sandbox: Sandbox | undefined): Promise<void> {
  if (!sandbox?.required) return
  const state = await sandbox.start()
  if (state.on) return
  await sandbox.close()
  throw new UsageError(
    `The config says "sandbox": "required", but there is no sandbox here: ${state.reason}.`,
    // A command to copy stands at the end of most.
    state.fix.endsWith('.')
      ? `${state.fix} Or set "sandbox" to "on" or "off".`
      : `${state.fix} (or set "sandbox" to "on" or "off")`,
  )
}

/** The rules, with one for each host that the config lets sandboxed commands reach; a deny rule still wins. */
export function withSandboxHosts(rules: RuleStore, { config, paths }: SandboxSetting): RuleStore {
  const hosts: StoredRule[] = (config.sandboxNetwork ?? []).map((host) => ({
    text: `bash(domain:${host})`,
    verdict: 'allow',
    scope: 'user',
    source: paths.configFile,
  }))
  if (hosts.length === 0) return rules
  return {
    rules: () => [...rules.rules(), ...hosts],
    allow: (text, scope) => rules.allow(text, scope),
  }
}

/** The ripgrep that comes with sluice; undefined where its package has none for this machine. */
export async function packagedRipgrep(): Promise<string | undefined> {
  try {
    const { existsSync } = await import('node:fs')
    const { rgPath } = await import('@vscode/ripgrep')
    return existsSync(rgPath) ? rgPath : undefined
  } catch {
    return undefined
  }
}
