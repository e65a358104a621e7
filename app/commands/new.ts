/** /new: another session in the same folder, beside the ones that run. */
import type { Command } from './context.ts'

export const newSession: Command = {
  name: 'new',
  description: 'open another session beside this one, which goes on',
  argumentHint: '[prompt]',
  async run(args, context) {
    await context.sessions.open(args)
  },
}
