/** What a person can make the program do: the actions of the screen, on the session in focus. */
import type { Decision } from '@sluice/engine/protocol'
import { runCommand } from '../commands/index.ts'
import type { AppActions } from '../screen/index.ts'
import type { Store } from '../state/index.ts'
import { type CommandWorld, commandContext } from './command-context.ts'

export type ActionWorld = CommandWorld & {
  /** The screen is there first: what is sent before the session follows once that is open. */
  opened: Promise<void>
}

export function createActions(world: ActionWorld): AppActions {
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
    runShell(command) {
      if (command === '') return 'Write a command behind the !'
      if (!session()) void opened.then(() => session()?.run(command))
      else if (!session()?.run(command)) return 'A command of yours runs between turns: wait until the turn ends'
      return null
    },
    interrupt: () => session()?.interrupt(),
    answer: (sessionId, requestId, decision: Decision) =>
      live.get(sessionId)?.runtime.session.answer(requestId, decision) ?? false,
    answerTrust: (trusted) => void answerTrust(world, trusted),
    setMode: (mode) => session()?.setMode(mode),
    unqueue: (id) => session()?.unqueue(id) ?? null,
    copy: (text) => void copy(text),
    openInEditor: (text) => void showInEditor(world, text),
    openInPager: (text) => void showInPager(world, text),
    suspend: () => void terminal.suspend(),
    redraw: () => void terminal.repaint(),
    quit,
  }
}

/** A yes counts from the next turn on; after a no it is said what was left out, and the question can be asked again. */
async function answerTrust({ store, live }: ActionWorld, trusted: boolean): Promise<void> {
  // The question is about a folder, which need not be that of the session in front.
  const folder = store.getState().ui.trust?.folder
  const here = live.all().filter((open) => open.setup.cwd === folder)
  const runtime = (here.find((open) => open === live.focused()) ?? here[0])?.runtime
  store.dispatch({ type: 'ui_trust', question: null })
  if (runtime === undefined) return
  if (trusted) {
    await runtime.trust.grant()
    for (const one of here) if (one.runtime !== runtime) one.runtime.trust.follow()
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

async function showInPager({ terminal, store }: ActionWorld, text: string): Promise<void> {
  const problem = await terminal.page(text)
  if (problem !== null) toast(store, problem)
}

function toast(store: Store, text: string): void {
  store.dispatch({ type: 'ui_toast', toast: { level: 'info', text } })
}
