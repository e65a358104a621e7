/** /model: shows or changes the model of the next call. */
import type { Command } from './context.ts'

export const model: Command = {
  name: 'model',
  description: 'show or change the model',
  argumentHint: '[model]',
  run(args, context) {
    if (args !== '') {
      context.session.setModel(args)
      context.notice(`The next call goes to ${args}.`)
      return
    }
    if (context.openOverlay('model')) return
    const current = context.model()
    const rows = context.models().map(({ name, note }) => {
      const mark = name === current ? '* ' : '  '
      return note === undefined ? mark + name : `${mark}${name}  ${note}`
    })
    context.notice([`The model is ${current}. Change it with /model NAME.`, ...rows].join('\n'))
  },
}
