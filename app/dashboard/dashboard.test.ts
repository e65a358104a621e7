import { asciiGlyphs, cellWidth, darkTheme, rowText, type StyledRow, type Theme } from '@sluice/permissions-ui'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bashCall,
  eventStream,
  startSession,
  startTurn,
  type Teller,
  teller,
} from '../../fixtures/screen/event-streams.ts'
import { shopAsking, shopDone } from '../../fixtures/screen/shop-session.ts'
import { type AppState, focused, initialState, openQuestions, reduce, type SessionView } from '../state/index.ts'
import { type Section, stack } from './section.ts'
import {
  changesSection,
  metersSection,
  planSection,
  questionsSection,
  runningSection,
  verificationSection,
} from './sections.ts'
import { stripRow } from './strip.ts'

const width = 34
const ascii: Theme = { ...darkTheme, glyphs: asciiGlyphs }

function stateOf(...tellers: Teller[]): AppState {
  return tellers.flatMap((to) => to.events).reduce(reduce, initialState)
}

function viewOf(to: Teller): SessionView {
  const view = focused(stateOf(to))
  if (view === null) throw new Error('the session did not start')
  return view
}

function lines(section: Section | null, theme = darkTheme): string[] {
  if (section === null) return []
  return stack([section], width, 40, theme).map((row) => rowText(row).trimEnd())
}

describe('sections', () => {
  test('the plan counts what is done and marks what is being done', () => {
    expect(lines(planSection(viewOf(shopAsking()).todo, width, darkTheme))).toEqual([
      'PLAN                        2 of 4',
      '✓ reproduce the failure',
      '✓ find the rounding',
      '▸ round once, at the end',
      '· run the tests',
    ])
  })

  test('a long plan starts near what is being done', () => {
    const todo = Array.from({ length: 12 }, (_, i) => ({
      id: `${i}`,
      text: `step ${i}`,
      status: i < 8 ? ('done' as const) : ('pending' as const),
    }))
    const section = planSection(todo, width, darkTheme)
    const rows = section === null ? [] : stack([section], width, 5, darkTheme).map((row) => rowText(row).trimEnd())
    expect(rows).toEqual(['PLAN                       8 of 12', '✓ step 7', '· step 8', '· step 9', '… 9 more'])
  })

  test('changes tell pending from applied, and what nobody looked at', () => {
    expect(lines(changesSection(viewOf(shopAsking()), width, darkTheme))).toEqual([
      'CHANGES                      +2 −1',
      'M src/cart.ts        +2 −1 pending',
    ])
    expect(lines(changesSection(viewOf(shopDone()), width, darkTheme))).toEqual([
      'CHANGES                      +2 −1',
      'M src/cart.ts                +2 −1',
    ])
    const view = viewOf(shopDone())
    const path = 'packages/a/very/long/path/to/some/file/cart.ts'
    const unseen = { ...view, changes: view.changes.map((change) => ({ ...change, path, unreviewed: 1 })) }
    expect(lines(changesSection(unseen, width, darkTheme))[1]).toBe('M …me/file/cart.ts  +2 −1 · unseen')
  })

  test('open questions of all sessions are counted', () => {
    const state = stateOf(shopAsking('s1'), shopAsking('s2'))
    const section = questionsSection(openQuestions(state), 's1', 'ctrl+x a', width, darkTheme)
    expect(lines(section)).toEqual([
      'NEEDS YOU                        2',
      '1 edit_file src/cart.ts   ctrl+x a',
      '1 question elsewhere',
    ])
  })

  test('a check says whether edits came after it', () => {
    expect(lines(verificationSection(viewOf(shopAsking()), width, darkTheme))).toEqual([
      'VERIFICATION',
      '✗ npm test -- cart',
    ])
    expect(lines(verificationSection(viewOf(shopDone()), width, darkTheme))).toEqual([
      'VERIFICATION',
      '✓ npm test',
      '✗ npm test -- cart before the edit',
    ])
    const unchecked = { ...viewOf(shopAsking()), verification: { results: [], edits: 2, verified: 0 } }
    expect(lines(verificationSection(unchecked, width, darkTheme))).toEqual([
      'VERIFICATION',
      '! 2 edits not verified yet',
    ])
    const result = { command: 'npm test | tail', exitCode: 0, durationMs: 1, passed: false, unknown: true }
    const results = [{ result: { ...result, importantOutput: '' }, editsBefore: 2 }]
    const ran = { ...viewOf(shopAsking()), verification: { results, edits: 2, verified: 0 } }
    expect(lines(verificationSection(ran, 44, darkTheme))).toEqual([
      'VERIFICATION',
      '! 2 edits not verified yet',
      '? npm test | tail           result not known',
    ])
  })

  test('a running command shows its time and its last line', () => {
    const to = teller()
    startSession(to)
    startTurn(to, 'go')
    const call = bashCall('c1', 'npm test')
    to.tell({ type: 'tool_proposed', call, kind: 'execute', title: 'npm test', blocks: [] })
    const started = to.tell({ type: 'tool_start', call })
    to.tell({ type: 'tool_output', callId: 'c1', chunk: 'first\n\x1b[2Ksecond\n' })
    const now = Date.parse(started.time) + 62_000
    expect(lines(runningSection(viewOf(to), now, width, darkTheme))).toEqual([
      'RUNNING',
      '▸ npm test               1 min 2 s',
      '  second',
    ])
  })

  test('meters tell turn, context and money', () => {
    const view = viewOf(shopDone())
    expect(lines(metersSection(view, 0, width, darkTheme))).toEqual([
      'TURN',
      '14 s · 4 calls · 28.3k tokens',
      'ctx ━╌╌╌╌╌╌╌ 5%    10.1k of 200.0k',
      'cost $0.42     28.3k tokens in all',
    ])
    const bare = lines(metersSection(view, 0, width, ascii), ascii)
    expect(bare[2]).toBe('ctx =------- 5%    10.1k of 200.0k')
  })
})

describe('the panel as a whole', () => {
  const section = (title: string, rows: number, least: number): Section => ({
    title,
    rows: Array.from({ length: rows }, (_, i): StyledRow => ({ spans: [{ text: `${title} ${i}` }] })),
    least,
  })

  test('never exceeds its height or its width, and keeps the first sections longest', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 3 })), { maxLength: 6 }),
        fc.nat(30),
        (shapes, height) => {
          const sections = shapes.map(([rows, least], i) => section(`S${i}`, rows, least))
          const rows = stack(sections, width, height, darkTheme)
          expect(rows.length).toBeLessThanOrEqual(height)
          for (const row of rows) expect(cellWidth(rowText(row))).toBeLessThanOrEqual(width)
          const titles = rows.map((row) => rowText(row).trim()).filter((text) => /^S\d$/.test(text))
          expect(titles).toEqual(sections.slice(0, titles.length).map(({ title }) => title))
        },
      ),
    )
  })

  test('says how many rows it leaves out', () => {
    expect(
      stack([section('A', 9, 2), section('B', 1, 1)], width, 8, darkTheme).map((row) => rowText(row).trim()),
    ).toEqual(['A', 'A 0', 'A 1', 'A 2', '… 6 more', '', 'B', 'B 0'])
  })
})

describe('the strip', () => {
  test('says the same in one line, and nothing when there is nothing', () => {
    const row = (to: Teller, columns: number, mode: string | null) => {
      const strip = stripRow(viewOf(to), openQuestions(stateOf(to)), columns, darkTheme, mode)
      return strip === null ? null : rowText(strip).trimEnd()
    }
    expect(row(shopAsking(), 80, null)).toBe(' 1 needs you · 2/4 plan · +2 −1 · checks fail')
    expect(row(shopDone(), 40, 'default')).toBe(' default · 2/4 plan · +2 −1 · verified')
    const empty = teller()
    startSession(empty)
    expect(row(empty, 80, null)).toBe(null)
  })

  test('is exactly as wide as asked, whatever the session says', () => {
    fc.assert(
      fc.property(eventStream, fc.integer({ min: 1, max: 120 }), (events, columns) => {
        const state = events.reduce(reduce, initialState)
        const view = focused(state)
        if (view === null) return
        const strip = stripRow(view, openQuestions(state), columns, darkTheme, view.mode)
        if (strip !== null) expect(cellWidth(rowText(strip))).toBe(columns)
      }),
      { numRuns: 50 },
    )
  })
})
