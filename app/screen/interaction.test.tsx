import { darkTheme } from '@sluice/permissions-ui'
import { Box, type DOMElement, Text } from 'ink'
import { createRef } from 'react'
import { afterEach, describe, expect, test } from 'vitest'
import {
  bashCall,
  diffBlock,
  endTurn,
  request,
  say,
  startSession,
  startTurn,
  type Teller,
  teller,
} from '../../fixtures/screen/event-streams.ts'
import { renderAt } from '../../fixtures/screen/render-at.tsx'
import { shopAsking, shopDone } from '../../fixtures/screen/shop-session.ts'
import { noActions, type ScreenOnTest, showScreen, testNow } from '../../fixtures/screen/show-screen.tsx'
import { memoryHistory } from '../composer/index.ts'
import { defaultKeys } from '../keymap.ts'
import { createStore } from '../state/index.ts'
import { KeyProvider } from '../terminal/key-source.tsx'
import { Screen } from './Screen.tsx'

let view: ScreenOnTest
afterEach(async () => {
  await view.unmount()
})

const ready = (screen: string) => screen.includes('y apply')

function conversation(turns: number, sessionId = 's1'): Teller {
  const to = teller(sessionId)
  startSession(to)
  for (let i = 1; i <= turns; i++) {
    startTurn(to, `question ${i}`, `t${i}`)
    say(to, `answer ${i}`)
    endTurn(to)
  }
  return to
}

describe('typing', () => {
  test('sends a prompt, runs a command, and a slash command never reaches the model', async () => {
    view = await showScreen(100, 30, conversation(1).events)
    await view.type('fix it\n')
    await view.type('/clear\n')
    await view.type('!ls\n')
    expect(view.asked).toEqual([
      ['send', 'fix it'],
      ['runCommand', '/clear'],
      ['runShell', 'ls'],
    ])
  })

  test('a draft survives overlays, other sessions and the panel', async () => {
    const other = conversation(1, 's2')
    view = await showScreen(120, 30, [...conversation(1).events, ...other.events], {
      renderOverlay: ({ name }) => <Text>overlay {name}</Text>,
    })
    await view.type('half a thought')
    await view.press('ctrl+x', 'k')
    expect(view.screen()).toContain('overlay help')
    view.store.dispatch({ type: 'ui_overlay', overlay: null })
    await view.settled()
    expect(view.screen()).toContain('❯ half a thought')
    await view.press('ctrl+x', '2')
    expect(view.screen()).not.toContain('half a thought')
    await view.press('ctrl+x', '1', 'ctrl+x', 'p')
    expect(view.screen()).toContain('❯ half a thought')
  })

  test('an overlay that nobody can draw leaves the screen and the keys as they are, and says so', async () => {
    view = await showScreen(100, 30, conversation(1).events)
    await view.press('ctrl+x', 't')
    expect(view.screen()).toContain('Not in this version: the trace of a turn')
    await view.type('on')
    expect(view.screen()).toContain('❯ on')
    expect(view.screen()).not.toContain('Not in this version')
  })

  test('shift+tab goes through all modes', async () => {
    view = await showScreen(100, 30, conversation(1).events)
    const to = conversation(1)
    for (const mode of ['accept-edits', 'plan', 'yolo', 'default'] as const) {
      await view.press('shift+tab')
      expect(view.asked.at(-1)).toEqual(['setMode', mode])
      await view.feed([to.tell({ type: 'setting', mode })])
      expect(view.row(0)).toContain(`   ${mode} `)
    }
  })

  test('? shows the keys on an empty draft only', async () => {
    view = await showScreen(100, 30, conversation(1).events, {
      renderOverlay: ({ name }) => <Text>overlay {name}</Text>,
    })
    await view.type('why?')
    expect(view.screen()).toContain('why?')
    expect(view.store.getState().ui.overlay).toBe(null)
    await view.press('ctrl+c')
    await view.type('?')
    expect(view.screen()).toContain('overlay help')
  })
})

describe('a question', () => {
  test('takes no key before the quiet, and what was typed meanwhile is in the draft', async () => {
    const asking = shopAsking().events
    view = await showScreen(120, 36, asking.slice(0, -1))
    await view.type('and al')
    await view.feed(asking.slice(-1))
    await view.type('so yes n y')
    expect(view.screen()).toContain('❯ and also yes n y')
    expect(view.asked).toEqual([])
    expect(ready(view.screen())).toBe(false)
  })

  test('has the keys once it was quiet, and y applies', async () => {
    view = await showScreen(120, 36, shopAsking().events)
    await view.until(ready)
    await view.press('y')
    expect(view.asked).toEqual([['answer', 's1', 'q1', { type: 'allow', digest: 'd'.repeat(64) }]])
  })

  test('with words in the draft it waits for ctrl+x a, and Esc leaves it open', async () => {
    const asking = shopAsking().events
    view = await showScreen(120, 36, asking.slice(0, -1))
    await view.type('wait')
    await view.feed(asking.slice(-1))
    await new Promise((resolve) => setTimeout(resolve, 600))
    await view.type('y')
    expect(view.asked).toEqual([])
    await view.press('ctrl+x', 'a')
    await view.until(ready)
    await view.press('escape')
    await view.until((screen) => !ready(screen))
    await view.type('!')
    expect(view.screen()).toContain('❯ waity!')
    await view.press('ctrl+x', 'a')
    await view.until(ready)
    await view.press('y')
    expect(view.asked.map(([name]) => name)).toEqual(['answer'])
    expect(view.screen()).toContain('❯ waity!')
  })

  test('the next question never inherits the keys of the last one', async () => {
    const to = shopAsking()
    const call = bashCall('c9', 'rm -r build')
    const second = to.tell({ type: 'tool_proposed', call, kind: 'execute', title: 'rm -r build', blocks: [] })
    const asked = to.tell({ type: 'approval_request', request: request('q2', call, 'execute', 'rm -r build', []) })
    view = await showScreen(
      120,
      36,
      to.events.filter((event) => event !== second && event !== asked),
    )
    await view.feed([second, asked])
    await view.until(ready)
    const decided = to.tell({
      type: 'approval_decision',
      id: 'q1',
      callId: 'c3',
      decision: { type: 'allow', digest: 'd' },
      decidedBy: 'person',
    })
    view.store.dispatch(decided)
    await view.send('y')
    expect(view.asked).toEqual([])
    expect(view.screen()).toContain('❯ y')
  })

  test('f gives it the whole middle, f again takes it back', async () => {
    view = await showScreen(120, 36, shopAsking().events)
    await view.until(ready)
    await view.press('f')
    expect(view.screen()).not.toContain('why does the cart total')
    await view.press('f')
    expect(view.screen()).toContain('why does the cart total')
  })
})

describe('reading', () => {
  test('PageUp enters, new output moves nothing and is counted, Esc returns to the end', async () => {
    const to = conversation(20)
    view = await showScreen(100, 20, to.events)
    await view.press('pageup')
    const before = view.row(4)
    const told = to.events.length
    startTurn(to, 'question 21')
    say(to, 'answer 21')
    await view.feed(to.events.slice(told))
    expect(view.row(4)).toBe(before)
    expect(view.screen()).toMatch(/↓ \d+ new/)
    await view.press('escape')
    expect(view.screen()).toContain('answer 21')
    expect(view.screen()).not.toMatch(/↓ \d+ new/)
  })

  test('typing returns to the draft without losing the first key', async () => {
    view = await showScreen(100, 20, conversation(20).events)
    await view.press('pageup')
    await view.type('what now')
    expect(view.screen()).toContain('❯ what now')
    expect(view.store.getState().ui.reading).toBe(false)
  })

  test('opens, searches, copies, and hands to editor and pager', async () => {
    view = await showScreen(100, 40, shopDone().events)
    await view.press('ctrl+x', 'o', 'home')
    await view.type('/toFixed')
    expect(view.screen()).toContain('/toFixed')
    await view.press('return', 'return')
    expect(view.screen()).toContain('src/format.ts')
    await view.press('y', 'E', 'P')
    const text = 'src/cart.ts\nsrc/format.ts\nsrc/tax.ts'
    expect(view.asked).toEqual([
      ['copy', text],
      ['openInEditor', text],
      ['openInPager', text],
    ])
  })

  test('each session keeps its place', async () => {
    view = await showScreen(100, 20, [...conversation(20).events, ...conversation(20, 's2').events])
    await view.press('pageup', 'pageup')
    const place = view.row(5)
    await view.press('ctrl+x', '2')
    expect(view.row(5)).not.toBe(place)
    await view.press('ctrl+x', '1')
    expect(view.row(5)).toBe(place)
  })
})

describe('the frame', () => {
  test('is exactly as high as the terminal, and no frame is a full clear', async () => {
    const to = shopAsking()
    view = await showScreen(120, 36, [])
    for (const event of to.events) await view.feed([event])
    for (const [columns, rows] of [
      [60, 30],
      [100, 30],
      [50, 12],
      [41, 10],
      [120, 36],
      [20, 5],
      [120, 36],
    ] as const) {
      await view.resize(columns, rows)
    }
    expect(view.written()).not.toContain('\x1b[3J')
    expect(view.screen().split('\n')[0]).toContain('sluice')
    expect(view.screen().split('\n')).toHaveLength(36)
  })

  test('streaming writes no full clear, and bytes do not grow with the transcript', async () => {
    const cost = async (turns: number) => {
      const to = conversation(turns)
      const shown = await showScreen(80, 24, to.events)
      startTurn(to, 'stream')
      await shown.feed(to.events.slice(-1))
      const from = shown.written().length
      for (let i = 0; i < 60; i++)
        await shown.feed([to.tell({ type: 'text_delta', text: `line ${i} of the answer\n\n` })])
      const written = shown.written().slice(from)
      await shown.unmount()
      return { bytes: written.length, clears: written.split('\x1b[2J').length - 1 }
    }
    const short = await cost(1)
    const long = await cost(300)
    expect([short.clears, long.clears]).toEqual([0, 0])
    expect(long.bytes).toBeLessThan(short.bytes * 1.5)
    view = await showScreen(80, 24, [])
  })

  test('mounts at most two rows more than the terminal has, for ten items or for a hundred thousand', async () => {
    const counted = async (items: number) => {
      const to = teller()
      startSession(to)
      const store = createStore()
      store.dispatch({ type: 'ui_load', events: to.events })
      for (let i = 0; i < items; i++) {
        store.dispatch(to.tell({ type: 'notice', level: 'info', code: 'n', text: `notice ${i}` }))
        to.events.length = 0
      }
      const root = createRef<DOMElement>()
      const shown = await renderAt(
        120,
        36,
        <Box ref={root}>
          <KeyProvider table={defaultKeys}>
            <Screen
              store={store}
              actions={noActions}
              theme={darkTheme}
              composer={{ history: memoryHistory(), commands: [] }}
              clock={() => testNow}
            />
          </KeyProvider>
        </Box>,
      )
      const rows = root.current === null ? 0 : textRows(root.current)
      expect(shown.screen()).toContain(`notice ${items - 1}`)
      await shown.unmount()
      return rows
    }
    // The panel stands beside the transcript: its rows are counted apart from it.
    expect(await counted(10)).toBeLessThanOrEqual(36 + 2 + 31)
    expect(await counted(100_000)).toBeLessThanOrEqual(36 + 2 + 31)
    view = await showScreen(80, 24, [])
  })

  test('shows a change of the running command, and nothing outside its row', async () => {
    const to = conversation(1)
    startTurn(to, 'go')
    const call = bashCall('c1', 'npm test')
    to.tell({ type: 'tool_proposed', call, kind: 'execute', title: 'npm test', blocks: [] })
    to.tell({ type: 'tool_start', call })
    view = await showScreen(80, 24, to.events)
    const from = view.written().length
    await view.feed([to.tell({ type: 'tool_output', callId: 'c1', chunk: 'one\n' })])
    expect(view.screen()).toContain('     one')
    expect(view.written().length - from).toBeLessThan(1_500)
  })

  test('hostile text changes nothing but its own cells', async () => {
    const evil = '\x1b]0;owned\x07\x1b]52;c;eA==\x07\x1b[2J\x1b[?1049l\x1b[6n\u202egnp.exe\x9b31m'
    const to = teller()
    startSession(to, { cwd: `/tmp/${evil}`, model: evil, title: evil })
    startTurn(to, evil)
    to.tell({ type: 'notice', level: 'warn', code: 'x', text: evil })
    to.tell({ type: 'error', error: { code: 'INTERNAL', message: evil, hint: evil } })
    to.tell({ type: 'todo', items: [{ id: '1', text: evil, status: 'in_progress' }] })
    const call = { id: 'c1', name: evil, input: {} }
    to.tell({ type: 'tool_proposed', call, kind: 'edit', title: evil, blocks: [diffBlock(evil, [evil], [evil])] })
    to.tell({ type: 'tool_start', call })
    to.tell({ type: 'tool_output', callId: 'c1', chunk: evil })
    to.tell({ type: 'queue', items: [{ id: 'q', text: evil }] })
    say(to, `${evil}\n\n\`${evil}\` [x](http://${evil})`)
    view = await showScreen(120, 36, to.events, { branch: evil })
    await view.press('pageup', 'e')
    expect(view.effects()).toMatchObject({ titles: [], replies: [], bells: 0, alternate: true })
    expect(view.screen()).not.toMatch(/[\u202a-\u202e]/)
    expect(view.row(0)).toContain('sluice')
  })
})

describe('time', () => {
  test('nothing is written while a session rests or waits for a person', async () => {
    view = await showScreen(120, 36, shopAsking().events, { reducedMotion: false, clock: Date.now })
    await view.until(ready)
    await view.settled()
    const before = view.written().length
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(view.written().length).toBe(before)
  })

  test('a working session moves, and with reduced motion only its seconds do', async () => {
    const to = teller()
    startSession(to)
    startTurn(to, 'go')
    view = await showScreen(120, 36, to.events, { reducedMotion: false, clock: Date.now })
    const spinner = /[⠋⠹⠼⠧] reading context/
    await view.until((screen) => spinner.test(screen))
    const first = spinner.exec(view.screen())?.[0]
    await view.until((screen) => spinner.exec(screen)?.[0] !== first)
  })
})

/** Text nodes that are lines of their own. */
function textRows(node: DOMElement): number {
  if (node.nodeName === 'ink-text') return 1
  return node.childNodes.reduce((sum, child) => sum + ('childNodes' in child ? textRows(child) : 0), 0)
}
