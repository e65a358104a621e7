/** /rename: gives the session in focus a title, by which it is found again. */
import { titleGiven } from '../session/title-given.ts'
import type { Command } from './context.ts'

export const rename: Command = {
  name: 'rename',
  description: 'give this session a title',
  argumentHint: '<title>',
  async run(args, context) {
    const { title, remark } = titleGiven(args)
    if (title === '') {
      context.notice('Write the title behind it: /rename Port the config to zod', 'warn')
      return
    }
    await context.sessions.rename(title)
    const cut = remark === '' ? '' : ` ${remark}.`
    context.notice(`This session is called “${title}” now.${cut}`, remark === '' ? 'info' : 'warn')
  },
}
