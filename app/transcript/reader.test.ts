import { darkTheme, rowText } from '@sluice/permissions-ui'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  bashCall,
  endTurn,
  say,
  startSession,
  startTurn,
  type Teller,
  teller,
} from '../../fixtures/screen/event-streams.ts'
import { loadLexer } from '../markdown/lexer.ts'
import { emptyView, initialState, reduce, type SessionView } from '../state/index.ts'
import { entriesOf } from './entries.ts'
import { createLayout } from './layout.ts'
import { leave, newReader, type Page, type Reader, type ReaderAction, step, typedQuery, wheel } from './reader.ts'
import { visibleRows } from './TranscriptView.tsx'

beforeAll(loadLexer)

const width = 50
const height = 10

/** Turns with a prompt, a failing and a passing command, and an answer of some lines. */
function session(turns: number): Teller {
  const to = teller()
  startSession(to)
  for (let turn = 1; turn <= turns; turn++) {
    startTurn(to, `question ${turn}`, `t${turn}`)
    for (const [id, exitCode] of [
      ['a', 0],
      ['b', 1],
    ] as const) {
      const call = bashCall(`c${turn}${id}`, `make ${id}`)
      to.tell({ type: 'tool_proposed', call, kind: 'execute', title: `make ${id}${turn}`, blocks: [] })
      const text = Array.from({ length: 4 }, (_, i) => `line ${i} of ${id}${turn}`).join('\n')
      to.tell({
        type: 'tool_result',
        call,
        blocks: [{ type: 'output', text, exitCode }],
        result: { ok: exitCode === 0, summary: '', content: text, metadata: { durationMs: 1_200, exitCode } },
      })
    }
    say(to, `answer ${turn}\n\nwith a second paragraph ${turn}`)
    endTurn(to)
  }
  return to
}

function viewOf(to: Teller): SessionView {
  return to.events.reduce(reduce, initialState).sessions.s1 ?? emptyView('')
}

/** A reader in front of a session: what is on screen after some steps. */
function reading(view: SessionView, from: Reader = newReader) {
  const layout = createLayout()
  const page: Page = {
    entries: entriesOf(view),
    settled: view.settled,
    height,
    rowsWith: (opened) => layout.use(entriesOf(view), { width, theme: darkTheme, opened }),
  }
  let reader = from
  const lines = () =>
    visibleRows({ entries: entriesOf(view), layout, reader, width, height }, darkTheme).map(({ row }) =>
      rowText(row).trimEnd(),
    )
  return {
    page,
    lines,
    reader: () => reader,
    marked: () => lines().find((line) => line.startsWith('▸')) ?? '',
    go(...actions: ReaderAction[]) {
      for (const action of actions) reader = step(reader, action, page)
      return this
    },
    set(next: Reader) {
      reader = next
      return this
    },
  }
}

describe('moving', () => {
  test('starts at the last entry and goes up and down entry by entry', () => {
    const at = reading(viewOf(session(3)))
    const seen: string[] = []
    for (let i = 0; i < 6; i++) seen.push(at.go('up').marked())
    expect(seen).toEqual([
      '▸  answer 3',
      '▸▾ bash make b3                    exit 1 · 1.2 s',
      '▸▸ bash make a3                             1.2 s',
      '▸❯ question 3',
      '▸  1.2 s · 2 calls',
      '▸  answer 2',
    ])
    expect(at.go('down').marked()).toBe('▸  1.2 s · 2 calls')
  })

  test('pages, and the ends', () => {
    const at = reading(viewOf(session(6)))
    expect(at.go('pageUp').reader().scroll.follow).toBe(false)
    const page = at.lines().map((line) => line.slice(1))
    expect(
      at
        .go('pageUp')
        .lines()
        .map((line) => line.slice(1)),
    ).not.toEqual(page)
    expect(
      at
        .go('pageDown')
        .lines()
        .map((line) => line.slice(1)),
    ).toEqual(page)
    expect(at.go('top').lines()[0]).toBe('▸❯ question 1')
    expect(at.go('bottom').reader().scroll).toEqual({ follow: true })
    expect(at.lines().at(-1)).toBe('▸  1.2 s · 2 calls')
  })

  test('jumps from turn to turn', () => {
    const at = reading(viewOf(session(5)))
    expect(at.go('previousTurn').lines()[0]).toBe('▸❯ question 5')
    expect(at.go('previousTurn', 'previousTurn').lines()[0]).toBe('▸❯ question 3')
    expect(at.go('nextTurn').lines()[0]).toBe('▸❯ question 4')
  })

  test('a wheel moves the window and marks nothing', () => {
    const at = reading(viewOf(session(4)))
    at.set(wheel(at.reader(), -3, at.page))
    expect([at.reader().cursor, at.reader().scroll.follow]).toEqual([null, false])
    at.set(wheel(at.reader(), 3, at.page))
    expect(at.reader().scroll).toEqual({ follow: true })
  })
})

describe('what comes while somebody reads', () => {
  test('moves nothing and is counted in a chip; leaving goes back to the end', () => {
    const to = session(4)
    const at = reading(viewOf(to)).go('pageUp', 'pageUp')
    const before = at.lines()
    startTurn(to, 'question 5')
    say(to, 'answer 5')
    const later = reading(viewOf(to), at.reader())
    expect(later.lines().slice(0, -1)).toEqual(before.slice(0, -1))
    expect(later.lines().at(-1)?.trim()).toBe('↓ 2 new')
    expect(later.set(leave(later.reader())).lines().at(-1)).toBe('   answer 5')
  })
})

describe('opening', () => {
  test('a finished call is one line and opens; a failure is open and closes', () => {
    const at = reading(viewOf(session(1))).go('up', 'up', 'up')
    expect(at.marked()).toContain('make a1')
    expect(
      at
        .go('toggle')
        .lines()
        .some((line) => line.endsWith('line 3 of a1')),
    ).toBe(true)
    expect(
      at
        .go('toggle')
        .lines()
        .some((line) => line.endsWith('line 3 of a1')),
    ).toBe(false)
    expect(at.lines().some((line) => line.endsWith('line 3 of b1'))).toBe(true)
    at.go('down')
    expect(at.marked()).toContain('make b1')
    expect(
      at
        .go('toggle')
        .lines()
        .some((line) => line.endsWith('line 3 of b1')),
    ).toBe(false)
  })

  test('all at once, and again only what is open unasked', () => {
    const at = reading(viewOf(session(2))).go('top', 'toggleAll')
    expect(at.lines().filter((line) => line.includes(' of a1'))).toHaveLength(4)
    at.go('toggleAll', 'top')
    expect(at.lines().filter((line) => line.includes('line'))).toEqual(
      [0, 1, 2, 3].map((n) => expect.stringContaining(`line ${n} of b1`)),
    )
  })

  test('the row that was acted on stays in sight', () => {
    const at = reading(viewOf(session(6))).go('pageUp', 'pageUp')
    for (let i = 0; i < 30; i++) {
      at.go(i % 3 === 0 ? 'toggle' : 'down')
      expect(at.marked()).not.toBe('')
    }
  })
})

describe('searching', () => {
  test('shows the nearest match from the end while the query is typed, and steps through all', () => {
    const at = reading(viewOf(session(5))).go('search')
    at.set(typedQuery(at.reader(), 'answer', at.page))
    expect([at.marked(), at.reader().search?.hits.length]).toEqual(['▸  answer 5', 5])
    expect(at.go('previousMatch').marked()).toBe('▸  answer 4')
    expect(at.go('nextMatch').marked()).toBe('▸  answer 5')
    expect(at.go('nextMatch').marked()).toBe('▸  answer 1')
  })

  test('inverts matches', () => {
    const view = viewOf(session(2))
    const at = reading(view).go('search')
    at.set(typedQuery(at.reader(), 'second', at.page))
    const layout = createLayout()
    const rows = visibleRows({ entries: entriesOf(view), layout, reader: at.reader(), width, height }, darkTheme)
    const inverse = rows.flatMap(({ row }) => row.spans.filter((span) => span.inverse).map((span) => span.text))
    expect(inverse).toContain('second')
  })

  test('opens what hides a match', () => {
    const at = reading(viewOf(session(3))).go('search')
    at.set(typedQuery(at.reader(), 'line 2 of a1', at.page))
    expect(at.marked()).toBe('▸    line 2 of a1')
  })

  test('a query without a match stays where it is', () => {
    const at = reading(viewOf(session(3))).go('search')
    const before = at.lines()
    at.set(typedQuery(at.reader(), 'nowhere', at.page))
    expect([at.lines(), at.reader().search?.hits]).toEqual([before, []])
  })

  test('capital letters make the case count', () => {
    const at = reading(viewOf(session(2))).go('search')
    at.set(typedQuery(at.reader(), 'Answer', at.page))
    expect(at.reader().search?.hits).toEqual([])
  })
})
