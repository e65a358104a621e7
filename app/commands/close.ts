/** /close: ends the session in focus; the others go on. */
import type { Command } from './context.ts'

export const close: Command = {
  name: 'close',
  description: 'close this session; the others go on',
  async run(_args, context) {
    await context.sessions.close()
  },
}
