import type { Block } from '@sluice/engine/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffBlock, startSession, startTurn, teller } from '../../fixtures/screen/event-streams.ts'
import { append, at, emptyLog, entries } from './log.ts'
import { reduce } from './reduce.ts'
import { appendTail, emptyTail, keepEnds, retainBlocks } from './retain.ts'
import { initialState } from './state.ts'

test('a tail is the end of what came, at most 200 lines and 64,000 characters', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', '\n', 'bc\n'), maxLength: 300 })), (chunks) => {
      const whole = chunks.join('')
      const tail = chunks.reduce(appendTail, emptyTail)
      expect(whole.endsWith(tail.text)).toBe(true)
      expect(tail.text.split('\n').length).toBeLessThanOrEqual(201)
      if (!tail.cut) expect(tail.text).toBe(whole)
    }),
  )
  const long = appendTail(emptyTail, 'x'.repeat(1_000_000))
  expect([long.text.length, long.cut]).toEqual([64_000, true])
})

test('blocks within bounds are the given array; larger ones keep both ends and say what is missing', () => {
  const small: Block[] = [{ type: 'text', text: 'hello' }, diffBlock('a.ts', ['x'], ['y'])]
  expect(retainBlocks(small)).toBe(small)
  const [kept] = retainBlocks([{ type: 'output', text: `start${'x'.repeat(60_000)}end`, exitCode: 0 }])
  expect(kept).toMatchObject({ type: 'output', exitCode: 0 })
  const text = kept?.type === 'output' ? kept.text : ''
  expect(text.length).toBeLessThan(9_000)
  expect(text.startsWith('start')).toBe(true)
  expect(text.endsWith('end')).toBe(true)
  expect(text).toContain('52,008 characters not kept here')
})

test('a huge diff keeps its figures and its first lines', () => {
  const block = diffBlock(
    'big.ts',
    [],
    Array.from({ length: 5_000 }, (_, i) => `line ${i}`),
  )
  const [kept] = retainBlocks([block])
  if (kept?.type !== 'diff') throw new Error('the block changed its kind')
  expect(kept.diff).toMatchObject({ additions: 5_000, note: '4,401 more lines are not kept here' })
  expect(kept.diff.hunks[0]?.lines).toHaveLength(600)
})

test('keepEnds leaves short texts alone', () => {
  expect(keepEnds('abc', 3)).toBe('abc')
})

test('a log keeps every entry in order, whatever version of it is extended', () => {
  let log = emptyLog<number>()
  const versions = [log]
  for (let i = 0; i < 1_000; i++) {
    log = append(log, i)
    versions.push(log)
  }
  const branch = append(versions[300] ?? log, -1)
  expect([...entries(log)]).toEqual(Array.from({ length: 1_000 }, (_, i) => i))
  expect([at(branch, 300), branch.length, at(log, 300), at(log, 1_000), at(log, -1)]).toEqual([
    -1,
    301,
    300,
    undefined,
    undefined,
  ])
})

test('3,000 calls of 50 kB each keep less than 10 kB apiece', () => {
  const to = teller()
  startSession(to)
  startTurn(to, 'go')
  let state = to.events.reduce(reduce, initialState)
  for (let i = 0; i < 3_000; i++) {
    const call = { id: `c${i}`, name: 'bash', input: { command: 'x'.repeat(50_000) } }
    const text = `${i} ${'y'.repeat(50_000)}`
    const event = to.tell({
      type: 'tool_result',
      call,
      blocks: [{ type: 'output', text, exitCode: 0 }],
      result: { ok: true, summary: 'ok', content: text, metadata: { durationMs: 1 } },
    })
    state = reduce(state, event)
    to.events.length = 0
  }
  let chars = 0
  const settled = state.sessions.s1?.settled
  if (settled) for (const item of entries(settled)) chars += JSON.stringify(item).length
  expect(chars).toBeLessThan(3_000 * 10_000)
})
