/** A cut text holds no part of a secret that could not be redacted any more. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../session/redact.ts'
import { cutAfter, cutBefore, shorten } from './shorten.ts'

describe('a shortened text', () => {
  test.each([
    ['short', 10, 'short'],
    ['exactly ten', 11, 'exactly ten'],
    ['two words here', 10, 'two words…'],
    ['a word cut', 6, 'a wor…'],
    ['see /a/very/long/path/of/a/file', 20, 'see /a/very…'],
    ['/a/very/long/path/of/a/file', 20, '/a/very…'],
    ['😀😀😀😀', 4, '😀…'],
  ])('%j in %i characters is %j', (text, max, short) => {
    expect(shorten(text, max)).toBe(short)
  })

  test('ends at its limit in what is no word at all', () => {
    expect(shorten('x'.repeat(9_000), 5_000)).toHaveLength(5_000)
  })

  test('holds at most seven letters of a secret that it cuts', () => {
    const secret = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'
    const redactor = createRedactor()
    expect(redactor.text(secret)).not.toContain('eyJ')
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.integer({ min: 2, max: 200 }), (before, max) => {
        const text = `${before} ${secret} and more words behind it`
        for (const cut of [shorten(text, max), text.slice(0, cutBefore(text, max)), text.slice(cutAfter(text, max))]) {
          const left = redactor.text(cut)
          for (let at = 0; at + 8 <= secret.length; at++) expect(left).not.toContain(secret.slice(at, at + 8))
        }
      }),
      { numRuns: 300 },
    )
  })
})
