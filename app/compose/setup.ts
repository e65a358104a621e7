/** What every way of starting needs: config, folder, model, limits, and a session to go on with. */
import type { ResumedSession } from '@sluice/engine'
import { systemClock } from '@sluice/engine/adapters/system'
import type { ModelAdapter } from '@sluice/engine/ports'
import { AgentError, type AgentEvent, type PermissionMode } from '@sluice/engine/protocol'
import type { Options } from '../cli/args.ts'
import { UsageError } from '../cli/usage-error.ts'
import { type Config, loadConfig } from '../config.ts'
import { findPaths, type Paths } from '../paths.ts'
import { findWorkspace } from '../workspace.ts'
import { defaultModelName, type ModelSettings, noAccess, selectModel } from './models.ts'
import { secretsInUse } from './secrets.ts'
import type { ComposeOptions } from './session.ts'

export type Setup = {
  paths: Paths
  config: Config
  cwd: string
  mode: PermissionMode
  models: ModelSettings
  /** Undefined when nothing was named and nothing was found. */
  model: ModelAdapter | undefined
  id: string
  resumed?: ResumedSession
  /** The recorded events of that session, for the screen. */
  stored?: AgentEvent[]
  warnings: string[]
}

export async function setUp(options: Options): Promise<Setup> {
  const paths = findPaths()
  const { config, warnings } = await loadConfig(paths.configFile)
  const cwd = findWorkspace(options.cwd ?? process.cwd())
  const wanted = options.resume ?? (options.continue ? '' : undefined)
  const stored = wanted === undefined ? undefined : (await import('./stored.ts')).findStored(wanted, paths, cwd)
  if (stored) {
    if (stored.resumed.cwd !== undefined && stored.resumed.cwd !== cwd) {
      throw new UsageError(
        `The session ${stored.id} belongs to ${stored.resumed.cwd}, not to ${cwd}.`,
        `Go there, or add --cwd ${JSON.stringify(stored.resumed.cwd)}.`,
      )
    }
    warnings.push(...stored.warnings)
  }
  const models: ModelSettings = {
    env: process.env,
    config,
    baseUrl: options.baseUrl,
    clock: systemClock,
    folder: process.cwd(),
  }
  const name = defaultModelName(models, options.model ?? stored?.resumed.model)
  return {
    paths,
    config,
    cwd,
    mode: options.permissionMode ?? stored?.resumed.mode ?? config.permissionMode ?? 'default',
    models,
    model: name === undefined ? undefined : pick(name, models),
    id: stored?.id ?? systemClock.id('s'),
    resumed: stored?.resumed,
    stored: stored?.events,
    warnings,
  }
}

/** For a further session in the same folder: everything but what belongs to the one that the setup was made for. */
export function anotherSetup(setup: Setup, options: Options): Setup {
  const mode = options.permissionMode ?? setup.config.permissionMode ?? 'default'
  return { ...setup, id: systemClock.id('s'), mode, resumed: undefined, stored: undefined, warnings: [] }
}

/** The part of ComposeOptions that setup and command line decide. */
export function composeOptions(
  setup: Setup,
  options: Options,
  model: ModelAdapter,
): Omit<ComposeOptions, 'onEvent' | 'onProblem' | 'unattended'> {
  const { config } = setup
  return {
    id: setup.id,
    cwd: setup.cwd,
    paths: setup.paths,
    config,
    model,
    selectModel: (name) => selectModel(name, setup.models),
    mode: setup.mode,
    trusted: options.trust,
    secrets: secretsInUse(setup.models),
    allow: options.allow,
    deny: options.deny,
    maxTurns: options.maxTurns ?? config.maxTurns,
    maxCostUsd: options.maxCostUsd ?? config.maxCostUsd,
    timeoutMs: options.timeoutMs ?? (config.timeoutSeconds === undefined ? undefined : config.timeoutSeconds * 1000),
    resumed: setup.resumed,
  }
}

/** For ways of starting that cannot go on without a model. */
export function requireModel(setup: Setup): ModelAdapter {
  if (setup.model) return setup.model
  throw asUsageError(noAccess(setup.models))
}

function pick(name: string, models: ModelSettings): ModelAdapter {
  try {
    return selectModel(name, models)
  } catch (error) {
    if (error instanceof AgentError) throw asUsageError(error)
    throw error
  }
}

function asUsageError(error: AgentError): UsageError {
  return new UsageError(error.message, error.hint ?? '')
}
