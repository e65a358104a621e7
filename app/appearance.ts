/** Which theme the screen gets: the person's choice, else what the terminal can show and how bright it is. */
import { asciiGlyphs, darkTheme, type Theme } from '@sluice/permissions-ui'
import type { Capabilities } from './terminal/capabilities.ts'

/** An unknown name counts as none. */
export function chooseTheme(
  _name: string | undefined,
  capabilities: Pick<Capabilities, 'color' | 'unicode' | 'background'>,
): Theme {
  const glyphs = capabilities.unicode ? darkTheme.glyphs : asciiGlyphs
  return capabilities.color ? { ...darkTheme, glyphs } : { ...withoutColor(darkTheme), glyphs }
}

/** The theme with the terminal's own colour everywhere. */
function withoutColor(theme: Theme): Theme {
  const plain = Object.fromEntries(
    Object.entries(theme).map(([key, value]) => [key, typeof value === 'string' && key !== 'name' ? undefined : value]),
  )
  return { ...(plain as Theme), color: false, code: {} }
}
