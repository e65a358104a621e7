import { expect, test } from 'vitest'
import { revealBlanks } from './reveal.ts'
import { sanitizeForTerminal } from './sanitize.ts'

test.each([
  { name: 'short runs', input: `a${' '.repeat(40)}b`, shown: `a${' '.repeat(40)}b` },
  { name: 'long runs', input: `a${' '.repeat(300)}; id`, shown: 'a ·x300 ; id' },
  { name: 'runs of tabs', input: `a${'\t'.repeat(10)}; id`, shown: 'a →·x79 ; id' },
  { name: 'empty lines', input: `a${'\n'.repeat(12)}b`, shown: 'a\n⏎x12\nb' },
  { name: 'a few empty lines', input: 'a\n\n\nb', shown: 'a\n\n\nb' },
])('writes out $name', ({ input, shown }) => {
  expect(revealBlanks(sanitizeForTerminal(input, 'visible'))).toBe(shown)
})
