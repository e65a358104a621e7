/** The signs of our own words in ASCII, for terminals and fonts that have no others. */
import type { StyledRow, StyledSpan } from '../blocks/styled-row.ts'

/**
 * The row with our signs written in ASCII, in the same cells; the same object when it has none. Only `⏎` grows, into blanks
 * at the end of the row. Not for what a person decides on: there a sign may be a part of the text.
 */
export function asciiRow(row: StyledRow): StyledRow {
  if (!row.spans.some((span) => signs.test(span.text))) return row
  let grown = 0
  const spans = row.spans.map((span): StyledSpan => {
    if (!signs.test(span.text)) return span
    const text = span.text.replace(everySign, (sign) => replacements[sign] ?? sign)
    grown += text.length - span.text.length
    return { ...span, text }
  })
  const last = spans.at(-1)
  if (grown > 0 && last !== undefined) {
    const blanks = /[ ]*$/.exec(last.text)?.[0].length ?? 0
    spans[spans.length - 1] = { ...last, text: last.text.slice(0, last.text.length - Math.min(blanks, grown)) }
  }
  return { spans }
}

const replacements: Record<string, string> = {
  '·': '|',
  '…': '~',
  '−': '-',
  '–': '-',
  '—': '-',
  '≥': '>',
  '±': '~',
  '⏎': 'enter',
  '↑': '^',
  '↓': 'v',
  '←': '<',
  '→': '>',
  '⇧': '^',
  '“': '"',
  '”': '"',
  '‘': "'",
  '’': "'",
  '•': '*',
  '❯': '>',
  '▸': '>',
  '▾': 'v',
  '✓': '+',
  '✗': 'x',
  '─': '-',
  '━': '=',
  '╌': '-',
  '│': '|',
  '┬': '+',
  '┴': '+',
  '┼': '+',
  '├': '+',
  '┤': '+',
}
const set = Object.keys(replacements).join('')
const signs = new RegExp(`[${set}]`)
const everySign = new RegExp(`[${set}]`, 'g')
