/** /rewind: back to before an earlier prompt. */
import type { Command } from './context.ts'

export const rewind: Command = {
  name: 'rewind',
  description: 'back to before an earlier prompt: conversation, files or both',
  argumentHint: '[undo]',
  async run(args, context) {
    if (context.running()) {
      context.notice('A turn is running. Interrupt it with esc, then /rewind.', 'warn')
      return
    }
    if (context.rewind.spoken !== undefined) context.notice(await context.rewind.spoken(args))
    else if (args === '') context.openOverlay('rewind')
    else if (args === 'undo') {
      const problem = await context.rewind.undo()
      if (problem !== null) context.notice(problem, 'warn')
    } else context.notice('/rewind shows the turns to go back to; /rewind undo takes the last rewind back.', 'warn')
  },
}
