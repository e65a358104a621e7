import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventStream, startSession, startTurn, teller } from '../../../fixtures/screen/event-streams.ts'
import { lines, tellCommand, tellEdit } from '../../../fixtures/session-files.ts'
import type { AgentEvent } from '../../protocol/index.ts'
import { fold, nothingFolded, timed } from './fold.ts'
import { readRecords } from './records.ts'

function read(bytes: Buffer) {
  const events: AgentEvent[] = []
  let lost = 0
  let folded = nothingFolded
  readRecords(bytes, {
    record(event) {
      events.push(event)
      folded = fold(folded, event)
    },
    passed(time) {
      folded = timed(folded, time)
    },
    lost: () => void lost++,
  })
  return { events, lost, folded }
}

test('passing over what says nothing gives the same as reading all', () => {
  fc.assert(
    fc.property(eventStream, (events) => {
      const { lost, folded } = read(Buffer.from(lines(events)))
      expect(lost).toBe(0)
      expect(folded).toEqual(
        events
          .filter((event) => !['state', 'text_delta', 'reasoning_delta', 'tool_output'].includes(event.type))
          .reduce(fold, nothingFolded),
      )
    }),
    { numRuns: 100 },
  )
})

test('long outputs are passed over without parsing, edits are not', () => {
  const to = teller()
  startSession(to)
  startTurn(to, 'x')
  tellCommand(to, 'c1', 'cat all', 'output with "newHash": in it\n'.repeat(500))
  tellEdit(to, 'c2', 'a.ts', ['a'], ['b'])
  const { events } = read(Buffer.from(lines(to.events)))
  expect(events.filter(({ type }) => type === 'tool_result')).toHaveLength(1)
  expect(events.filter(({ type }) => type === 'tool_proposed')).toEqual([])
})

describe('damage', () => {
  const to = teller()
  startSession(to)
  startTurn(to, 'x')
  tellCommand(to, 'c1', 'cat all', 'x'.repeat(2_000))
  const whole = lines(to.events).split('\n').slice(0, -1)

  test.each([
    ['half a record', (line: string) => line.slice(0, line.length / 2)],
    ['zeros', (line: string) => `${line.slice(0, 300)}${'\0'.repeat(100)}${line.slice(400)}`],
    ['no JSON', () => 'garbage'],
    ['no record', () => '{"a":1}'],
    ['an empty object of our version', () => '{"v":1}'],
  ])('%s is counted once, and all other records are read', (_, damage) => {
    for (let at = 0; at < whole.length; at++) {
      const damaged = whole.map((line, n) => (n === at ? damage(line) : line)).join('\n')
      const expected = read(Buffer.from(whole.filter((_, n) => n !== at).join('\n'))).events
      expect(read(Buffer.from(damaged))).toMatchObject({ lost: 1, events: expected })
    }
  })

  test('a whole record behind damage on the same line is read', () => {
    const text = `${whole[0]}\n${(whole[1] ?? '').slice(0, 40)}${whole[1]}\n`
    expect(read(Buffer.from(text))).toMatchObject({ lost: 1, events: to.events.slice(0, 2) })
  })

  test('blank lines and line endings of Windows are no damage', () => {
    expect(read(Buffer.from(`\n\r\n${whole[0]}\r\n\n`))).toMatchObject({ lost: 0, events: to.events.slice(0, 1) })
  })

  test('records of a newer version are not lost, only not understood', () => {
    expect(read(Buffer.from('{"v":9,"seq":1,"time":"t","sessionId":"s","turnId":null,"type":"new"}'))).toMatchObject({
      lost: 0,
      events: [],
    })
  })
})
