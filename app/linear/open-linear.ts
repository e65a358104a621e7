/** Lines instead of a screen, on an opened terminal. */
import { loadLexer } from '../markdown/lexer.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type LinearOptions, startLinear } from './linear-app.ts'

type Given = Omit<LinearOptions, 'input' | 'put' | 'lineFeedSends'>

/** The terminal must be silent. Resolves with what ends the lines. */
export async function openLinear(options: Given & { terminal: Terminal; env: NodeJS.ProcessEnv }): Promise<() => void> {
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
    input: terminal.input,
    put: (text) => process.stdout.write(text),
    lineFeedSends: env.TERM === 'dumb',
  })
  return () => {
    stop()
    unbind()
  }
}
