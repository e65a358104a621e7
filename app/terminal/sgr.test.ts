import { asciiGlyphs, darkTheme, type StyledSpan } from '@sluice/permissions-ui'
import { expect, test } from 'vitest'
import { rowToText } from './sgr.ts'

const ink = { theme: darkTheme, styles: true }

test.each<[StyledSpan, string]>([
  [{ text: 'plain' }, 'plain'],
  [{ text: 'x', bold: true }, '\x1b[1mx\x1b[0m'],
  [{ text: 'x', color: '#ff8000' }, '\x1b[38;2;255;128;0mx\x1b[0m'],
  [{ text: 'x', backgroundColor: '#010203' }, '\x1b[48;2;1;2;3mx\x1b[0m'],
  [{ text: 'x', color: 'ansi256(22)', backgroundColor: 'ansi256(52)' }, '\x1b[38;5;22;48;5;52mx\x1b[0m'],
  [{ text: 'x', color: 'red' }, '\x1b[31mx\x1b[0m'],
  [{ text: 'x', color: 'cyanBright', underline: true }, '\x1b[4;96mx\x1b[0m'],
  [{ text: 'x', dim: true, italic: true, inverse: true }, '\x1b[2;3;7mx\x1b[0m'],
  [{ text: '', bold: true }, ''],
])('%j', (span, text) => {
  expect(rowToText({ spans: [span] }, ink)).toBe(text)
})

test('without styles there is no escape sequence, without faint text no faint, in ASCII no other sign', () => {
  const row = {
    spans: [
      { text: '✓ ', color: 'green' },
      { text: 'a', dim: true },
    ],
  }
  expect(rowToText(row, { theme: darkTheme, styles: false })).toBe('✓ a')
  expect(rowToText(row, { theme: { ...darkTheme, dim: false }, styles: true })).toBe('\x1b[32m✓ \x1b[0ma')
  expect(rowToText(row, { theme: { ...darkTheme, glyphs: asciiGlyphs }, styles: false })).toBe('+ a')
})
