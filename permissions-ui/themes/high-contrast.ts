/** Contrast of 7 and more, and no faint text. */
import type { Theme } from '../theme.ts'
import { unicodeGlyphs } from './glyphs.ts'

export const highContrastOnDark: Theme = {
  name: 'high-contrast',
  color: true,
  dim: false,
  accent: '#8fc7ff',
  accent2: '#ffd479',
  muted: '#d0d0d0',
  ok: '#7dff7d',
  bad: '#ff9c9c',
  warn: '#ffe14d',
  addText: '#a8ffa8',
  addBackground: '#002a08',
  addWord: '#004a10',
  delText: '#ffc4c4',
  delBackground: '#3a0008',
  delWord: '#5c000f',
  code: {
    keyword: '#e6d4ff',
    string: '#b8ffb8',
    number: '#ffd0a0',
    comment: '#d8d8d8',
    type: '#9af0ff',
    title: '#bcdcff',
  },
  glyphs: unicodeGlyphs,
}

export const highContrastOnLight: Theme = {
  name: 'high-contrast',
  color: true,
  dim: false,
  accent: '#0033a0',
  accent2: '#5c3500',
  muted: '#3d3d3d',
  ok: '#00450c',
  bad: '#8a0012',
  warn: '#5c3500',
  addText: '#003d0a',
  addBackground: '#e2f7e2',
  addWord: '#c2edc2',
  delText: '#70000e',
  delBackground: '#ffe9e9',
  delWord: '#ffd2d2',
  code: {
    keyword: '#4f0a8a',
    string: '#00400c',
    number: '#662a00',
    comment: '#3a3a3a',
    type: '#003f54',
    title: '#002b8a',
  },
  glyphs: unicodeGlyphs,
}
