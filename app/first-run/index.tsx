/** Begins without a model: shows the first screen, and turns what was chosen into what a session starts with. */
import type { ModelAdapter } from '@sluice/engine/ports'
import { useWindowSize } from 'ink'
import type { ReactNode } from 'react'
import type { Options } from '../cli/args.ts'
import { keyDefaultModel, selectModel, splitModelName } from '../compose/models.ts'
import { requireModel, type Setup, setUp } from '../compose/setup.ts'
import { FirstRun, type FirstRunProps } from './FirstRun.tsx'
import type { FirstRunChoice } from './first-run-state.ts'
import { lookedFor } from './looked.ts'
import { listModels, probeServers } from './model-list.ts'

/** What a session begins with. */
export type Beginning = { options: Options; setup: Setup; model: ModelAdapter; prompt?: string; notice?: string }

/**
 * Resolves with what to begin with once the person has chosen, or with null when they leave. Keys and addresses are handed
 * on by value: neither the environment nor a file learns of them. `show` puts an element on the screen, below a KeyProvider and a theme.
 */
export async function chooseModel(world: {
  options: Options
  setup: Setup
  show(element: ReactNode): void
  /** Resolves when the screen is gone. */
  left: Promise<void>
}): Promise<Beginning | null> {
  const { options, setup, show } = world
  const over = new AbortController()
  const chosen = Promise.withResolvers<FirstRunChoice>()
  show(
    <FullScreen
      looked={lookedFor(setup.models.env, setup.paths.configFile, setup.paths.home)}
      keyModel={keyDefaultModel()}
      probe={() => probeServers(over.signal)}
      listModels={listModels}
      onChoose={chosen.resolve}
    />,
  )
  try {
    const choice = await Promise.race([chosen.promise, world.left.then((): FirstRunChoice => ({ type: 'quit' }))])
    return await beginWith(choice, options, setup)
  } finally {
    over.abort()
  }
}

/** Null for `quit`. */
export async function beginWith(choice: FirstRunChoice, options: Options, setup: Setup): Promise<Beginning | null> {
  switch (choice.type) {
    case 'quit':
      return null
    case 'demo': {
      const { createDemoWorkspace, demoNotice, demoOptions, demoPrompt } = await import('../cli/demo.ts')
      const folder = createDemoWorkspace()
      const demo = demoOptions(options, folder)
      const own = await setUp(demo)
      return { options: demo, setup: own, model: requireModel(own), prompt: demoPrompt, notice: demoNotice(folder) }
    }
    case 'key': {
      const notice =
        'Your key is used for this run and kept nowhere. To keep it, add this to your shell profile: export OPENAI_API_KEY=…'
      return { options, ...withModel(setup, keyDefaultModel(), { apiKey: choice.apiKey }), notice }
    }
    case 'server': {
      const { baseUrl, apiKey } = choice
      const access = apiKey === undefined ? { baseUrl } : { baseUrl, apiKey }
      const key = apiKey === undefined ? '' : 'OPENAI_API_KEY=… '
      // The name is the server's, also where it begins like one of our adapters.
      const name = splitModelName(choice.model).model === choice.model ? choice.model : `openai-chat:${choice.model}`
      const keep = `export ${key}OPENAI_BASE_URL=${quoted(baseUrl)} SLUICE_MODEL=${quoted(name)}`
      const notice = `${choice.model} at ${baseUrl} is used for this run. To begin with it next time: ${keep}`
      return { options, ...withModel(setup, name, access), notice }
    }
  }
}

function withModel(setup: Setup, name: string, access: { baseUrl?: string; apiKey?: string }) {
  const models = { ...setup.models, ...access }
  const model = selectModel(name, models)
  return { setup: { ...setup, models, model }, model }
}

function FullScreen(props: Omit<FirstRunProps, 'width' | 'height'>) {
  const { columns, rows } = useWindowSize()
  return <FirstRun width={Math.max(1, columns)} height={Math.max(1, rows)} {...props} />
}

/** Names come from servers: what is copied into a shell from here must stay one word there. */
function quoted(word: string): string {
  return /^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
