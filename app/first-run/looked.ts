/** What was looked for before the first screen, and what was there. */
import { existsSync } from 'node:fs'

/** `found` says what is there; where it is null, `missing` says it in better words than "not set". */
export type Looked = { name: string; found: string | null; missing?: string }

/** In the order of how likely it is the thing that somebody forgot. Values of variables never leave this function. */
export function lookedFor(env: NodeJS.ProcessEnv, configFile: string, home: string): Looked[] {
  const variable = (name: string): Looked =>
    env[name] === '' ? { name, found: null, missing: 'set, but empty' } : { name, found: null }
  const file = configFile.startsWith(`${home}/`) ? `~${configFile.slice(home.length)}` : configFile
  return [
    variable('OPENAI_API_KEY'),
    variable('OPENAI_BASE_URL'),
    variable('SLUICE_MODEL'),
    existsSync(configFile)
      ? { name: 'config file', found: `${file} names no model and no base URL` }
      : { name: 'config file', found: null, missing: `no ${file}` },
    env.ANTHROPIC_API_KEY
      ? { name: 'ANTHROPIC_API_KEY', found: 'set, but the anthropic adapter is not in this version' }
      : variable('ANTHROPIC_API_KEY'),
  ]
}
