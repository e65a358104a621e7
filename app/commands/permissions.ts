/** /permissions: the rules in force, to test, add and take away. */
import type { Command } from './context.ts'

export const permissions: Command = {
  name: 'permissions',
  aliases: ['rules'],
  argumentHint: '[filter]',
  description: 'see, test, add and revoke permission rules',
  run(args, context) {
    context.openOverlay('permissions', args === '' ? undefined : args)
  },
}
