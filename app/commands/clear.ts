/** /clear: a fresh start for the model; the transcript keeps what was. */
import type { Command } from './context.ts'

export const clear: Command = {
  name: 'clear',
  aliases: ['reset'],
  description: 'forget the conversation (the transcript keeps it)',
  run(_args, context) {
    if (context.running()) {
      context.notice('A turn is running. Interrupt it with esc, then /clear.', 'warn')
      return
    }
    context.session.clear()
  },
}
