import fc from 'fast-check'
import { expect, test } from 'vitest'
import { headTail } from './head-tail.ts'

test('what fits is kept whole', () => {
  const text = headTail(4, 6)
  text.append('0123')
  text.append('456789')
  expect(text.result()).toEqual({ head: '0123456789', tail: '', omittedBytes: 0 })
})

test('of more the two ends are kept, cut between lines, and what lies between is counted in bytes', () => {
  const text = headTail(10, 10)
  for (let line = 1; line <= 100; line++) text.append(`line ${line}\n`)
  expect(text.result()).toEqual({ head: 'line 1\n', tail: 'line 100\n', omittedBytes: 792 - 7 - 9 })
})

test('a line that has no end nearby is cut where it must be, but not within a character', () => {
  const text = headTail(3, 3)
  text.append('ab🚀🚀🚀yz')
  expect(text.result()).toEqual({ head: 'ab', tail: 'yz', omittedBytes: 12 })
})

test('head, omitted bytes and tail add up, however the text comes', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { maxLength: 60 }), (pieces) => {
      const text = headTail(20, 30)
      for (const piece of pieces) text.append(piece)
      const whole = pieces.join('')
      const { head, tail, omittedBytes } = text.result()
      expect(Buffer.byteLength(head) + omittedBytes + Buffer.byteLength(tail)).toBe(Buffer.byteLength(whole))
      expect(whole.startsWith(head)).toBe(true)
      expect(whole.endsWith(tail)).toBe(true)
    }),
  )
})
