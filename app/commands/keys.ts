/** /keys: the keys, searchable. */
import type { Command } from './context.ts'

export const keys: Command = {
  name: 'keys',
  description: 'all keys, searchable',
  argumentHint: '[word]',
  run(args, context) {
    if (context.openOverlay('help', args)) return
    const rows: string[] = []
    for (const [name, actions] of Object.entries(context.table)) {
      for (const { keys, help } of Object.values(actions)) {
        const row = `${name}: ${keys.join(', ')}  ${help}`
        if (keys.length > 0 && row.toLowerCase().includes(args.toLowerCase())) rows.push(row)
      }
    }
    context.notice(rows.length === 0 ? `no key is about "${args}"` : rows.join('\n'))
  },
}
