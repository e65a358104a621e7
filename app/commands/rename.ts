/** /rename: gives the session in focus a title, by which it is found again. */
import type { Command } from './context.ts'

export const rename: Command = {
  name: 'rename',
  description: 'give this session a title',
  argumentHint: '<title>',
  async run(args, context) {
    const title = args.replace(/\s+/g, ' ')
    if (title === '') {
      context.notice('Write the title behind it: /rename Port the config to zod', 'warn')
      return
    }
    await context.sessions.rename(title)
    context.notice(`This session is called “${title}” now.`)
  },
}
