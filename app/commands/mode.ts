/** /mode: shows or changes the permission mode. */
import { type PermissionMode, permissionModes } from '@sluice/engine/protocol'
import type { Command } from './context.ts'

export const mode: Command = {
  name: 'mode',
  aliases: ['permission-mode'],
  description: 'show or change the permission mode',
  argumentHint: '[mode]',
  run(args, context) {
    if (args === '') {
      const rows = permissionModes.map(
        (name) => `${name === context.mode() ? '* ' : '  '}${name.padEnd(14)}${meaning[name]}`,
      )
      context.notice(`${rows.join('\n')}\nChange it with /mode NAME or shift+tab.`)
      return
    }
    const wanted = permissionModes.filter((name) => name === args.toLowerCase())
    const chosen = wanted[0] ?? permissionModes.find((name) => name.startsWith(args.toLowerCase()))
    if (chosen === undefined) {
      context.notice(`There is no mode "${args}"; there are ${permissionModes.join(', ')}.`, 'warn')
      return
    }
    context.session.setMode(chosen)
    context.notice(`${chosen}: ${meaning[chosen]}`)
  },
}

const meaning: Record<PermissionMode, string> = {
  default: 'reads are free, everything else asks',
  'accept-edits': 'edits inside the folder are free, commands ask',
  plan: 'nothing is changed and no command runs',
  yolo: 'nothing asks, but deny rules, protected paths and trust still hold',
}
