/** /mouse: wheel scrolling on or off. */
import type { Command } from './context.ts'

export const mouse: Command = {
  name: 'mouse',
  description: 'wheel scrolling on or off (off: select text without shift)',
  argumentHint: '[on|off]',
  run(args, context) {
    if (context.setMouse === undefined || context.mouse === undefined) {
      context.notice('The mouse is not used here.', 'warn')
      return
    }
    const word = args.toLowerCase()
    if (word !== '' && word !== 'on' && word !== 'off') {
      context.notice(`"${args}" is neither on nor off.`, 'warn')
      return
    }
    const on = word === '' ? !context.mouse() : word === 'on'
    context.setMouse(on)
    context.notice(
      on ? 'The wheel scrolls; hold shift to select text.' : 'Text is selected as usual; the wheel does nothing.',
    )
  },
}
