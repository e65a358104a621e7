/**
 * The terminal's own sixteen colours, by name. Only names that can be read with the palettes of xterm and of a PC console;
 * grey is not used, because some palettes make it the colour of the background.
 */
import type { Theme } from '../theme.ts'
import { unicodeGlyphs } from './glyphs.ts'

export const ansiOnDark: Theme = {
  name: 'ansi',
  color: true,
  dim: true,
  accent: 'cyan',
  accent2: 'magentaBright',
  muted: undefined,
  ok: 'green',
  bad: 'redBright',
  warn: 'yellowBright',
  addText: 'green',
  addBackground: undefined,
  addWord: undefined,
  delText: 'redBright',
  delBackground: undefined,
  delWord: undefined,
  code: { keyword: 'magentaBright', string: 'yellowBright', number: 'cyan', type: 'cyan' },
  glyphs: unicodeGlyphs,
}

export const ansiOnLight: Theme = {
  ...ansiOnDark,
  accent: 'blue',
  accent2: 'magenta',
  ok: 'blue',
  bad: 'red',
  warn: 'magenta',
  addText: 'blue',
  delText: 'red',
  code: { keyword: 'magenta', string: 'blue', number: 'blue', type: 'blue' },
}

/** Where the colour-blind theme has sixteen colours only; on light backgrounds blue and red are far enough apart. */
export const ansiColorBlindOnDark: Theme = {
  ...ansiOnDark,
  accent: 'magentaBright',
  ok: 'cyan',
  bad: 'yellowBright',
  warn: 'white',
  addText: 'cyan',
  delText: 'yellowBright',
}
