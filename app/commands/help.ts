/** /help: the keys and the commands. */
import type { Command } from './context.ts'

export const help: Command = {
  name: 'help',
  aliases: ['?'],
  description: 'keys and commands',
  run(_args, context) {
    if (context.openOverlay('help')) return
    const width = Math.max(...context.commands.map(({ name }) => name.length))
    context.notice(context.commands.map((one) => `/${one.name.padEnd(width)}  ${one.description}`).join('\n'))
  },
}
