/** Which theme the screen gets: the person's choice, else what the terminal can show and how bright it is. */
import {
  asciiGlyphs,
  indexed,
  inSixteen,
  type Shade,
  type Theme,
  type ThemeName,
  themeOn,
  unicodeGlyphs,
  withoutColor,
} from '@sluice/permissions-ui'
import type { Capabilities } from './terminal/capabilities.ts'

export type TerminalLooks = Pick<Capabilities, 'depth' | 'unicode' | 'background'>

/**
 * The theme for a name. `answered` is the background that the terminal itself told, which counts more than what its
 * environment says; without any word of it the background is dark. The same choice is the same object.
 */
export function chooseTheme(
  name: ThemeName,
  looks: TerminalLooks,
  answered: Shade | null = null,
  ascii = false,
): Theme {
  const shade = answered ?? looks.background ?? 'dark'
  const own = name === 'auto' ? (looks.depth === 1 ? 'ansi' : shade) : name
  const plainSigns = ascii || !looks.unicode
  const key = `${own} ${shade} ${looks.depth} ${plainSigns}`
  const known = made.get(key)
  if (known) return known
  const glyphs = plainSigns ? asciiGlyphs : unicodeGlyphs
  const theme = { ...inDepth(own, shade, looks.depth), glyphs }
  made.set(key, theme)
  return theme
}

/** The theme in force; it changes when the terminal answers or the person chooses. */
export interface Appearance {
  theme(): Theme
  name(): ThemeName
  /** Calls `listener` when the theme has become another one. */
  subscribe(listener: () => void): () => void
  choose(name: ThemeName): void
  /** The terminal told its background; null when it did not. */
  answered(background: Shade | null): void
}

export function createAppearance(looks: TerminalLooks, start: { name?: ThemeName; ascii?: boolean } = {}): Appearance {
  const listeners = new Set<() => void>()
  const ascii = start.ascii ?? false
  let name = start.name ?? 'auto'
  let background: Shade | null = null
  let theme = chooseTheme(name, looks, background, ascii)
  const renew = () => {
    const next = chooseTheme(name, looks, background, ascii)
    if (next === theme) return
    theme = next
    for (const listener of [...listeners]) listener()
  }
  return {
    theme: () => theme,
    name: () => name,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    choose(next) {
      name = next
      renew()
    },
    answered(next) {
      background = next
      renew()
    },
  }
}

function inDepth(name: Exclude<ThemeName, 'auto'>, shade: Shade, depth: Capabilities['depth']): Theme {
  const theme = themeOn(name, shade)
  switch (depth) {
    case 0:
      return withoutColor(theme)
    case 1:
      return inSixteen(name, shade)
    case 2:
      return indexed(theme, name === 'light' || (name !== 'dark' && shade === 'light') ? 'light' : 'dark')
    case 3:
      return theme
  }
}

const made = new Map<string, Theme>()
