/** What every way of starting needs: config, folder, model, limits, and a session to go on with. */
import type { ResumedSession } from '@sluice/engine'
import type { SessionLock } from '@sluice/engine/adapters/session-lock'
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
import type { ChooseFolder } from './session-folder.ts'
import type { Stored } from './stored.ts'

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
  /** Of that session: it is this process's to write. */
  lock?: SessionLock
  warnings: string[]
}

/** `choose` asks a person where a session of another folder goes on; without it that is an error. */
export async function setUp(options: Options, choose?: ChooseFolder): Promise<Setup> {
  const paths = findPaths()
  const { config, warnings } = await loadConfig(paths.configFile)
  const here = findWorkspace(options.cwd ?? process.cwd())
  const wanted = wantedOf(options)
  const stored = wanted === undefined ? undefined : await storedNamed(wanted, paths, here)
  try {
    const folder = stored ? await folderOf(stored, here, options, choose) : { cwd: here }
    if (stored) warnings.push(...stored.warnings, ...(folder.warning === undefined ? [] : [folder.warning]))
    if (stored && options.resume !== undefined && wanted === '') warnings.push(await insteadOfList(stored, paths))
    return setupIn(folder.cwd, { paths, config, warnings, stored, options })
  } catch (error) {
    stored?.lock?.release()
    throw error
  }
}

async function folderOf(
  { id, resumed }: Stored,
  here: string,
  options: Options,
  choose: ChooseFolder | undefined,
): Promise<{ cwd: string; warning?: string }> {
  const { folderToGoOnIn } = await import('./session-folder.ts')
  return folderToGoOnIn({ id, cwd: resumed.cwd ?? here }, here, options.cwd !== undefined, choose)
}

type Read = Pick<Setup, 'paths' | 'config' | 'warnings'> & { stored: Stored | undefined; options: Options }

function setupIn(cwd: string, { paths, config, warnings, stored, options }: Read): Setup {
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
    lock: stored?.lock,
    warnings,
  }
}

/**
 * What is gone on with; '' is the last one of the folder, undefined a new session. A list that cannot be shown is not
 * answered by guessing: the words may be those of a shell variable that is empty.
 */
function wantedOf(options: Options): string | undefined {
  const named = options.resume?.trim()
  if (named === '' && options.command === 'print') {
    throw new UsageError(
      '--resume does not say which session, and without a screen there is no list to choose from.',
      'Write --resume ID, or --continue for the last one of this folder; sluice sessions list shows them.',
    )
  }
  return named ?? (options.continue ? '' : undefined)
}

/** Where lines take the place of a screen, `--resume` alone goes on with the last one, and says so. */
async function insteadOfList({ id }: Stored, paths: Paths): Promise<string> {
  const { shortTitle } = await import('./stored-ids.ts')
  const title = shortTitle(paths, id)
  return `This goes on with the last session of this folder, ${id}${title === '' ? '' : ` (${title})`}, since no list can be shown here. For another one: sluice --resume ID; sluice sessions list names them.`
}

async function storedNamed(wanted: string, paths: Paths, cwd: string): Promise<Stored> {
  const { findStored } = await import('./stored.ts')
  const id = wanted === '' ? '' : await (await import('./session-named.ts')).sessionNamed(wanted, paths)
  return findStored(id, paths, cwd)
}

/** For a further session in the same folder: everything but what belongs to the one that the setup was made for. */
export function anotherSetup(setup: Setup, options: Options): Setup {
  const mode = options.permissionMode ?? setup.config.permissionMode ?? 'default'
  const fresh = { resumed: undefined, stored: undefined, lock: undefined, warnings: [] }
  return { ...setup, id: systemClock.id('s'), mode, ...fresh }
}

/** What was permitted for one folder holds in no other: trust and allowed rules go, denials and limits stay. */
export function elsewhere(options: Options): Options {
  return { ...options, trust: false, allow: [] }
}

/**
 * For a stored session beside those that run: its own folder, or with `here` that of `setup`; its mode and model, with the
 * config and the keys of this process. Throws UsageError when it cannot be gone on with.
 */
export async function storedSetup(
  setup: Setup,
  options: Options,
  id: string,
  here: boolean,
): Promise<Setup & { model: ModelAdapter }> {
  const [{ findStored }, { folderToGoOnIn }] = await Promise.all([import('./stored.ts'), import('./session-folder.ts')])
  const stored = findStored(id, setup.paths, setup.cwd)
  const { resumed, lock } = stored
  try {
    const own = resumed.cwd ?? setup.cwd
    const folder = here
      ? await folderToGoOnIn({ id, cwd: own }, setup.cwd, true, undefined)
      : { cwd: findWorkspace(own) }
    const { model, warnings } = modelOf(resumed.model, setup, options)
    return {
      ...setup,
      cwd: folder.cwd,
      mode: resumed.mode ?? setup.config.permissionMode ?? 'default',
      model,
      id: stored.id,
      resumed,
      stored: stored.events,
      lock,
      warnings: [...stored.warnings, ...(folder.warning === undefined ? [] : [folder.warning]), ...warnings],
    }
  } catch (error) {
    lock?.release()
    throw error
  }
}

/** The model that a session had; where that cannot be had any more, the one of this process. */
function modelOf(had: string | undefined, setup: Setup, options: Options): { model: ModelAdapter; warnings: string[] } {
  const other = setup.model?.model ?? defaultModelName(setup.models, options.model)
  const name = had ?? other
  if (name === undefined) throw asUsageError(noAccess(setup.models))
  try {
    return { model: pick(name, setup.models), warnings: [] }
  } catch (error) {
    if (!(error instanceof UsageError) || other === undefined || other === name) throw error
    const warning = `It went on with ${name}, which cannot be had now (${error.message}), so it goes on with ${other}.`
    return { model: pick(other, setup.models), warnings: [warning] }
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
    secrets: secretsInUse(setup.models),
    allow: options.allow,
    deny: options.deny,
    maxTurns: options.maxTurns ?? config.maxTurns,
    maxCostUsd: options.maxCostUsd ?? config.maxCostUsd,
    timeoutMs: options.timeoutMs ?? (config.timeoutSeconds === undefined ? undefined : config.timeoutSeconds * 1000),
    resumed: setup.resumed,
    lock: setup.lock,
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
