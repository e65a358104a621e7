/** /resume: goes on with a stored session, beside those that run. */
import type { Command } from './context.ts'

export const resume: Command = {
  name: 'resume',
  description: 'go on with an earlier session: the list, or the one that the words fit',
  argumentHint: '[words or id]',
  async run(args, context) {
    if (args !== '' && (await context.sessions.resume(args))) return
    if (context.sessions.listed !== undefined) context.notice(await context.sessions.listed(args))
    else context.openOverlay('resume', args === '' ? undefined : args)
  },
}
