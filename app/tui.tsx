/** Opens the full-screen app: terminal, first frame, session, and everything put back at the end. */
import { join } from 'node:path'
import { themeNamed } from '@sluice/permissions-ui'
import { type Instance, render } from 'ink'
import type { ReactNode } from 'react'
import { createAppearance } from './appearance.ts'
import type { Options } from './cli/args.ts'
import { commands } from './commands/index.ts'
import { requireModel, type Setup, setUp } from './compose/setup.ts'
import { createFileCompleter, createHistory, historyFile } from './composer/index.ts'
import { faceOf } from './face.ts'
import { defaultKeys, rebind } from './keymap.ts'
import { overlays } from './overlays/index.tsx'
import { sessionFiles } from './paths.ts'
import { type AppActions, type ComposerServices, type RenderLive, Screen, Themed } from './screen/index.ts'
import { createActions } from './session/actions.ts'
import { createLiveSessions, type LiveSessions } from './session/live-sessions.ts'
import { openSession, type SessionsWorld } from './session/open-session.ts'
import { personWanted } from './session/person-wanted.ts'
import { createSessionControl } from './session/session-control.ts'
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
  const setup = await setUp(options)
  const { table, problems } = rebind(defaultKeys, setup.config.keys ?? {})
  const warnings = [...setup.warnings, ...problems.map((problem) => `${setup.paths.configFile}: ${problem.message}`)]

  const store = createStore()
  const live = createLiveSessions(store)
  const face = faceOf(options, process.env, process.stdout)
  const goodbye = async () => {
    const { goodbyeText } = await import('./scrollback/goodbye.ts')
    return goodbyeText(store.getState(), {
      columns: process.stdout.columns,
      theme: appearance.theme(),
      conversation: face === 'full',
      transcriptPath,
    })
  }
  const terminal = openTerminal({
    stdin: process.stdin,
    stdout: process.stdout,
    env: process.env,
    // The wheel belongs to the scrollback where there is one.
    mouse: face === 'full' ? setup.config.mouse : false,
    silent: face === 'linear',
    async onSignal(signal) {
      await live.close()
      if (signal !== 'SIGHUP') process.stdout.write(await goodbye())
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
  }
  const unwatch = watchBackground(store)
  const world = { store, live, terminal, appearance, face, control: createSessionControl(sessions) }
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
    const begun =
      face === 'linear'
        ? { ...start, setup, model: requireModel(setup) }
        : setup.model === undefined
          ? await (await import('./first-run/index.tsx')).chooseModel({ options, setup, show, left: left.promise })
          : { ...start, setup, model: setup.model }
    if (begun !== null) {
      const services = composerServices(begun.setup, world)
      if (face !== 'linear') {
        show(sessionScreen(begun.setup, { store, live, services, actions, renderLive: inline?.renderLive }))
        await painted()
      }
      await openSession({ ...begun, warnings }, sessions)
      const stop =
        face === 'linear'
          ? await (await import('./linear/open-linear.ts')).openLinear({
              ...services,
              ...{ store, actions, table, terminal, transcriptPath, env: process.env },
            })
          : null
      if (begun.prompt !== undefined) live.focused()?.runtime.session.send(begun.prompt)
      opened.resolve()
      await left.promise
      stop?.()
    }
  } finally {
    unwatch()
    await live.close()
    unmount()
    terminal.close()
  }
  process.stdout.write(await goodbye())
}

/** Composing a session takes a while in one piece: the first frame, and what was typed ahead of it, come before. */
async function painted(): Promise<void> {
  // Effects subscribe to the keys, the keys change the draft, and Ink writes a frame a millisecond later: a turn for each.
  for (let i = 0; i < 4; i++) await new Promise((resolve) => setTimeout(resolve, 2))
}

type Services = Required<ComposerServices>

function composerServices(setup: Setup, { store, terminal }: { store: Store; terminal: Terminal }): Services {
  return {
    history: createHistory(historyFile(join(setup.paths.historyFolder, `${folderKey(setup.cwd)}.jsonl`))),
    commands,
    completeFiles: createFileCompleter(async (signal) =>
      (await import('./compose/session.ts')).listFiles(setup.cwd, signal),
    ),
    onEditor: async (text) => {
      const edited = await terminal.edit(text, 'prompt.md')
      if (edited.ok) return edited.text
      store.dispatch({ type: 'ui_toast', toast: { level: 'info', text: edited.problem } })
      return null
    },
  }
}

type ScreenWorld = {
  store: Store
  live: LiveSessions
  services: Services
  actions: AppActions
  renderLive: RenderLive | undefined
}

function sessionScreen(setup: Setup, { store, live, services, actions, renderLive }: ScreenWorld): ReactNode {
  const close = () => store.dispatch({ type: 'ui_overlay', overlay: null })
  return (
    <Screen
      store={store}
      actions={actions}
      branch={readBranch(setup.cwd)}
      home={setup.paths.home}
      renderLive={renderLive}
      reducedMotion={setup.config.reducedMotion ?? false}
      composer={services}
      renderOverlay={({ name, argument }, size) =>
        overlays[name]?.({ ...size, argument, store, actions, live, close }) ?? null
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
