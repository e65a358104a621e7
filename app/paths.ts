/** Where sluice keeps its files: one folder when SLUICE_HOME is set, else the XDG config and state folders. */
import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'

export type Paths = {
  home: string
  configFile: string
  instructionsFile: string
  sessionsDir: string
  costFile: string
  /** Which folders the person trusts. */
  trustFile: string
  /** One file of prompts per folder worked in. */
  historyFolder: string
}

/** Relative XDG values are ignored, as their specification says. */
export function findPaths(env: NodeJS.ProcessEnv = process.env): Paths {
  const home = canonical(env.HOME || homedir())
  const own = env.SLUICE_HOME ? resolve(env.SLUICE_HOME) : undefined
  const xdg = (value: string | undefined, fallback: string) =>
    join(value !== undefined && isAbsolute(value) ? value : join(home, fallback), 'sluice')
  const config = own ?? xdg(env.XDG_CONFIG_HOME, '.config')
  const state = own ?? xdg(env.XDG_STATE_HOME, join('.local', 'state'))
  return {
    home,
    configFile: join(config, 'config.jsonc'),
    instructionsFile: join(config, 'AGENTS.md'),
    sessionsDir: join(state, 'sessions'),
    costFile: join(state, 'cost.jsonl'),
    trustFile: join(state, 'trust.json'),
    historyFolder: join(state, 'history'),
  }
}

export type SessionFiles = { transcript: string; trace: string; audit: string; artifacts: string; checkpoints: string }

export function sessionFiles(paths: Paths, id: string): SessionFiles {
  const folder = join(paths.sessionsDir, id)
  return {
    transcript: join(folder, 'transcript.jsonl'),
    trace: join(folder, 'trace.jsonl'),
    audit: join(folder, 'audit.jsonl'),
    artifacts: join(folder, 'artifacts'),
    checkpoints: join(folder, 'checkpoints'),
  }
}

/** Rules compare canonical paths; a home that does not exist stays as it is called. */
function canonical(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
