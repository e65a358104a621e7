/** From the name a person gives to a model adapter: which provider, which server, which key. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { scripts } from 'sluice:demo'
import { catalogue, findModel, firstModelFor } from '@sluice/engine/adapters/catalogue'
import { createOpenAiChat } from '@sluice/engine/adapters/openai-chat'
import { createScripted, parseScript } from '@sluice/engine/adapters/scripted'
import type { Clock, ModelAdapter } from '@sluice/engine/ports'
import { AgentError } from '@sluice/engine/protocol'
import { nearest } from '../cli/usage-error.ts'
import type { Config } from '../config.ts'

export const adapterNames = ['openai-chat', 'openai-responses', 'anthropic', 'scripted'] as const
export type AdapterName = (typeof adapterNames)[number]

export type ModelSettings = {
  env: NodeJS.ProcessEnv
  config: Config
  baseUrl?: string
  /** Typed in by the person, for this process alone. */
  apiKey?: string
  clock: Clock
  /** Where `scripted:./FILE.json` is looked up. */
  folder: string
}

/** What was found that a model could be reached with. */
export function findAccess(settings: ModelSettings): { openAiKey?: string; baseUrl?: string; anthropicKey: boolean } {
  const { env, config } = settings
  return {
    openAiKey: settings.apiKey ?? (env.OPENAI_API_KEY || undefined),
    baseUrl: settings.baseUrl ?? (env.OPENAI_BASE_URL || undefined) ?? config.baseUrl,
    anthropicKey: Boolean(env.ANTHROPIC_API_KEY),
  }
}

/** The name to start with, or undefined when nothing was named and nothing was found. */
export function defaultModelName(settings: ModelSettings, named: string | undefined): string | undefined {
  const wanted = named ?? (settings.env.SLUICE_MODEL || undefined) ?? settings.config.model
  if (wanted !== undefined) return wanted
  const access = findAccess(settings)
  if (access.openAiKey === undefined && access.baseUrl === undefined) return undefined
  return keyDefaultModel()
}

/** The model that an OpenAI key starts with when none was named. */
export function keyDefaultModel(): string {
  return firstModelFor('openai').id
}

/** `gpt-5.2` → openai-chat; `scripted:demo` → scripted; any other prefix belongs to the model's name. */
export function splitModelName(name: string): { adapter: AdapterName; model: string } {
  const at = name.indexOf(':')
  const prefix = adapterNames.find((adapter) => adapter === name.slice(0, at))
  return prefix ? { adapter: prefix, model: name.slice(at + 1) } : { adapter: 'openai-chat', model: name }
}

/** Throws AgentError with what to do when the model cannot be reached as things are. */
export function selectModel(name: string, settings: ModelSettings): ModelAdapter {
  const { adapter, model } = splitModelName(name)
  if (model === '')
    throw new AgentError('MODEL_NOT_FOUND', `"${name}" names no model.`, {
      hint: 'Write ADAPTER:MODEL, for example openai-chat:gpt-5.2.',
    })
  if (adapter === 'scripted') return scriptedModel(model, settings)
  if (adapter !== 'openai-chat') {
    throw new AgentError('MODEL_NOT_FOUND', `The adapter "${adapter}" is not in this version.`, {
      hint: 'Use openai-chat (any Chat Completions server, with --base-url) or scripted:demo.',
    })
  }
  const access = findAccess(settings)
  if (access.openAiKey === undefined && access.baseUrl === undefined) throw noAccess(settings)
  const known = findModel(model)
  const own = settings.config.models?.[model]
  return createOpenAiChat({
    model,
    baseUrl: access.baseUrl,
    apiKey: access.openAiKey,
    contextWindow: own?.contextWindow ?? known.contextWindow,
    maxOutputTokens: own?.maxOutputTokens ?? known.maxOutputTokens,
    price: own?.price ?? known.price,
  })
}

/** What was looked for and what to do, where no screen can ask. */
export function noAccess(settings: ModelSettings): AgentError {
  const anthropic = findAccess(settings).anthropicKey
    ? ' ANTHROPIC_API_KEY is set, but the anthropic adapter is not in this version.'
    : ''
  return new AgentError(
    'MODEL_AUTH_FAILED',
    `No model can be reached: OPENAI_API_KEY is not set and no base URL is given (--base-url, OPENAI_BASE_URL, or "baseUrl" in the config).${anthropic}`,
    {
      hint: 'Set OPENAI_API_KEY; or point --base-url at a server, e.g. http://localhost:11434/v1 with --model; or try it offline: sluice demo.',
    },
  )
}

/** Names to offer in `/model`. */
export function knownModels(): string[] {
  return catalogue.filter((model) => model.adapter === 'openai-chat').map((model) => model.id)
}

function scriptedModel(name: string, settings: ModelSettings): ModelAdapter {
  let text = scripts[name]
  if (name.endsWith('.json') || name.includes('/')) {
    const path = resolve(settings.folder, name)
    if (!existsSync(path))
      throw new AgentError('MODEL_NOT_FOUND', `There is no script file ${path}.`, {
        hint: 'Give the path of an existing .json script.',
      })
    text = readFileSync(path, 'utf8')
  }
  if (text === undefined) {
    const guess = nearest(name, Object.keys(scripts))
    throw new AgentError('MODEL_NOT_FOUND', `There is no built-in script "${name}".`, {
      hint: guess
        ? `Did you mean scripted:${guess}?`
        : `Built in are: ${Object.keys(scripts).join(', ')}; or give a file as scripted:./FILE.json.`,
    })
  }
  return createScripted({ name, script: parseScript(text, name), clock: settings.clock })
}
