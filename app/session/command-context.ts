/** What slash commands may use of the program around them. */

import type { Appearance } from '../appearance.ts'
import { type CommandContext, commands } from '../commands/index.ts'
import type { Face } from '../face.ts'
import { overlays } from '../overlays/index.tsx'
import { lastAnswer } from '../screen/index.ts'
import { focused, type Store } from '../state/index.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { LiveSessions } from './live-sessions.ts'
import type { SessionControl } from './session-control.ts'

export type CommandWorld = {
  store: Store
  live: LiveSessions
  terminal: Terminal
  appearance: Appearance
  face: Face
  control: SessionControl
  configFile: string
  table: CommandContext['table']
  quit(): void
}

export function commandContext(
  world: CommandWorld,
  session: CommandContext['session'],
  copy: CommandContext['copy'],
): CommandContext {
  const { store, live, terminal, table, quit, face, control } = world
  const view = () => focused(store.getState())
  return {
    session,
    table,
    commands,
    notice: (text, level = 'info') => session.notice(level, 'command', text),
    openOverlay(name, argument) {
      if (!(name in overlays)) return false
      store.dispatch({ type: 'ui_overlay', overlay: argument === undefined ? { name } : { name, argument } })
      return true
    },
    quit,
    sessions: {
      open: control.open,
      close: control.close,
      resume: control.resume,
      rename: (title) => control.rename(title),
      fork: (prompt) => control.fork({ prompt }),
      ...(face === 'linear' ? { listed: control.listed } : {}),
    },
    rewind: {
      async undo() {
        const own = live.get(session.id)?.runtime.session.rewind
        return own ? (await import('./rewind-words.ts')).undoRewind(own) : 'There is no session'
      },
      ...(face === 'linear' ? { spoken: (words: string) => spokenRewind(live, session.id, words) } : {}),
    },
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
    // Elsewhere the wheel belongs to the terminal.
    ...(face === 'full' ? { mouse: () => terminal.mouse, setMouse: (on: boolean) => terminal.setMouse(on) } : {}),
    ...(face === 'linear' ? {} : { themes: themesOf(world) }),
  }
}

async function spokenRewind(live: LiveSessions, id: string, words: string): Promise<string> {
  const own = live.get(id)?.runtime.session.rewind
  return own ? (await import('./rewind-words.ts')).spokenRewind(own, words) : 'There is no session'
}

function themesOf({ appearance, terminal, configFile }: CommandWorld): CommandContext['themes'] {
  return {
    chosen: appearance.name,
    shown: () => appearance.theme().name,
    colors: () => terminal.capabilities.color,
    choose: appearance.choose,
    configFile,
  }
}
