/** /theme: lists the themes, or switches to one at once. */
import { type ThemeName, themeHelp, themeNamed, themeNames } from '@sluice/permissions-ui'
import type { Command } from './context.ts'

export const theme: Command = {
  name: 'theme',
  description: 'show the themes, or switch to one',
  argumentHint: '[name]',
  run(args, context) {
    const themes = context.themes
    if (themes === undefined) {
      context.notice('There are no colours here.', 'warn')
      return
    }
    const keep = (name: ThemeName) => `To keep it, write "theme": "${name}" into ${themes.configFile}.`
    if (args === '') {
      const rows = themeNames.map((name) => {
        const now = name === themes.chosen()
        return `${now ? '* ' : '  '}${name.padEnd(15)}${themeHelp[name]}${now && name === 'auto' ? ` (now: ${themes.shown()})` : ''}`
      })
      context.notice(`${rows.join('\n')}\nSwitch with /theme NAME. ${keep(themes.chosen())}`)
      return
    }
    const wanted = themeNamed(args) ?? themeNames.find((name) => name.startsWith(args.toLowerCase()))
    if (wanted === undefined) {
      context.notice(`There is no theme "${args}"; there are ${themeNames.join(', ')}.`, 'warn')
      return
    }
    themes.choose(wanted)
    const colourless = themes.colors()
      ? ''
      : ' Colours are off (NO_COLOR, FORCE_COLOR=0 or TERM), so it looks the same.'
    context.notice(`The theme is ${wanted}.${colourless} ${keep(wanted)}`)
  },
}
