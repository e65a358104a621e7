/** A row's spans as one text with its colours in it, as Ink's `<Text>` would paint each of them. */
import chalk, { type ChalkInstance, foregroundColorNames } from 'chalk'
import type { StyledSpan } from './styled-row.ts'

/** One text instead of an element for each span: a list that changes whole costs the renderer half. */
export function paintedText(spans: readonly StyledSpan[]): string {
  let text = ''
  for (const span of spans) text += brushOf(span)(span.text)
  return text
}

type Brush = (text: string) => string

/** By what a span looks like and how many colours the terminal has: a theme has a few dozen of them. */
const brushes = new Map<string, Brush>()

function brushOf(span: StyledSpan): Brush {
  const { color = '', backgroundColor = '', bold, dim, italic, underline, inverse } = span
  const marks = (bold ? 1 : 0) | (dim ? 2 : 0) | (italic ? 4 : 0) | (underline ? 8 : 0) | (inverse ? 16 : 0)
  const key = `${chalk.level} ${marks} ${color} ${backgroundColor}`
  let brush = brushes.get(key)
  if (brush === undefined) {
    brush = makeBrush(span)
    brushes.set(key, brush)
  }
  return brush
}

function makeBrush({ color, backgroundColor, bold, dim, italic, underline, inverse }: StyledSpan): Brush {
  let style: ChalkInstance = chalk
  // The last one is written innermost: the order of Ink.
  if (inverse) style = style.inverse
  if (underline) style = style.underline
  if (italic) style = style.italic
  if (bold) style = style.bold
  if (backgroundColor) style = coloured(style, backgroundColor, 'background')
  if (color) style = coloured(style, color, 'foreground')
  if (dim) style = style.dim
  return style === chalk ? (text) => text : style
}

/** `#rrggbb`, `ansi256(n)` or a name; anything else is no colour, as in Ink. */
function coloured(style: ChalkInstance, color: string, ground: 'foreground' | 'background'): ChalkInstance {
  const behind = ground === 'background'
  if (color.startsWith('#')) return behind ? style.bgHex(color) : style.hex(color)
  const number = /^ansi256\(\s?(\d+)\s?\)$/.exec(color)?.[1]
  if (number !== undefined) return behind ? style.bgAnsi256(Number(number)) : style.ansi256(Number(number))
  const name = foregroundColorNames.find((known) => known === color)
  if (name === undefined) return style
  return behind ? style[`bg${name.charAt(0).toUpperCase()}${name.slice(1)}` as 'bgRed'] : style[name]
}
