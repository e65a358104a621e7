/** Lines instead of a screen, on an opened terminal. */
import { loadLexer } from '../markdown/lexer.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type LinearOptions, startLinear } from './linear-app.ts'
import { openPlace } from './open-place.ts'

type Given = Omit<LinearOptions, 'input' | 'put' | 'lineFeedSends' | 'openPlace'>

/** The terminal must be silent. Resolves with what ends the lines. */
export async function openLinear(
  options: Given & { terminal: Terminal; env: NodeJS.ProcessEnv; live: LiveSessions },
): Promise<() => void> {
  const { terminal, env } = options
  // Everything is told in its order, and answers cannot be told before they can be read.
  await loadLexer()
  const unbind = terminal.bindSuspend(async (work) => {
    terminal.stdin.setRawMode(false)
    try {
      await work()
    } finally {
      terminal.stdin.setRawMode(true)
    }
  })
  const stop = startLinear({
    ...options,
    input: {
      subscribe: (listener) =>
        terminal.input.subscribe((token) => {
          if (token.type === 'focus') terminal.sawFocus(token.focused)
          else terminal.sawKey()
          listener(token)
        }),
    },
    openPlace: (name, voice) => openPlace(options, name, voice),
    put: (text) => process.stdout.write(text),
    lineFeedSends: env.TERM === 'dumb',
  })
  return () => {
    stop()
    unbind()
  }
}
