/** Opens the full-screen app: terminal, first frame, session, and everything put back at the end. */
import { join } from 'node:path'
import type { AgentEvent } from '@sluice/engine/protocol'
import { themeNamed } from '@sluice/permissions-ui'
import { type Instance, render } from 'ink'
import { type ReactNode, useMemo, useSyncExternalStore } from 'react'
import { createAppearance } from './appearance.ts'
import type { Options } from './cli/args.ts'
import { commands } from './commands/index.ts'
import type { ChooseFolder } from './compose/session-folder.ts'
import { requireModel, type Setup, setUp } from './compose/setup.ts'
import { createFileCompleter, createHistory, historyFile } from './composer/index.ts'
import { configLine } from './config.ts'
import { type Face, faceOf } from './face.ts'
import type { Beginning } from './first-run/index.tsx'
import { defaultKeys, rebind } from './keymap.ts'
import { overlays } from './overlays/index.tsx'
import type { chooseSession } from './overlays/picker/choose-session.tsx'
import { sessionFiles } from './paths.ts'
import {
  type AppActions,
  type ComposerServices,
  createMemory,
  forget,
  goBack,
  type RenderLive,
  Screen,
  type ScreenMemory,
  Themed,
} from './screen/index.ts'
import { createActions } from './session/actions.ts'
import { readLeftView } from './session/left-view.ts'
import { createLiveSessions, type LiveSessions } from './session/live-sessions.ts'
import { openSession, type SessionsWorld } from './session/open-session.ts'
import { personWanted } from './session/person-wanted.ts'
import { realAfter } from './session/real-after.ts'
import { createSessionControl, type SessionControl } from './session/session-control.ts'
import { createStoredSessions, type StoredSessions } from './session/stored-sessions.ts'
import { createViewKeeper } from './session/view-keeper.ts'
import { watchBackground } from './session/watch-background.ts'
import { createStore, type Store } from './state/index.ts'
import { KeyProvider } from './terminal/key-source.tsx'
import { openTerminal, type Terminal } from './terminal/terminal.ts'
import { readBranch } from './workspace.ts'

/** What the app begins with; the demo sends its own prompt. */
export type Start = { options: Options; prompt?: string; notice?: string }

export async function runTui(start: Start): Promise<void> {
  const { options } = start
  // Everything that can be wrong with words and files is said before the screen is taken.
  const picks = options.resume === '' && faceOf(options, process.env, process.stdout) !== 'linear'
  const choose = async (question: Parameters<ChooseFolder>[0]) =>
    (await import('./cli/choose-folder.ts')).chooseFolder(question)
  const anew = { ...options, resume: undefined, continue: false }
  let end = picks ? null : await endOfLong(options)
  let setup = await setUp(picks || end !== null ? anew : options, choose)
  if (end !== null && setup.model === undefined) {
    // The session itself may know a model.
    end = null
    setup = await setUp(options, choose)
  }
  const { table, problems } = rebind(defaultKeys, setup.config.keys ?? {})
  const keyProblems = await Promise.all(
    problems.map(async ({ context, action, message }) => {
      const { configFile } = setup.paths
      const line = await configLine(
        configFile,
        ['keys', context, action].filter((name) => name !== ''),
      )
      return line === null ? `${configFile}: ${message}` : `${configFile}:${line} ${message}`
    }),
  )

  const store = createStore()
  const face = faceOf(options, process.env, process.stdout)
  const memory = createMemory()
  const keeper = createViewKeeper({
    ...{ store, memory, sessionsDir: setup.paths.sessionsDir, after: realAfter },
    open: (id) => live.get(id) !== undefined,
  })
  const live = createLiveSessions(store, ({ runtime }, alone) => {
    keeper.leave(runtime.session.id)
    if (alone) forget(memory, runtime.session.id)
  })
  const goodbye = async () => {
    const { goodbyeText } = await import('./scrollback/goodbye.ts')
    return goodbyeText(store.getState(), {
      columns: process.stdout.columns,
      theme: appearance.theme(),
      conversation: face === 'full',
      transcriptPath,
      unsaved: (id) => live.get(id)?.runtime.unsaved() ?? null,
    })
  }
  let said = false
  /** A signal ends the screen as well, which ends the app: only the first of them speaks. */
  const sayGoodbye = async (aloud = true) => {
    if (said) return
    said = true
    if (aloud) process.stdout.write(await goodbye())
  }
  const terminal = openTerminal({
    stdin: process.stdin,
    stdout: process.stdout,
    env: process.env,
    // The wheel belongs to the scrollback where there is one.
    mouse: face === 'full' ? setup.config.mouse : false,
    silent: face === 'linear',
    onKey: () => keeper.touched(),
    async onSignal(signal) {
      // Nobody said no: what was asked is asked again when the session is resumed.
      await live.close({ leaveQuestions: true })
      await sayGoodbye(signal !== 'SIGHUP')
    },
  })
  const appearance = createAppearance(terminal.capabilities, {
    name: themeNamed(setup.config.theme ?? 'auto'),
    ascii: setup.config.ascii,
  })
  void terminal.answers.then(({ background }) => appearance.answered(background))
  const transcriptPath = (sessionId: string) => sessionFiles(setup.paths, sessionId).transcript
  const sessions: SessionsWorld = {
    store,
    live,
    heard(event) {
      const wanted = personWanted(event)
      if (wanted !== null) terminal.notify(wanted, setup.config.notifications)
    },
    returned(id, { paths }) {
      const view = store.getState().sessions[id]
      if (view !== undefined) goBack(memory, view, readLeftView(join(paths.sessionsDir, id)))
    },
  }
  const unwatch = watchBackground(store)
  const stored = createStoredSessions(setup.paths)
  const control = createSessionControl(sessions, stored)
  const world = { store, live, terminal, appearance, face, control }
  const inline =
    face === 'inline'
      ? (await import('./scrollback/open-inline.tsx')).openInline({
          store,
          stdout: process.stdout,
          env: process.env,
          theme: appearance.theme,
          reflow: terminal.reflow,
          home: setup.paths.home,
          transcriptPath,
        })
      : null
  const left = Promise.withResolvers<void>()
  const quit = () => left.resolve()
  const opened = Promise.withResolvers<void>()
  const actions = createActions({ ...world, quit, table, opened: opened.promise, configFile: setup.paths.configFile })

  let instance: Instance | undefined
  const unmount = () => {
    instance?.unmount()
    inline?.close()
  }
  const show = (element: ReactNode) => {
    const tree = (
      <KeyProvider table={table} terminal={terminal}>
        <Themed appearance={appearance}>{element}</Themed>
      </KeyProvider>
    )
    if (instance) return instance.rerender(tree)
    instance = render(tree, {
      stdin: terminal.stdin,
      stdout: inline?.stdout ?? process.stdout,
      exitOnCtrlC: false,
      patchConsole: false,
      alternateScreen: inline === null,
      incrementalRendering: inline === null,
      interactive: true,
      // Deltas are merged in the store, so that keys may paint at once.
      maxFps: 1000,
    })
    terminal.attach({ unmount }, { alternate: inline === null })
    instance.waitUntilExit().then(quit, (error: unknown) => terminal.guard.crash(error))
  }

  try {
    const chosen = picks
      ? await picked({ options, setup, stored, table, show, quit, left: left.promise })
      : { ...start, setup }
    const begun = chosen === null ? null : await withModel(chosen, face, show, left.promise)
    if (begun !== null) {
      const services = composerServices(begun.setup, world)
      const place = { ...world, memory, stored, services, actions, renderLive: inline?.renderLive }
      if (end !== null) store.dispatch({ type: 'ui_load', events: end })
      if (face !== 'linear') {
        show(<SessionsScreen setup={begun.setup} {...place} />)
        await painted()
      }
      const whole = end === null ? begun : await wholeSession(begun, choose)
      await openSession({ ...whole, warnings: [...whole.setup.warnings, ...keyProblems] }, sessions)
      const stop =
        face === 'linear'
          ? await (await import('./linear/open-linear.ts')).openLinear({
              ...services,
              ...{ store, actions, table, terminal, transcriptPath, env: process.env, live, drafts: memory.drafts },
            })
          : null
      if (begun.prompt !== undefined) live.focused()?.runtime.session.send(begun.prompt)
      opened.resolve()
      await left.promise
      stop?.()
    }
  } finally {
    unwatch()
    keeper.close()
    stored.close()
    await live.close()
    unmount()
    terminal.close()
  }
  await sayGoodbye()
}

/** The last screens of a session that takes a while to be read; null when there is none, or it is short. */
async function endOfLong(options: Options): Promise<AgentEvent[] | null> {
  if (options.resume === undefined && !options.continue) return null
  if (faceOf(options, process.env, process.stdout) !== 'full') return null
  return (await import('./compose/session-end.ts')).endOfStored(options)
}

/** The session of which only the end is on the screen so far. */
async function wholeSession(begun: Beginning, choose: ChooseFolder): Promise<Beginning> {
  const setup = await setUp(begun.options, choose)
  return { ...begun, setup, model: requireModel(setup) }
}

/** The list and its index are loaded beside each other. */
async function picked(world: Parameters<typeof chooseSession>[0]): Promise<(Start & { setup: Setup }) | null> {
  const [list] = await Promise.all([import('./overlays/picker/choose-session.tsx'), world.stored.open()])
  return list.chooseSession(world)
}

/** A model is chosen first where none was found. */
async function withModel(
  chosen: Start & { setup: Setup },
  face: Face,
  show: (element: ReactNode) => void,
  left: Promise<void>,
): Promise<Beginning | null> {
  const { options, setup } = chosen
  if (face === 'linear') return { ...chosen, model: requireModel(setup) }
  if (setup.model !== undefined) return { ...chosen, model: setup.model }
  const { chooseModel } = await import('./first-run/index.tsx')
  return chooseModel({ options, setup, show, left })
}

/** Composing a session takes a while in one piece: the first frame, and what was typed ahead of it, come before. */
async function painted(): Promise<void> {
  // Effects subscribe to the keys, the keys change the draft, and Ink writes a frame a millisecond later: a turn for each.
  for (let i = 0; i < 4; i++) await new Promise((resolve) => setTimeout(resolve, 2))
}

type Services = Required<ComposerServices>

type ServicesWorld = { store: Store; live: LiveSessions; terminal: Terminal }

function composerServices(setup: Setup, { store, live, terminal }: ServicesWorld): Services {
  // Sessions may work in several folders: prompts and files are those of the one in front.
  const folder = () => live.focused()?.setup.cwd ?? setup.cwd
  const historyOf = perFolder((cwd) =>
    createHistory(historyFile(join(setup.paths.historyFolder, `${folderKey(cwd)}.jsonl`))),
  )
  const filesOf = perFolder((cwd) =>
    createFileCompleter(async (signal) => (await import('./compose/session.ts')).listFiles(cwd, signal)),
  )
  const edit = async (text: string, name: string) => {
    const edited = await terminal.edit(text, name)
    if (edited.ok) return edited.text
    store.dispatch({ type: 'ui_toast', toast: { level: 'info', text: edited.problem } })
    return null
  }
  return {
    history: {
      entries: () => historyOf(folder()).entries(),
      commit: (entry) => historyOf(folder()).commit(entry),
    },
    commands,
    completeFiles: (query, signal) => filesOf(folder())(query, signal),
    onEditor: (text) => edit(text, 'prompt.md'),
    editText: edit,
    oldText: async (cwd, { path, oldHash }) => (await import('./compose/old-text.ts')).oldText(cwd, path, oldHash),
  }
}

/** Made once for each folder. */
function perFolder<T>(make: (cwd: string) => T): (cwd: string) => T {
  const made = new Map<string, T>()
  return (cwd) => {
    const known = made.get(cwd) ?? make(cwd)
    made.set(cwd, known)
    return known
  }
}

type ScreenWorld = {
  store: Store
  live: LiveSessions
  services: Services
  memory: ScreenMemory
  actions: AppActions
  control: SessionControl
  stored: StoredSessions
  renderLive: RenderLive | undefined
}

/** The screen of whichever session is in front. */
function SessionsScreen({ setup, services, memory, renderLive, ...world }: ScreenWorld & { setup: Setup }) {
  const { store, actions, live } = world
  const { home } = setup.paths
  const close = () => store.dispatch({ type: 'ui_overlay', overlay: null })
  const cwd = useSyncExternalStore(store.subscribe, () => live.focused()?.setup.cwd ?? setup.cwd)
  const branch = useMemo(() => readBranch(cwd), [cwd])
  return (
    <Screen
      store={store}
      actions={actions}
      branch={branch}
      home={home}
      renderLive={renderLive}
      reducedMotion={setup.config.reducedMotion ?? false}
      composer={services}
      memory={memory}
      renderOverlay={({ name, argument }, size) =>
        overlays[name]?.({ ...size, ...world, argument, home, close }) ?? null
      }
    />
  )
}

/** A folder's name in the history folder: readable, and its own for each path. Hashed by hand, since loading crypto costs a frame. */
function folderKey(cwd: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(cwd)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return `${cwd.replace(/[^A-Za-z0-9]+/g, '-').slice(-40)}-${hash.toString(36)}`
}
