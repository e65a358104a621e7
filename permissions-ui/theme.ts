/** Colours by meaning; components never name a colour themselves. */
import { createContext, useContext } from 'react'

/** Ink colour values (`#rrggbb` or an ANSI name); undefined is the terminal's own colour. */
export type Theme = {
  name: string
  /** False when colours must not be used at all (NO_COLOR). */
  color: boolean
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

export type Glyphs = {
  horizontal: string
  vertical: string
  teeDown: string
  teeUp: string
  prompt: string
  closed: string
  open: string
  ok: string
  bad: string
  warn: string
  running: string
  todo: string
  minus: string
  bar: string
  barEmpty: string
  star: string
  live: string
  down: string
  ellipsis: string
}

export const unicodeGlyphs: Glyphs = {
  horizontal: '─',
  vertical: '│',
  teeDown: '┬',
  teeUp: '┴',
  prompt: '❯',
  closed: '▸',
  open: '▾',
  ok: '✓',
  bad: '✗',
  warn: '!',
  running: '▸',
  todo: '·',
  minus: '−',
  bar: '━',
  barEmpty: '╌',
  star: '★',
  live: '●',
  down: '↓',
  ellipsis: '…',
}

export const asciiGlyphs: Glyphs = {
  horizontal: '-',
  vertical: '|',
  teeDown: '+',
  teeUp: '+',
  prompt: '>',
  closed: '>',
  open: 'v',
  ok: 'x',
  bad: 'X',
  warn: '!',
  running: '>',
  todo: '.',
  minus: '-',
  bar: '=',
  barEmpty: '-',
  star: '*',
  live: 'o',
  down: 'v',
  ellipsis: '...',
}

export const darkTheme: Theme = {
  name: 'dark',
  color: true,
  accent: '#7aa2f7',
  accent2: '#e0af68',
  muted: '#7d8496',
  ok: '#9ece6a',
  bad: '#f7768e',
  warn: '#e0af68',
  addText: '#c3e88d',
  addBackground: '#1d2f21',
  addWord: '#2f5a36',
  delText: '#ff9aa8',
  delBackground: '#35202a',
  delWord: '#6b2f3d',
  code: {
    keyword: '#bb9af7',
    string: '#9ece6a',
    number: '#ff9e64',
    comment: '#7d8496',
    type: '#2ac3de',
    title: '#7aa2f7',
  },
  glyphs: unicodeGlyphs,
}

export const ThemeContext = createContext<Theme>(darkTheme)

export function useTheme(): Theme {
  return useContext(ThemeContext)
}
