import { cellWidth, sanitizeForTerminal } from '@sluice/permissions-ui'
import { afterEach, describe, expect, test } from 'vitest'
import {
  bashCall,
  endTurn,
  say,
  startSession,
  startTurn,
  type Teller,
  teller,
} from '../../fixtures/screen/event-streams.ts'
import { shopDone } from '../../fixtures/screen/shop-session.ts'
import { type ScreenOnTest, showScreen } from '../../fixtures/screen/show-screen.tsx'

/* What people have reported about the screens of tools of this kind, with the right behaviour; the keyboard's are with the journeys. */

let view: ScreenOnTest
afterEach(async () => {
  await view.unmount()
})

function conversation(turns: number): Teller {
  const to = teller()
  startSession(to)
  for (let i = 1; i <= turns; i++) {
    startTurn(to, `question ${i}`, `t${i}`)
    say(to, `answer ${i}`)
    endTurn(to)
  }
  return to
}

/** The rows that hold `text`. */
const rowsWith = (text: string) =>
  view
    .screen()
    .split('\n')
    .filter((row) => row.includes(text))

describe('the frame', () => {
  test('A01: is exactly as high as the terminal and never erases the scrollback', async () => {
    const to = conversation(30)
    view = await showScreen(80, 24, to.events)
    startTurn(to, 'go on', 't31')
    for (let i = 0; i < 20; i++) {
      await view.feed([to.tell({ type: 'text_delta', text: `line ${i}\n\n` })])
      if (i % 5 === 0) await view.resize(80 - i, 24 + (i % 3))
    }
    await view.resize(80, 24)
    expect(view.written()).not.toMatch(/\x1b\[3J|\x1bc/)
    expect(view.row(0)).toContain('sluice')
    expect(view.row(23)).toContain('keys')
  })

  test('A02: while words stream nothing is cleared, and a frame costs the same after two hundred lines', async () => {
    const to = conversation(3)
    view = await showScreen(80, 24, to.events)
    startTurn(to, 'stream', 't4')
    const costs: number[] = []
    for (let i = 0; i < 200; i++) {
      const before = view.written().length
      await view.feed([to.tell({ type: 'text_delta', text: `line ${i} of the answer  \n` })])
      costs.push(view.written().length - before)
    }
    expect(view.written()).not.toMatch(/\x1b\[2J|\x1b\[H\x1b\[J/)
    const mean = (list: number[]) => list.reduce((sum, one) => sum + one, 0) / list.length
    expect(mean(costs.slice(150))).toBeLessThan(mean(costs.slice(30, 80)) * 1.25)
  })

  test('A06: ten sizes in a row leave one draft, one header, and nothing of the old frames', async () => {
    view = await showScreen(120, 30, shopDone().events)
    for (let i = 0; i < 10; i++) for (const columns of [60, 100, 50]) await view.resize(columns, 30)
    expect(rowsWith('❯ type a message')).toHaveLength(1)
    expect(rowsWith('────────').length).toBeLessThanOrEqual(3)
    const resized = view.picture()
    await view.repaint()
    expect(resized).toBe(view.picture())
  })

  test('A07: a paragraph is wrapped anew at each width, and stands there once', async () => {
    const to = teller()
    startSession(to)
    startTurn(to, 'tell me')
    const words = Array.from({ length: 33 }, (_, i) => `wd${String(i).padStart(2, '0')}`)
    say(to, `${words.join(' ')} the end.`)
    endTurn(to)
    view = await showScreen(40, 24, to.events)
    const narrow = rowsWith('wd').length
    await view.resize(99, 24)
    expect([narrow, rowsWith('wd').length]).toEqual([5, 2])
    expect(view.screen().split('wd00').length - 1).toBe(1)
  })

  test('A10: wide and joined characters leave the edge of the panel where it is', async () => {
    const to = teller()
    startSession(to)
    startTurn(to, '🌊 ⛴️ 👨‍👩‍👧 e\u0301 ok')
    for (const text of [
      '🌊',
      '⛴️',
      '👨‍👩‍👧',
      'e\u0301',
      'ok',
      '漢字かな',
      '👍🏽 ❤️ 🇩🇪',
      '| a | b |\n|---|---|\n| 👨‍👩‍👧 | 漢 |\n| ok | e\u0301 |',
    ])
      say(to, text)
    endTurn(to)
    view = await showScreen(110, 36, to.events)
    const edges = Array.from({ length: 30 }, (_, y) => edgeOf(y + 2))
    expect(new Set(edges)).toEqual(new Set([edges[0]]))
  })
})

describe('odd content', () => {
  test('A13: what a command prints changes nothing but its own cells', async () => {
    const to = teller()
    startSession(to)
    startTurn(to, 'go')
    const call = bashCall('c1', 'printf …')
    const text =
      '\x1b]0;compromised\x07\x1b[2K\rALL TESTS PASSED\n\u009b2J\x1b]52;c;eA==\x07\x1b]8;;http://x\x07link\x1bP1q\x1b\\'
    to.tell({ type: 'tool_proposed', call, kind: 'execute', title: 'printf …', blocks: [] })
    to.tell({ type: 'tool_start', call })
    to.tell({ type: 'tool_output', callId: 'c1', chunk: text })
    view = await showScreen(100, 30, to.events)
    expect(view.screen()).toContain('ALL TESTS PASSED')
    expect(view.effects()).toMatchObject({ titles: [], replies: [], bells: 0, alternate: true })
  })

  test.each([
    ['a megabyte of tabs on one line', 'x\t'.repeat(500_000)],
    ['a hundred kilobytes without a blank', 'x'.repeat(100_000)],
    ['zero bytes', `a\0b${'\0'.repeat(1000)}c`],
    ['a megabyte of wide characters', '漢'.repeat(300_000)],
  ])('A26: %s breaks no column', async (_name, text) => {
    const to = teller()
    startSession(to)
    startTurn(to, text.slice(0, 5_000))
    const call = { id: 'c1', name: 'read_file', input: {} }
    to.tell({ type: 'tool_proposed', call, kind: 'read', title: text, blocks: [] })
    to.tell({ type: 'tool_start', call })
    to.tell({ type: 'tool_output', callId: 'c1', chunk: text })
    view = await showScreen(100, 30, to.events)
    const result = { ok: true, summary: text, content: '', metadata: { durationMs: 1 } }
    await view.feed([
      to.tell({ type: 'tool_result', call, result, blocks: [{ type: 'code', text, path: 'a.min.js' }] }),
    ])
    const fed = to.events.length
    say(to, text.slice(0, 100_000))
    await view.feed(to.events.slice(fed))
    await view.press('ctrl+x', 'o', 'e')
    expect(view.row(0)).toContain('sluice')
    for (const row of view.screen().split('\n')) {
      expect(cellWidth(row)).toBeLessThanOrEqual(100)
      expect(row).toBe(sanitizeForTerminal(row, 'output'))
    }
    const updated = view.picture()
    await view.repaint()
    expect(updated).toBe(view.picture())
  })
})

/** The cell in which the panel's edge stands in a row. */
function edgeOf(y: number): number {
  for (let x = 109; x >= 0; x--) if (view.cellAt(x, y).char === '│') return x
  return -1
}
