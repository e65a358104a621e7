/** /sessions: what runs in this process. */
import type { Command } from './context.ts'

export const sessions: Command = {
  name: 'sessions',
  description: 'list the open sessions and switch',
  run(_args, context) {
    context.openOverlay('sessions')
  },
}
