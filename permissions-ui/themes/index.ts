/** The themes by name, as they are for a background. */
import type { Theme } from '../theme.ts'
import { ansiColorBlindOnDark, ansiOnDark, ansiOnLight } from './ansi.ts'
import { colorBlindOnDark, colorBlindOnLight } from './color-blind.ts'
import { darkTheme } from './dark.ts'
import { highContrastOnDark, highContrastOnLight } from './high-contrast.ts'
import { lightTheme } from './light.ts'

export { indexed, indexedColor } from './indexed.ts'

export type Shade = 'dark' | 'light'

/** Names that a person may write; `auto` picks by the terminal. */
export const themeNames = ['auto', 'dark', 'light', 'ansi', 'high-contrast', 'color-blind'] as const
export type ThemeName = (typeof themeNames)[number]

/** What a name says, for lists. */
export const themeHelp: Record<ThemeName, string> = {
  auto: 'dark or light as the background is, 16 colours where there are no more',
  dark: 'for dark backgrounds',
  light: 'for light backgrounds',
  ansi: 'the sixteen colours of the terminal’s own palette',
  'high-contrast': 'contrast of 7 and more, no faint text',
  'color-blind': 'blue and orange instead of green and red',
}

/** The theme that was meant, or undefined; `colour` and `color` are the same word here. */
export function themeNamed(name: string): ThemeName | undefined {
  const plain = name.trim().toLowerCase().replace('colour', 'color').replaceAll(/[ _]/g, '-')
  return themeNames.find((known) => known === plain)
}

/** The colours of a theme on a background. `dark` and `light` are what they say, whatever the background is. */
export function themeOn(name: Exclude<ThemeName, 'auto'>, shade: Shade): Theme {
  const dark = shade === 'dark'
  switch (name) {
    case 'dark':
      return darkTheme
    case 'light':
      return lightTheme
    case 'ansi':
      return dark ? ansiOnDark : ansiOnLight
    case 'high-contrast':
      return dark ? highContrastOnDark : highContrastOnLight
    case 'color-blind':
      return dark ? colorBlindOnDark : colorBlindOnLight
  }
}

/** The same theme in sixteen colours. */
export function inSixteen(name: Exclude<ThemeName, 'auto'>, shade: Shade): Theme {
  const own = name === 'dark' || name === 'light' ? name : shade
  const theme = name === 'color-blind' && own === 'dark' ? ansiColorBlindOnDark : themeOn('ansi', own)
  return { ...theme, name, dim: name !== 'high-contrast' }
}

/** The theme with the terminal's own colour everywhere; marks, weight and inversion stay. */
export function withoutColor(theme: Theme): Theme {
  const plain = Object.fromEntries(
    Object.entries(theme).map(([key, value]) => [key, typeof value === 'string' && key !== 'name' ? undefined : value]),
  )
  return { ...(plain as Theme), color: false, code: {} }
}
