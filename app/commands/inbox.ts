/** /inbox: everything that needs the person, of all sessions. */
import type { Command } from './context.ts'

export const inbox: Command = {
  name: 'inbox',
  description: 'answer the open questions of all sessions',
  run(_args, context) {
    context.openOverlay('inbox')
  },
}
