/** /exit: leaves. */
import type { Command } from './context.ts'

export const exit: Command = {
  name: 'exit',
  aliases: ['quit', 'q'],
  description: 'leave sluice',
  run(_args, context) {
    context.quit()
  },
}
