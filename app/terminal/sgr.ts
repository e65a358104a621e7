/** Styled rows as text for the terminal itself, where no Ink draws them. */
import { asciiGlyphs, asciiRow, type StyledRow, type StyledSpan, type Theme } from '@sluice/permissions-ui'

/** How much of a style the terminal gets: without `styles` there is no escape sequence at all. */
export type Ink = { theme: Theme; styles: boolean }

/** One row; spans hold no line feeds and are sanitised. */
export function rowToText(given: StyledRow, { theme, styles }: Ink): string {
  const { spans } = theme.glyphs === asciiGlyphs ? asciiRow(given) : given
  return spans.map((span) => (styles ? spanToText(span, theme) : span.text)).join('')
}

function spanToText(span: StyledSpan, theme: Theme): string {
  if (span.text === '') return ''
  const codes = [
    ...(span.bold ? ['1'] : []),
    ...(span.dim && theme.dim ? ['2'] : []),
    ...(span.italic ? ['3'] : []),
    ...(span.underline ? ['4'] : []),
    ...(span.inverse ? ['7'] : []),
    ...colorCodes(span.color, 0),
    ...colorCodes(span.backgroundColor, 10),
  ]
  return codes.length === 0 ? span.text : `\x1b[${codes.join(';')}m${span.text}\x1b[0m`
}

/** `shift` is 10 for backgrounds. */
function colorCodes(color: string | undefined, shift: 0 | 10): string[] {
  if (color === undefined) return []
  if (color.startsWith('#')) {
    const channel = (from: number) => Number.parseInt(color.slice(from, from + 2), 16)
    return [`${38 + shift};2;${channel(1)};${channel(3)};${channel(5)}`]
  }
  const index = /^ansi256\((\d+)\)$/.exec(color)?.[1]
  if (index !== undefined) return [`${38 + shift};5;${index}`]
  const bright = color.endsWith('Bright')
  const base = names.indexOf(bright ? color.slice(0, -6) : color)
  return base === -1 ? [] : [String(base + (bright ? 90 : 30) + shift)]
}

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']
