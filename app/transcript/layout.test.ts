import { cellWidth, darkTheme, rowText } from '@sluice/permissions-ui'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { bashCall, eventStream, say, startSession, startTurn, teller } from '../../fixtures/screen/event-streams.ts'
import { shopDone } from '../../fixtures/screen/shop-session.ts'
import { loadLexer } from '../markdown/lexer.ts'
import { emptyView, initialState, reduce, type SessionView } from '../state/index.ts'
import { entriesOf } from './entries.ts'
import { nothingOpened } from './item-rows.ts'
import { createLayout } from './layout.ts'
import { newReader } from './reader.ts'
import { visibleRows } from './TranscriptView.tsx'

beforeAll(loadLexer)

function viewOf(events: readonly Parameters<typeof reduce>[1][]): SessionView {
  return events.reduce(reduce, initialState).sessions.s1 ?? emptyView('')
}

function lines(view: SessionView, width: number): string[] {
  const layout = createLayout()
  return visibleRows({ entries: entriesOf(view), layout, reader: newReader, width, height: 500 }, darkTheme).map(
    ({ row }) => rowText(row).trimEnd(),
  )
}

test('a paragraph that was drawn narrow is drawn wide again, once', () => {
  const to = teller()
  startSession(to)
  startTurn(to, 'go')
  say(to, Array.from({ length: 40 }, (_, i) => `w${i}`).join(' '))
  const layout = createLayout()
  const entries = entriesOf(viewOf(to.events))
  const rowsAt = (width: number) =>
    layout.use(entries, { width, theme: darkTheme, opened: nothingOpened }).rowsAt(2).length
  expect([rowsAt(40), rowsAt(120), rowsAt(40), rowsAt(120)]).toEqual([6, 3, 6, 3])
})

test('the same entry at the same width gives the same rows, and a delta only touches the last block', () => {
  const to = teller()
  startSession(to)
  startTurn(to, 'go')
  to.tell({ type: 'text_delta', text: 'First paragraph.\n\nSecond one' })
  const layout = createLayout()
  const draw = () => {
    const entries = entriesOf(viewOf(to.events))
    const rows = layout.use(entries, { width: 60, theme: darkTheme, opened: nothingOpened })
    return rows.rowsAt(entries.count - 1)
  }
  const before = draw()
  to.tell({ type: 'text_delta', text: ' goes on' })
  const after = draw()
  expect(after.map((row, i) => row === before[i])).toEqual([true, true, true, false])
  expect(after.map((row) => rowText(row).trim())).toEqual(['', 'First paragraph.', '', 'Second one goes on'])
})

test('words that settle are drawn as they were while they streamed', () => {
  fc.assert(
    fc.property(eventStream, fc.integer({ min: 20, max: 100 }), (events, width) => {
      const layout = createLayout()
      let state = initialState
      for (const event of events) {
        state = reduce(state, event)
        const view = state.sessions.s1
        if (view === undefined) continue
        const rows = visibleRows({ entries: entriesOf(view), layout, reader: newReader, width, height: 20 }, darkTheme)
        const fresh = visibleRows(
          { entries: entriesOf(view), layout: createLayout(), reader: newReader, width, height: 20 },
          darkTheme,
        )
        expect(rows).toEqual(fresh)
      }
    }),
    { numRuns: 25 },
  )
})

test('no row is wider than the transcript or holds a control character, whatever the session says', () => {
  fc.assert(
    fc.property(eventStream, fc.integer({ min: 12, max: 90 }), (events, width) => {
      const layout = createLayout()
      const view = viewOf(events)
      const reader = { ...newReader, opened: { all: true, byHand: new Map() } }
      for (const { row } of visibleRows({ entries: entriesOf(view), layout, reader, width, height: 300 }, darkTheme)) {
        const line = rowText(row)
        expect(cellWidth(line)).toBeLessThanOrEqual(width)
        expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
      }
    }),
    { numRuns: 100 },
  )
})

test('a running command shows its last five lines, a finished one is one line', () => {
  const to = teller()
  startSession(to)
  startTurn(to, 'go')
  const call = bashCall('c1', 'npm test')
  to.tell({ type: 'tool_proposed', call, kind: 'execute', title: 'npm test', blocks: [] })
  to.tell({ type: 'tool_start', call })
  for (let i = 0; i < 20; i++) to.tell({ type: 'tool_output', callId: 'c1', chunk: `\x1b[32mline\t${i}\x1b[0m\r\n` })
  expect(lines(viewOf(to.events), 44)).toEqual([
    ' ❯ go',
    '',
    ' ▾ bash npm test                    running',
    ...[15, 16, 17, 18, 19].map((i) => `     line    ${i}`),
  ])
  const result = { ok: true, summary: 'ok', content: '', metadata: { durationMs: 3_000, exitCode: 0 } }
  to.tell({ type: 'tool_result', call, blocks: [{ type: 'output', text: 'x', exitCode: 0 }], result })
  expect(lines(viewOf(to.events), 44).at(-1)).toBe(' ▸ bash npm test                      3.0 s')
})

test('reasoning is one dim line that counts its words', () => {
  const to = teller()
  startSession(to)
  startTurn(to, 'go')
  to.tell({ type: 'reasoning_delta', text: 'first this then ' })
  to.tell({ type: 'reasoning_delta', text: 'that' })
  expect(lines(viewOf(to.events), 60).at(-1)).toBe(' ▸ thinking · 4 words')
  to.tell({ type: 'message', message: { role: 'assistant', content: 'Done.', reasoning: 'first this then that' } })
  expect(lines(viewOf(to.events), 60).slice(-3)).toEqual([' ▸ thought · 4 words', '', '   Done.'])
})

test('a line of a megabyte fits', () => {
  const to = teller()
  startSession(to)
  startTurn(to, 'go')
  const call = bashCall('c1', 'cat bundle.js')
  to.tell({ type: 'tool_proposed', call, kind: 'execute', title: 'cat bundle.js', blocks: [] })
  to.tell({ type: 'tool_start', call })
  to.tell({ type: 'tool_output', callId: 'c1', chunk: 'x\t'.repeat(500_000) })
  for (const line of lines(viewOf(to.events), 80)) expect(cellWidth(line)).toBeLessThanOrEqual(80)
})

test('a whole session reads as it should', () => {
  expect(lines(viewOf(shopDone().events), 64).join('\n')).toMatchInlineSnapshot(`
    " ❯ why does the cart total drift by a cent?

       I'll run the failing test first.

     ▾ bash       npm test -- cart                   exit 1 · 1.4 s
         FAIL test/cart.test.ts
           expected 20.97, got 20.98
         37 passed, 1 failed
     ▸ grep       "toFixed" in src/                       3 matches

       The price was rounded per line; I moved it to the end:

       • sum the exact prices
       • call round once

     ▸ edit_file  src/cart.ts                                 +2 −1
     ▸ bash       npm test                                    1.4 s

       The total is rounded once now.

       file        │ change
       ───────────────────────────────
       src/cart.ts │ sums exact prices

         return round(total)

       1. The failing test passes.
       2. All 38 tests pass.
       14 s · 4 calls · 28.3k tokens"
  `)
})
