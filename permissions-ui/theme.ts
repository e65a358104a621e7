/** Colours by meaning; components never name a colour themselves. */
import { createContext, useContext } from 'react'
import { darkTheme } from './themes/dark.ts'
import type { Glyphs } from './themes/glyphs.ts'

export { darkTheme } from './themes/dark.ts'
export { asciiGlyphs, type Glyphs, unicodeGlyphs } from './themes/glyphs.ts'

/** Ink colour values (`#rrggbb`, `ansi256(n)` or an ANSI name); undefined is the terminal's own colour. */
export type Theme = {
  name: string
  /** False when colours must not be used at all (NO_COLOR). */
  color: boolean
  /** False where faint text would be too hard to read. */
  dim: boolean
  accent: string | undefined
  accent2: string | undefined
  /** Chrome, hints, line numbers. */
  muted: string | undefined
  ok: string | undefined
  bad: string | undefined
  warn: string | undefined
  addText: string | undefined
  addBackground: string | undefined
  addWord: string | undefined
  delText: string | undefined
  delBackground: string | undefined
  delWord: string | undefined
  code: { keyword?: string; string?: string; number?: string; comment?: string; type?: string; title?: string }
  /** Box-drawing characters, or their ASCII stand-ins. */
  glyphs: Glyphs
}

export const ThemeContext = createContext<Theme>(darkTheme)

export function useTheme(): Theme {
  return useContext(ThemeContext)
}
