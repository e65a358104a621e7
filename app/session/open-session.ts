/** Opens a session on the screen: the first one of the process, and further ones beside it in the same folder. */
import type { ModelAdapter } from '@sluice/engine/ports'
import type { AgentEvent } from '@sluice/engine/protocol'
import type { Options } from '../cli/args.ts'
import { selectModel } from '../compose/models.ts'
import type { FolderTerms, Runtime } from '../compose/session.ts'
import { anotherSetup, composeOptions, elsewhere, type Setup, storedSetup } from '../compose/setup.ts'
import type { Store } from '../state/index.ts'
import type { LiveSessions } from './live-sessions.ts'

export type Opening = {
  setup: Setup
  options: Options
  model: ModelAdapter
  /** Remarks that come first in its transcript. */
  warnings?: readonly string[]
  notice?: string
  /** Of a session in the same folder. */
  terms?: FolderTerms
}

/** `heard` gets every event after the store. */
export type SessionsWorld = {
  store: Store
  live: LiveSessions
  heard(event: AgentEvent): void
  /** A stored session is on the screen: the person goes on where they were in it. */
  returned?(sessionId: string, setup: Setup): void
}

export async function openSession(opening: Opening, { store, live, heard, returned }: SessionsWorld): Promise<Runtime> {
  const { setup, options, model, notice, terms } = opening
  const { composeSession } = await import('../compose/session.ts')
  const early: string[] = [...(opening.warnings ?? [])]
  let say = (text: string): void => {
    early.push(text)
  }
  if (setup.stored) store.dispatch({ type: 'ui_load', events: setup.stored })
  const runtime = composeSession({
    ...composeOptions(setup, options, model),
    asksTrust: true,
    terms,
    onEvent(event) {
      if (!live.shown(event.sessionId)) return
      store.dispatch(event)
      heard(event)
    },
    onProblem: (text) => say(text),
  })
  live.add({ runtime, setup, options })
  if (setup.stored) returned?.(runtime.session.id, setup)
  say = (text) => runtime.session.notice('warn', 'problem', text)
  for (const text of early) say(text)
  if (notice !== undefined) runtime.session.notice('info', 'welcome', notice)
  if (terms === undefined && runtime.trust.question) {
    store.dispatch({ type: 'ui_trust', question: runtime.trust.question })
  }
  // What waited for a person when its process died is asked again.
  runtime.session.continueOpenTurn()
  return runtime
}

/**
 * Opens a session beside the one in focus, with its model and the config's mode, and brings it to the front. Throws
 * AgentError when the model cannot be had.
 */
export async function openBeside(world: SessionsWorld): Promise<Runtime | undefined> {
  const { store, live } = world
  const front = live.focused()
  if (front === undefined) return undefined
  const { setup, options, runtime } = front
  const model = selectModel(runtime.session.model, setup.models)
  const opened = await openSession({ setup: anotherSetup(setup, options), options, model, terms: runtime.terms }, world)
  store.dispatch({ type: 'ui_focus', sessionId: opened.session.id })
  return opened
}

/**
 * Opens a stored session beside those that run, in its own folder, and brings it to the front. One that runs here already
 * only comes to the front. With `here` it goes on in the folder of the one in focus. Throws UsageError when it cannot be gone on with.
 */
export async function openStored(world: SessionsWorld, id: string, here = false): Promise<void> {
  const { store, live } = world
  const front = live.focused()
  if (live.get(id) === undefined && front !== undefined) {
    const setup = await storedSetup(front.setup, front.options, id, here)
    const options = setup.cwd === front.setup.cwd ? front.options : elsewhere(front.options)
    const neighbour = live.all().find(({ runtime }) => runtime.session.cwd === setup.cwd)
    const opening = { setup, options, model: setup.model, warnings: setup.warnings }
    await openSession(neighbour === undefined ? opening : { ...opening, terms: neighbour.runtime.terms }, world)
  }
  store.dispatch({ type: 'ui_focus', sessionId: id })
}
