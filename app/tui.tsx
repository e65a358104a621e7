/** Opens the full-screen app: terminal, first frame, session, and everything put back at the end. */
import { join } from 'node:path'
import type { ModelAdapter } from '@sluice/engine/ports'
import type { Decision } from '@sluice/engine/protocol'
import type { Theme } from '@sluice/permissions-ui'
import { type Instance, render } from 'ink'
import type { ReactNode } from 'react'
import { chooseTheme } from './appearance.ts'
import type { Options } from './cli/args.ts'
import { type CommandContext, commands, runCommand } from './commands/index.ts'
import { composeOptions, type Setup, setUp } from './compose/setup.ts'
import { createFileCompleter, createHistory, historyFile } from './composer/index.ts'
import { defaultKeys, rebind } from './keymap.ts'
import { HelpOverlay } from './overlays/HelpOverlay.tsx'
import { PaletteOverlay } from './overlays/PaletteOverlay.tsx'
import { type AppActions, lastAnswer, Screen } from './screen/index.ts'
import { createLiveSessions, type LiveSessions } from './session/live-sessions.ts'
import { createStore, focused, type Store } from './state/index.ts'
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
  const terminal = openTerminal({
    stdin: process.stdin,
    stdout: process.stdout,
    env: process.env,
    mouse: setup.config.mouse,
    onSignal: () => live.close(),
  })
  const theme = chooseTheme(setup.config.theme, terminal.capabilities)
  const left = Promise.withResolvers<void>()
  const quit = () => left.resolve()
  const opened = Promise.withResolvers<void>()
  const actions = createActions({ store, live, terminal, quit, table, opened: opened.promise })

  let instance: Instance | undefined
  const show = (element: ReactNode) => {
    const tree = (
      <KeyProvider table={table} terminal={terminal}>
        {element}
      </KeyProvider>
    )
    if (instance) return instance.rerender(tree)
    instance = render(tree, {
      stdin: terminal.stdin,
      stdout: process.stdout,
      exitOnCtrlC: false,
      patchConsole: false,
      alternateScreen: !options.inline,
      incrementalRendering: true,
      interactive: true,
      // Deltas are merged in the store, so that keys may paint at once.
      maxFps: 1000,
    })
    terminal.attach(instance, { alternate: !options.inline })
    instance.waitUntilExit().then(quit, (error: unknown) => terminal.guard.crash(error))
  }

  try {
    const begun =
      setup.model === undefined
        ? await (await import('./first-run/index.tsx')).chooseModel({ options, setup, theme, show, left: left.promise })
        : { ...start, setup, model: setup.model }
    if (begun !== null) {
      show(sessionScreen(begun.setup, { store, terminal, theme, actions }))
      await painted()
      await openSession(begun, { store, live, warnings })
      if (begun.prompt !== undefined) live.focused()?.runtime.session.send(begun.prompt)
      opened.resolve()
      await left.promise
    }
  } finally {
    await live.close()
    instance?.unmount()
    terminal.close()
  }
  sayGoodbye(live)
}

/** Composing a session takes a while in one piece: the first frame, and what was typed ahead of it, come before. */
async function painted(): Promise<void> {
  // Effects subscribe to the keys, the keys change the draft, and Ink writes a frame a millisecond later: a turn for each.
  for (let i = 0; i < 4; i++) await new Promise((resolve) => setTimeout(resolve, 2))
}

type ScreenWorld = { store: Store; terminal: Terminal; theme: Theme; actions: AppActions }

function sessionScreen(setup: Setup, { store, terminal, theme, actions }: ScreenWorld): ReactNode {
  const history = createHistory(historyFile(join(setup.paths.historyFolder, `${folderKey(setup.cwd)}.jsonl`)))
  const completeFiles = createFileCompleter(async (signal) =>
    (await import('./compose/session.ts')).listFiles(setup.cwd, signal),
  )
  return (
    <Screen
      store={store}
      actions={actions}
      theme={theme}
      branch={readBranch(setup.cwd)}
      home={setup.paths.home}
      reducedMotion={setup.config.reducedMotion ?? false}
      composer={{
        history,
        commands,
        completeFiles,
        onEditor: async (text) => {
          const edited = await terminal.edit(text, 'prompt.md')
          if (edited.ok) return edited.text
          toast(store, edited.problem)
          return null
        },
      }}
      renderOverlay={(overlay, size) => renderOverlay(overlay, size, store, actions)}
    />
  )
}

async function openSession(
  { setup, options, model, notice }: Start & { setup: Setup; model: ModelAdapter },
  world: { store: Store; live: LiveSessions; warnings: string[] },
): Promise<void> {
  const { store, live } = world
  const { composeSession } = await import('./compose/session.ts')
  const early: string[] = [...world.warnings]
  let say = (text: string): void => {
    early.push(text)
  }
  if (setup.stored) store.dispatch({ type: 'ui_load', events: setup.stored })
  const runtime = composeSession({
    ...composeOptions(setup, options, model),
    asksTrust: true,
    onEvent: (event) => store.dispatch(event),
    onProblem: (text) => say(text),
  })
  live.add({ runtime, setup })
  say = (text) => runtime.session.notice('warn', 'problem', text)
  for (const text of early) say(text)
  if (notice !== undefined) runtime.session.notice('info', 'welcome', notice)
  if (runtime.trust.question) store.dispatch({ type: 'ui_trust', question: runtime.trust.question })
}

type ActionWorld = {
  store: Store
  live: LiveSessions
  terminal: Terminal
  table: CommandContext['table']
  /** The screen is there first: what is sent before the session follows once that is open. */
  opened: Promise<void>
  quit(): void
}

function createActions(world: ActionWorld): AppActions {
  const { store, live, terminal, quit, opened } = world
  const session = () => live.focused()?.runtime.session
  const copy = async (text: string) => {
    const result = await terminal.copy(text)
    toast(store, result.text)
    return result
  }
  const send = (text: string): void => {
    if (session()) session()?.send(text)
    else void opened.then(() => session()?.send(text))
  }
  const run = (line: string): boolean => {
    const open = live.focused()
    if (open) return runCommand(line, commandContext(world, open.runtime.session, copy)).handled
    if (!line.startsWith('/')) return false
    void opened.then(() => (session() && run(line) ? undefined : send(line)))
    return true
  }
  return {
    send,
    runCommand: run,
    interrupt: () => session()?.interrupt(),
    answer: (sessionId, requestId, decision: Decision) =>
      live.get(sessionId)?.runtime.session.answer(requestId, decision) ?? false,
    answerTrust: (trusted) => void answerTrust(world, trusted),
    setMode: (mode) => session()?.setMode(mode),
    unqueue: (id) => session()?.unqueue(id) ?? null,
    copy: (text) => void copy(text),
    openInEditor: (text) => void showInEditor(world, text),
    suspend: () => void terminal.suspend(),
    redraw: () => void terminal.repaint(),
    quit,
  }
}

/** A yes counts from the next turn on; after a no it is said what was left out, and the question can be asked again. */
async function answerTrust({ store, live }: ActionWorld, trusted: boolean): Promise<void> {
  const runtime = live.focused()?.runtime
  store.dispatch({ type: 'ui_trust', question: null })
  if (runtime === undefined) return
  if (trusted) {
    await runtime.trust.grant()
    runtime.session.notice(
      'info',
      'trust',
      'This folder is trusted now: what it configures is in force from the next turn on.',
    )
  } else if (runtime.trust.notice !== null) runtime.session.notice('warn', 'trust', runtime.trust.notice)
}

async function showInEditor({ terminal, store }: ActionWorld, text: string): Promise<void> {
  const result = await terminal.edit(text, 'transcript.md')
  if (!result.ok) toast(store, result.problem)
}

function commandContext(
  world: ActionWorld,
  session: CommandContext['session'],
  copy: CommandContext['copy'],
): CommandContext {
  const { store, live, terminal, table, quit } = world
  const view = () => focused(store.getState())
  return {
    session,
    table,
    commands,
    notice: (text, level = 'info') => session.notice(level, 'command', text),
    openOverlay(name, argument) {
      if (!overlayNames.has(name)) return false
      store.dispatch({ type: 'ui_overlay', overlay: argument === undefined ? { name } : { name, argument } })
      return true
    },
    quit,
    running: () => live.get(session.id)?.runtime.session.busy ?? false,
    mode: () => view()?.mode ?? 'default',
    model: () => view()?.model ?? '',
    models: () => live.get(session.id)?.runtime.models() ?? [],
    usage() {
      const usage = view()?.usage
      return {
        inputTokens: usage?.inputTokens ?? 0,
        outputTokens: usage?.outputTokens ?? 0,
        totalTokens: usage?.totalTokens ?? 0,
        cachedInputTokens: usage?.cachedInputTokens ?? 0,
        costUsd: usage?.costKnown === false ? null : (usage?.costUsd ?? 0),
        replies: usage?.replies ?? 0,
        estimated: usage?.estimated ?? false,
      }
    },
    lastAnswer() {
      const answer = lastAnswer(store)
      return answer === '' ? null : answer
    },
    copy,
    askTrust() {
      const question = live.get(session.id)?.runtime.trust.question ?? null
      store.dispatch({ type: 'ui_trust', question })
      return question !== null
    },
    mouse: () => terminal.mouse,
    setMouse: (on) => terminal.setMouse(on),
  }
}

const overlayNames = new Set(['help', 'keys', 'palette'])

function renderOverlay(
  overlay: { name: string; argument?: string },
  size: { width: number; height: number },
  store: Store,
  actions: AppActions,
) {
  const close = () => store.dispatch({ type: 'ui_overlay', overlay: null })
  switch (overlay.name) {
    case 'help':
    case 'keys':
      return <HelpOverlay {...size} commands={commands} query={overlay.argument} onClose={close} />
    case 'palette':
      return (
        <PaletteOverlay
          {...size}
          commands={commands}
          onClose={close}
          onChoose={(line) => {
            close()
            actions.runCommand(line.trimEnd())
          }}
        />
      )
    default:
      return null
  }
}

function toast(store: Store, text: string): void {
  store.dispatch({ type: 'ui_toast', toast: { level: 'info', text } })
}

/** A folder's name in the history folder: readable, and its own for each path. Hashed by hand, since loading crypto costs a frame. */
function folderKey(cwd: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(cwd)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return `${cwd.replace(/[^A-Za-z0-9]+/g, '-').slice(-40)}-${hash.toString(36)}`
}

function sayGoodbye(live: LiveSessions): void {
  for (const { runtime } of live.all()) {
    process.stdout.write(`Session ${runtime.session.id} is kept. Go on with: sluice --resume ${runtime.session.id}\n`)
  }
}
