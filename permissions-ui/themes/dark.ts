/** For dark backgrounds, from black to a dark grey. */
import type { Theme } from '../theme.ts'
import { unicodeGlyphs } from './glyphs.ts'

export const darkTheme: Theme = {
  name: 'dark',
  color: true,
  dim: true,
  accent: '#8ab0ff',
  accent2: '#e0af68',
  muted: '#a3abbd',
  ok: '#9ece6a',
  bad: '#ff8fa3',
  warn: '#f0c674',
  addText: '#c3e88d',
  addBackground: '#1d2f21',
  addWord: '#2b4f31',
  delText: '#ffb0ba',
  delBackground: '#35202a',
  delWord: '#5a2936',
  code: {
    keyword: '#cdb4ff',
    string: '#b5e08a',
    number: '#ffb48a',
    comment: '#c2c7d4',
    type: '#6fd6ec',
    title: '#a5c2ff',
  },
  glyphs: unicodeGlyphs,
}
