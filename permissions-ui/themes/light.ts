/** For light backgrounds, from white to a warm or cool off-white. */
import type { Theme } from '../theme.ts'
import { unicodeGlyphs } from './glyphs.ts'

export const lightTheme: Theme = {
  name: 'light',
  color: true,
  dim: true,
  accent: '#1d4fd7',
  accent2: '#85500a',
  muted: '#565d6b',
  ok: '#1f6b2c',
  bad: '#b3202c',
  warn: '#85500a',
  addText: '#17541f',
  addBackground: '#e3f6e3',
  addWord: '#bfe8c0',
  delText: '#8f1620',
  delBackground: '#fde8e8',
  delWord: '#f7c9c9',
  code: {
    keyword: '#7527b8',
    string: '#1d5f2a',
    number: '#8f3c07',
    comment: '#525866',
    type: '#0b5a74',
    title: '#1b46bd',
  },
  glyphs: unicodeGlyphs,
}
