/** The signs that the screen draws with, and what stands for them where only ASCII can be shown. */

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
  ok: '+',
  bad: 'x',
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
