import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type MemorySession, memorySessionIndex, summaryOf } from '../../../fixtures/memory-session-index.ts'
import { listSessions } from './listing.ts'
import type { HereSession } from './picker-row.ts'

const many = (count: number): MemorySession[] =>
  Array.from({ length: count }, (_, i) =>
    summaryOf({
      id: `s_${i}`,
      title: `number ${i}`,
      updatedAt: new Date(Date.UTC(2026, 0, 1) - i * 60_000).toISOString(),
      cwd: i % 3 === 0 ? '/home/ada/other' : '/home/ada/shop',
    }),
  )

const hereOf = (session: MemorySession, number: number): HereSession => ({
  session: { ...session, live: true },
  number,
  state: 'idle',
  front: false,
  preview: () => ({ lastInput: '', lastAnswer: '', files: [], todo: [], stopReason: null }),
})

test('from wherever it is read, the rows are the same, and those of this process stand first and once', () => {
  const sessions = many(400)
  const filters = fc.record({
    words: fc.constantFrom('', 'number', '7', '39', 'nothing'),
    cwd: fc.constantFrom(null, '/home/ada/shop', '/home/ada/other'),
    content: fc.constant(false),
  })
  const steps = fc.array(fc.nat({ max: 420 }), { minLength: 1, maxLength: 6 })
  const running = fc.uniqueArray(fc.nat({ max: 410 }), { maxLength: 4 })
  fc.assert(
    fc.property(filters, steps, running, (filter, jumps, ids) => {
      const index = memorySessionIndex(sessions)
      const here = ids.map((id, i) =>
        hereOf(sessions[id] ?? summaryOf({ id: `new_${id}`, title: 'number new' }), i + 1),
      )
      const fits = here.filter(({ session }) => `${session.title} ${session.cwd} ${session.id}`.includes(filter.words))
      const own = new Set(here.map(({ session }) => session.id))
      const expected = [
        ...fits.map(({ session }) => session.id),
        ...index
          .list({ words: filter.words, ...(filter.cwd === null ? {} : { cwd: filter.cwd }) })
          .map(({ id }) => id)
          .filter((id) => !own.has(id)),
      ]
      const listing = listSessions(index, here, filter)
      expect(listing.total).toBe(expected.length)
      for (const jump of jumps) {
        expect(listing.rows(jump, jump + 20).map(({ session }) => session.id)).toEqual(expected.slice(jump, jump + 20))
        expect(listing.at(jump)?.session.id).toBe(expected[jump])
      }
      const last = expected.at(-1)
      if (last !== undefined) expect(listing.find(last, expected.length - 1)).toBe(expected.length - 1)
    }),
  )
})

test('the end of a long list is read from the end', () => {
  const index = memorySessionIndex(many(5000))
  const read: number[] = []
  const { list } = index
  index.list = (filter) => {
    const rows = list(filter)
    read.push(rows.length)
    return rows
  }
  const listing = listSessions(index, [], { words: '', content: false, cwd: null })
  expect(listing.rows(0, 20)).toHaveLength(20)
  expect(listing.at(4999)?.session.id).toBe('s_4999')
  expect(listing.rows(4980, 5000).map(({ session }) => session.id)[0]).toBe('s_4980')
  expect(read.every((rows) => rows <= 60)).toBe(true)
})

test('a search gives what was found in its order, with what runs here marked', () => {
  const sessions = many(5).map((session, i) => ({ ...session, content: i % 2 === 0 ? 'a needle here' : 'hay' }))
  const [, , third] = sessions
  if (third === undefined) throw new Error('five sessions')
  const listing = listSessions(memorySessionIndex(sessions), [hereOf(third, 1)], {
    words: 'needle',
    content: true,
    cwd: null,
  })
  expect(listing.rows(0, 9).map(({ session, here, snippet }) => [session.id, here?.number, snippet?.marks])).toEqual([
    ['s_0', undefined, [[2, 8]]],
    ['s_2', 1, [[2, 8]]],
    ['s_4', undefined, [[2, 8]]],
  ])
  expect([listing.total, listing.find('s_4', 0)]).toEqual([3, 2])
})
