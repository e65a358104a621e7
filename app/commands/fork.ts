/** /fork: another session that begins with what was said in this one. */
import type { Command } from './context.ts'

export const fork: Command = {
  name: 'fork',
  description: 'go on in a copy of this conversation; this one stays as it is',
  argumentHint: '[prompt]',
  async run(args, context) {
    const problem = await context.sessions.fork(args)
    if (problem !== null) context.notice(problem, 'warn')
  },
}
