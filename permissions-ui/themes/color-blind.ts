/** Blue and orange take the places of green and red, which most colour-blind people cannot tell apart. */
import type { Theme } from '../theme.ts'
import { unicodeGlyphs } from './glyphs.ts'

export const colorBlindOnDark: Theme = {
  name: 'color-blind',
  color: true,
  dim: true,
  accent: '#c3b5ff',
  accent2: '#e6d27a',
  muted: '#a3abbd',
  ok: '#6fb8ff',
  bad: '#ffa74d',
  warn: '#f2e05c',
  addText: '#a9d4ff',
  addBackground: '#12263d',
  addWord: '#1d4470',
  delText: '#ffc58a',
  delBackground: '#3a2708',
  delWord: '#60400b',
  code: {
    keyword: '#d7b8ff',
    string: '#a6d8e8',
    number: '#f2dc8a',
    comment: '#c2c7d4',
    type: '#8fe0f0',
    title: '#b7c9ff',
  },
  glyphs: unicodeGlyphs,
}

export const colorBlindOnLight: Theme = {
  name: 'color-blind',
  color: true,
  dim: true,
  accent: '#5b35b5',
  accent2: '#6b5900',
  muted: '#565d6b',
  ok: '#0b5cad',
  bad: '#9c4300',
  warn: '#6b5900',
  addText: '#08457f',
  addBackground: '#e2eefb',
  addWord: '#bcd9f7',
  delText: '#7d3500',
  delBackground: '#fdeedd',
  delWord: '#f9d5ae',
  code: {
    keyword: '#5f2ba8',
    string: '#0a5468',
    number: '#6b4a00',
    comment: '#525866',
    type: '#0b5a74',
    title: '#1b46bd',
  },
  glyphs: unicodeGlyphs,
}
