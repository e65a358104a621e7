/** What every way of starting needs: config, folder, model, limits, and a session to go on with. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type ResumedSession, resumeSession } from '@sluice/engine'
import { systemClock } from '@sluice/engine/adapters/system'
import { readTranscript } from '@sluice/engine/adapters/transcript-jsonl'
import type { ModelAdapter } from '@sluice/engine/ports'
import { AgentError, type AgentEvent, type PermissionMode } from '@sluice/engine/protocol'
import type { Options } from '../cli/args.ts'
import { UsageError } from '../cli/usage-error.ts'
import { type Config, loadConfig } from '../config.ts'
import { findPaths, type Paths, sessionFiles } from '../paths.ts'
import { findWorkspace } from '../workspace.ts'
import { defaultModelName, type ModelSettings, noAccess, selectModel } from './models.ts'
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
  const stored = findStored(options, paths, cwd)
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

type Stored = { id: string; events: AgentEvent[]; resumed: ResumedSession; warnings: string[] }

function findStored(options: Options, paths: Paths, cwd: string): Stored | undefined {
  if (!options.continue && options.resume === undefined) return undefined
  const ids = storedIds(paths)
  const wanted = options.resume ?? ''
  if (wanted !== '') {
    const matches = ids.includes(wanted) ? [wanted] : ids.filter((id) => id.startsWith(wanted))
    if (matches.length === 1 && matches[0] !== undefined) return load(matches[0], paths)
    throw new UsageError(
      matches.length === 0
        ? `There is no session "${wanted}".`
        : `"${wanted}" fits ${matches.length} sessions: ${matches.slice(0, 5).join(', ')}.`,
      `Sessions are kept in ${paths.sessionsDir}.`,
    )
  }
  for (const id of ids) {
    const stored = load(id, paths)
    if (stored.resumed.cwd === cwd) return stored
  }
  throw new UsageError(`There is no earlier session in ${cwd}.`, 'Start a new one without --continue or --resume.')
}

/** Ids of stored sessions, last written first. */
function storedIds(paths: Paths): string[] {
  if (!existsSync(paths.sessionsDir)) return []
  return readdirSync(paths.sessionsDir)
    .map((id) => ({ id, file: sessionFiles(paths, id).transcript }))
    .filter(({ file }) => existsSync(file))
    .map(({ id, file }) => ({ id, changed: statSync(file).mtimeMs }))
    .sort((a, b) => b.changed - a.changed)
    .map(({ id }) => id)
}

function load(id: string, paths: Paths): Stored {
  const { events, badLines, tornTail } = readTranscript(sessionFiles(paths, id).transcript)
  const warnings: string[] = []
  if (badLines > 0)
    warnings.push(
      `${badLines} damaged lines of the transcript of ${id} were skipped; their bytes are still in ${join(paths.sessionsDir, id)}.`,
    )
  if (tornTail) warnings.push(`The last record of ${id} was cut off and is lost.`)
  return { id, events, resumed: resumeSession(events), warnings }
}
