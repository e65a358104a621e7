import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createQuietGate } from './quiet.ts'

/** Presses keys at the given times; the draft is what reached it. */
function play(arrivesAt: number, keys: { at: number; key: string }[]) {
  const gate = createQuietGate({ quietMs: 400 })
  let draft = ''
  let dialog = ''
  let open = false
  for (const { at, key } of keys) {
    if (!open && at >= arrivesAt) {
      gate.arrived(arrivesAt)
      open = true
    }
    if (gate.press(at, draft !== '') === 'draft') draft += key
    else dialog += key
  }
  return { draft, dialog }
}

describe('createQuietGate', () => {
  test('keys typed at 20 ms intervals across the arrival of a question all reach the draft', () => {
    const keys = [...'yes 1\ry1\r yes'].map((key, i) => ({ at: -100 + i * 20, key }))
    expect(play(0, keys)).toEqual({ draft: 'yes 1\ry1\r yes', dialog: '' })
  })

  test.each([
    { name: 'a key after the quiet', keys: [{ at: 400, key: 'y' }], draft: '', dialog: 'y' },
    { name: 'a key before the quiet', keys: [{ at: 399, key: 'y' }], draft: 'y', dialog: '' },
    {
      name: 'keys that keep coming, however long',
      keys: Array.from({ length: 100 }, (_, i) => ({ at: 390 * (i + 1), key: 'y' })),
      draft: 'y'.repeat(100),
      dialog: '',
    },
    {
      name: 'the keys after the first one that was meant for it',
      keys: [400, 410, 420].map((at) => ({ at, key: 'j' })),
      draft: '',
      dialog: 'jjj',
    },
    {
      name: 'a key long after a draft was begun',
      keys: [
        { at: 100, key: 'h' },
        { at: 5_000, key: 'y' },
      ],
      draft: 'hy',
      dialog: '',
    },
  ])('routes $name', ({ keys, draft, dialog }) => {
    expect(play(0, keys)).toEqual({ draft, dialog })
  })

  test('keys pressed shortly before the arrival prolong nothing but their own quiet', () => {
    const gate = createQuietGate({ quietMs: 400 })
    expect(gate.press(0)).toBe('draft')
    gate.arrived(100)
    expect([gate.wouldGo(499), gate.wouldGo(500)]).toEqual(['draft', 'dialog'])
  })

  test('a draft that was emptied again lets the question be answered after a quiet', () => {
    const gate = createQuietGate({ quietMs: 400 })
    gate.arrived(0)
    expect(gate.press(100, false)).toBe('draft')
    expect(gate.press(200, true)).toBe('draft')
    expect(gate.press(500, false)).toBe('draft')
    expect(gate.press(900, false)).toBe('dialog')
  })

  test('asking for the question gives it the keys at once, leaving it takes them away', () => {
    const gate = createQuietGate({ quietMs: 400 })
    gate.arrived(0)
    gate.focus()
    expect(gate.press(10, true)).toBe('dialog')
    gate.leave()
    expect(gate.press(5_000, false)).toBe('draft')
    gate.focus()
    expect(gate.press(5_010, true)).toBe('dialog')
  })

  test('the next question has its own quiet', () => {
    const gate = createQuietGate({ quietMs: 400 })
    gate.arrived(0)
    expect(gate.press(1_000)).toBe('dialog')
    gate.arrived(1_005)
    expect(gate.press(1_010)).toBe('draft')
    gate.gone()
    expect(gate.press(9_000)).toBe('draft')
    gate.focus()
    expect(gate.press(9_001)).toBe('draft')
  })

  test('no key reaches a question before 400 ms without keys since it came', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 40 })
    fc.assert(
      fc.property(gaps, fc.integer({ min: 0, max: 3_000 }), (steps, arrival) => {
        const gate = createQuietGate({ quietMs: 400 })
        let now = 0
        let last = Number.NEGATIVE_INFINITY
        let arrived = false
        let opened = false
        for (const step of steps) {
          now += step
          if (!arrived && now >= arrival) {
            arrived = true
            gate.arrived(arrival)
            last = Math.max(last, arrival)
          }
          const quiet = arrived && now - last >= 400
          opened ||= quiet
          expect(gate.press(now)).toBe(opened ? 'dialog' : 'draft')
          last = now
        }
      }),
    )
  })
})
