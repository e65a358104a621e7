/** What slash commands may use of the program around them. */

import type { Appearance } from '../appearance.ts'
import { type CommandContext, commands } from '../commands/index.ts'
import type { Face } from '../face.ts'
import { overlays } from '../overlays/index.tsx'
import { lastAnswer } from '../screen/index.ts'
import { focused, type Store } from '../state/index.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { LiveSessions } from './live-sessions.ts'

export type CommandWorld = {
  store: Store
  live: LiveSessions
  terminal: Terminal
  appearance: Appearance
  face: Face
  control: CommandContext['sessions']
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
    sessions: control,
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

function themesOf({ appearance, terminal, configFile }: CommandWorld): CommandContext['themes'] {
  return {
    chosen: appearance.name,
    shown: () => appearance.theme().name,
    colors: () => terminal.capabilities.color,
    choose: appearance.choose,
    configFile,
  }
}
