import { darkTheme } from '@sluice/permissions-ui'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { endTurn, say, startSession, startTurn, teller } from '../../fixtures/screen/event-streams.ts'
import { loadLexer } from '../markdown/lexer.ts'
import { createStore, type Store } from '../state/index.ts'
import { createScrollback, type Scrollback } from './scrollback.ts'
import { screenWriter } from './writer.ts'

beforeAll(loadLexer)

type Bench = { store: Store; scrollback: Scrollback; lines: string[]; tell(events: ReturnType<typeof teller>): void }

/** What was printed, at 60 columns. */
function bench(before?: ReturnType<typeof teller>): Bench {
  const store = createStore()
  if (before) store.dispatch({ type: 'ui_load', events: before.events })
  const lines: string[] = []
  const scrollback = createScrollback({
    store,
    print: (make) => void lines.push(...make(60)),
    writer: (columns) => screenWriter({ columns, ink: { theme: darkTheme, styles: false } }, '/home/ada'),
    transcriptPath: (id) => `/home/ada/${id}/transcript.jsonl`,
  })
  const seen = new Map<ReturnType<typeof teller>, number>()
  return {
    store,
    scrollback,
    get lines() {
      // The first two lines say where we are.
      return lines.slice(2)
    },
    tell(to) {
      const from = seen.get(to) ?? 0
      for (const event of to.events.slice(from)) store.dispatch(event)
      store.flush()
      seen.set(to, to.events.length)
    },
  }
}

describe('an answer that streams', () => {
  test('is written block by block, and its rest when it is whole', () => {
    const on = bench()
    const to = teller()
    startSession(to)
    startTurn(to, 'go')
    to.tell({ type: 'reasoning_delta', text: 'let me think' })
    to.tell({ type: 'text_delta', text: 'One.\n\nTw' })
    on.tell(to)
    expect(on.lines).toEqual(['❯ go', '', '▸ thought · 3 words', '', '  One.'])
    expect(on.scrollback.printed('s1')).toBe(6)
    to.tell({ type: 'text_delta', text: 'o.\n\nThree' })
    on.tell(to)
    expect(on.lines.slice(5)).toEqual(['', '  Two.'])
    const text = 'One.\n\nTwo.\n\nThree.'
    to.tell({ type: 'message', message: { role: 'assistant', content: text, reasoning: 'let me think' } })
    endTurn(to, 'final_answer')
    on.tell(to)
    expect(on.lines.slice(7, 9)).toEqual(['', '  Three.'])
    expect(on.lines.filter((line) => line.includes('One.'))).toHaveLength(1)
    expect(on.scrollback.printed('s1')).toBe(0)
  })

  test('that begins anew says so, and is written whole then', () => {
    const on = bench()
    const to = teller()
    startSession(to)
    startTurn(to, 'go')
    to.tell({ type: 'text_delta', text: 'A first try.\n\nIt' })
    on.tell(to)
    to.tell({ type: 'message', message: { role: 'assistant', content: 'Another answer.' } })
    on.tell(to)
    expect(on.lines).toEqual([
      '❯ go',
      '',
      '  A first try.',
      '  … broken off; the answer begins anew',
      '',
      '  Another answer.',
    ])
  })

  test('and is interrupted says where', () => {
    const on = bench()
    const to = teller()
    startSession(to)
    startTurn(to, 'go')
    to.tell({ type: 'text_delta', text: 'Begun.\n\nAnd th' })
    on.tell(to)
    to.tell({ type: 'message', message: { role: 'assistant', content: 'Begun.\n\nAnd th' }, partial: true })
    on.tell(to)
    expect(on.lines.slice(2)).toEqual(['  Begun.', '', '  And th', '  … cut short here'])
  })
})

test('a session in the background is written when it comes to the front', () => {
  const on = bench()
  const first = teller('s1')
  startSession(first)
  startTurn(first, 'one')
  on.tell(first)
  const second = teller('s2')
  startSession(second, { title: 'The other' })
  startTurn(second, 'two')
  on.tell(second)
  expect(on.lines).toEqual(['❯ one'])
  on.store.dispatch({ type: 'ui_focus', sessionId: 's2' })
  expect(on.lines.slice(1)).toEqual(['── session: The other ──', '❯ two'])
  say(first, 'done meanwhile')
  on.tell(first)
  on.store.dispatch({ type: 'ui_focus', sessionId: 's1' })
  expect(on.lines.slice(3).filter((line) => line !== '')).toEqual(['── session: s1 ──', '  done meanwhile'])
})

test('of a long session that is resumed the end is written, with the place of the rest', () => {
  const before = teller()
  startSession(before)
  for (let i = 0; i < 200; i++) before.tell({ type: 'notice', level: 'info', code: 'x', text: `notice ${i}` })
  const { lines } = bench(before)
  expect(lines[0]).toBe('… 141 earlier items are in /home/ada/s1/transcript.jsonl')
  expect(lines.slice(1)).toHaveLength(60)
  expect(lines.at(-1)).toBe('· notice 199')
})

test('however an answer arrives, its words stand there once and in order', () => {
  const block = fc.oneof(
    fc.integer({ min: 0, max: 999 }).map((n) => `paragraph ${n}`),
    fc.integer({ min: 0, max: 999 }).map((n) => `- item ${n}\n- item ${n + 1}`),
    fc.integer({ min: 0, max: 999 }).map((n) => `\`\`\`\ncode ${n}\n\nmore ${n}\n\`\`\``),
    fc.integer({ min: 0, max: 999 }).map((n) => `> quote ${n}\nlazy ${n}`),
  )
  fc.assert(
    fc.property(
      fc.array(block, { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      (blocks, cuts) => {
        const on = bench()
        const to = teller()
        startSession(to)
        startTurn(to, 'go')
        const text = blocks.join('\n\n')
        const places = [...new Set(cuts.map((cut) => cut % text.length))].sort((a, b) => a - b)
        let from = 0
        for (const place of [...places, text.length]) {
          if (place > from) to.tell({ type: 'text_delta', text: text.slice(from, place) })
          from = place
          on.tell(to)
        }
        to.tell({ type: 'message', message: { role: 'assistant', content: text } })
        on.tell(to)
        const words = (lines: string) => lines.match(/(paragraph|item|code|more|quote|lazy) \d+/g) ?? []
        expect(words(on.lines.join('\n'))).toEqual(words(text))
      },
    ),
    { numRuns: 200 },
  )
})
