import type { AgentEvent } from '@sluice/engine/protocol'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  bashCall,
  endTurn,
  request,
  say,
  startSession,
  startTurn,
  teller,
} from '../../fixtures/screen/event-streams.ts'
import { shopAsking, shopDone } from '../../fixtures/screen/shop-session.ts'
import { until } from '../../fixtures/screen/until.ts'
import { createDraft, type Draft, memoryHistory } from '../composer/index.ts'
import { defaultKeys } from '../keymap.ts'
import { loadLexer } from '../markdown/lexer.ts'
import { createStore, type Store } from '../state/index.ts'
import type { Token } from '../terminal/tokens.ts'
import { startLinear } from './linear-app.ts'

beforeAll(loadLexer)

let stop: (() => void) | undefined
afterEach(() => stop?.())

type Bench = {
  store: Store
  /** What the program was asked, in order. */
  asked: unknown[][]
  feed(events: readonly AgentEvent[]): void
  press(...names: string[]): void
  type(text: string): void
  /** Everything that was told so far. */
  told(): string
  /** The lines since the last call. */
  news(): string[]
}

function bench(
  events: readonly AgentEvent[] = [],
  extra: { lineFeedSends?: boolean; drafts?: Map<string, Draft> } = {},
): Bench {
  const store = createStore()
  for (const event of events) store.dispatch(event)
  const asked: unknown[][] = []
  const note =
    <T>(name: string, answer: T) =>
    (...words: unknown[]): T => {
      asked.push([name, ...words])
      return answer
    }
  let listener: (token: Token) => void = () => {}
  let put = ''
  let heard = 0
  const key = (name: string) => {
    listener({ type: 'key', name, text: name === 'space' ? ' ' : [...name].length === 1 ? name : '' })
  }
  stop = startLinear({
    store,
    actions: {
      send: note('send', undefined),
      runCommand: (line) => line.startsWith('/') && asked.push(['runCommand', line]) > 0,
      runShell: note('runShell', null),
      interrupt: note('interrupt', undefined),
      answer: note('answer', true),
      answerTrust: note('answerTrust', undefined),
      setMode: note('setMode', undefined),
      unqueue: note('unqueue', null),
      copy: note('copy', undefined),
      openInEditor: note('openInEditor', undefined),
      openInPager: note('openInPager', undefined),
      suspend: note('suspend', undefined),
      redraw: note('redraw', undefined),
      quit: note('quit', undefined),
    },
    table: defaultKeys,
    input: {
      subscribe(next) {
        listener = next
        return () => {}
      },
    },
    history: memoryHistory(),
    commands: [{ name: 'mode', description: 'the mode' }],
    completeFiles: async () => ['src/cart.ts', 'src/tax.ts'],
    onEditor: async (text) => `${text} edited`,
    transcriptPath: (id) => `/home/ada/${id}`,
    drafts: extra.drafts ?? new Map(),
    put: (text) => {
      put += text
    },
    lineFeedSends: extra.lineFeedSends ?? false,
  })
  return {
    store,
    asked,
    feed(more) {
      for (const event of more) store.dispatch(event)
      store.flush()
    },
    press: (...names) => names.forEach(key),
    type(text) {
      for (const char of text) key(char === ' ' ? 'space' : char)
    },
    told: () => put,
    news() {
      const lines = put.slice(heard).split('\n')
      heard = put.length
      return lines.filter((line) => line !== '')
    },
  }
}

/** A question takes no key before the keyboard was quiet for a while. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 450))

test('a whole session is told in labelled lines, each thing once', async () => {
  const on = bench()
  on.feed(shopDone().events)
  await expect(on.told()).toMatchFileSnapshot('../../fixtures/golden/looks/linear-session.txt')
  expect(on.told()).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f─-╿]/)
})

describe('an open question', () => {
  test('takes a yes once the keyboard is quiet, and what was typed before goes to the draft', async () => {
    const on = bench(shopAsking().events)
    on.news()
    on.press('y')
    expect(on.news()).toEqual(['Your draft has the keys. Control X, then a answers the question.', 'You: y'])
    on.press('backspace')
    await quiet()
    on.press('y')
    expect(on.asked).toEqual([['answer', 's1', 'q1', { type: 'allow', digest: 'd'.repeat(64) }]])
    expect(on.news().at(-1)).toBe('Allowed: edit_file src/cart.ts.')
  })

  test('waits below a draft until it is entered, and the draft survives', async () => {
    const on = bench()
    on.type('my words')
    on.feed(shopAsking().events)
    await quiet()
    on.press('y')
    expect(on.asked).toEqual([])
    on.press('ctrl+x', 'a')
    expect(on.news().at(-1)).toMatch(/^Press y to apply/)
    on.press('n')
    on.type('not now')
    on.press('return')
    expect(on.asked.at(-1)).toEqual(['answer', 's1', 'q1', { type: 'deny', message: 'not now' }])
    expect(on.told()).toContain('Reason: not now')
    on.feed([])
    on.press('ctrl+e', 's')
    expect(on.news().at(-1)).toBe('You: my wordsys')
  })

  test('that is left stays open', async () => {
    const on = bench(shopAsking().events)
    await quiet()
    on.news()
    on.press('escape')
    expect(on.news()).toEqual(['The question stays open. Control X, then a answers it.'])
    on.press('y')
    expect(on.asked).toEqual([])
  })

  test('about a folder is told and answered in the same way', async () => {
    const to = teller()
    startSession(to)
    const on = bench(to.events)
    const parts = [{ name: 'AGENTS.md', what: 'instructions', details: [], runs: false }]
    on.store.dispatch({ type: 'ui_trust', question: { why: 'new', folder: '/home/ada/shop', parts } })
    expect(on.news().some((line) => line.startsWith('Question: do you trust'))).toBe(true)
    await quiet()
    on.press('y')
    expect(on.asked).toEqual([['answerTrust', true]])
  })
})

describe('writing', () => {
  test('a command behind ! stands there once, and the sessions are told as a list', () => {
    const to = teller()
    startSession(to)
    const on = bench(to.events)
    on.news()
    on.type('! npm test')
    on.press('return')
    expect(on.asked).toEqual([['runShell', 'npm test']])
    const from = to.events.length
    startTurn(to, '!npm test')
    endTurn(to)
    const other = teller('s2')
    startSession(other)
    on.feed([...to.events.slice(from), ...other.events])
    on.news()
    on.press('ctrl+x')
    on.press('s')
    expect(on.news()).toEqual([
      'Session 1, idle: !npm test. Model gpt-5.2.',
      'Session 2, idle: nothing said yet. Model gpt-5.2.',
    ])
  })

  test('a prompt stands there once, and its turn is told', () => {
    const to = teller()
    startSession(to)
    const on = bench(to.events)
    on.news()
    on.type('fix it')
    on.press('return')
    expect(on.asked).toEqual([['send', 'fix it']])
    const from = to.events.length
    startTurn(to, 'fix it')
    const call = bashCall('c1', 'npm test')
    to.tell({ type: 'state', name: 'run_tools' })
    to.tell({ type: 'tool_proposed', call, kind: 'execute', title: 'npm test', blocks: [] })
    to.tell({ type: 'tool_start', call })
    to.tell({ type: 'tool_output', callId: 'c1', chunk: 'ok\n' })
    say(to, 'Done **now**.')
    endTurn(to)
    on.feed(to.events.slice(from))
    expect(on.news()).toEqual([
      'You: fix it',
      'Working.',
      'Tool bash npm test: running.',
      'sluice: Done now.',
      'Done: 1.2 s.',
    ])
  })

  test('goes on below what is told meanwhile', () => {
    const to = teller()
    startSession(to)
    const on = bench(to.events)
    on.news()
    on.type('he')
    on.feed([to.tell({ type: 'setting', mode: 'plan' })])
    on.type('y')
    expect(on.news()).toEqual(['You: he', 'Mode: plan.', 'You: hey'])
  })

  test('commands, the mode, the editor and leaving work by the same keys', async () => {
    const to = teller()
    startSession(to)
    const on = bench(to.events)
    on.type('/mode plan')
    on.press('return', 'shift+tab', 'ctrl+c')
    expect(on.news().at(-1)).toBe('Press Control C again to leave.')
    on.press('ctrl+c')
    expect(on.asked).toEqual([['runCommand', '/mode plan'], ['setMode', 'accept-edits'], ['quit']])
    on.type('a')
    on.press('ctrl+g')
    await until(() => on.told().endsWith('You: a edited'))
  })

  test('a line feed sends where terminals send whole lines', () => {
    const on = bench([], { lineFeedSends: true })
    on.type('go')
    on.press('ctrl+j')
    expect(on.asked).toEqual([['send', 'go']])
  })

  test('choices of a completion are told when somebody moves in them', async () => {
    const on = bench()
    on.type('@src')
    await new Promise((resolve) => setImmediate(resolve))
    on.press('down')
    expect(on.news().at(-2)).toBe('Choice 2 of 2: src/tax.ts')
    on.press('return')
    expect(on.told().endsWith('You: @src/tax.ts ')).toBe(true)
  })

  test('Escape ends the turn that runs', () => {
    const to = teller()
    startSession(to)
    startTurn(to, 'go')
    const on = bench(to.events)
    on.press('escape')
    expect(on.asked).toEqual([['interrupt']])
  })
})

test('help and places without lines are answered in words', () => {
  const to = teller()
  startSession(to)
  const on = bench(to.events)
  on.press('?')
  expect(on.told()).toContain('Everywhere:\n')
  expect(on.told()).toContain('/mode: the mode\n')
  on.press('ctrl+x', 'o')
  expect(on.news().at(-1)).toMatch(/no screen here/)
  on.press('ctrl+x', 'a')
  expect(on.news().at(-1)).toBe('Note: no question is open.')
})

test('nothing that comes from elsewhere reaches the terminal as more than text', () => {
  const evil = '\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\b\r'
  const to = teller()
  startSession(to, { cwd: evil, model: evil })
  startTurn(to, evil)
  say(to, `${evil}\n\n| ${evil} |\n|---|\n| ${evil} |`)
  to.tell({ type: 'todo', items: [{ id: '1', text: evil, status: 'in_progress' }] })
  to.tell({ type: 'queue', items: [{ id: 'q', text: evil }] })
  to.tell({ type: 'error', error: { code: 'INTERNAL', message: evil, hint: evil } })
  const call = { id: 'c9', name: evil, input: {} }
  to.tell({ type: 'tool_proposed', call, kind: 'execute', title: evil, blocks: [] })
  const asks = request('q9', call, 'execute', evil, [{ type: 'command', command: evil, cwd: evil }])
  to.tell({ type: 'approval_request', request: asks })
  const on = bench()
  on.feed(to.events)
  expect(on.told()).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
})

describe('a draft', () => {
  function two() {
    const told = [teller('s_one'), teller('s_two')]
    for (const one of told) startSession(one)
    const drafts = new Map([['s_two', createDraft('and then sort')]])
    const on = bench(
      told.flatMap(({ events }) => [...events]),
      { drafts },
    )
    on.news()
    return { on, drafts }
  }

  test('that was left is told when its session comes to the front, and is gone on with', () => {
    const { on, drafts } = two()
    on.press('ctrl+x', '2')
    expect(on.news()).toEqual(expect.arrayContaining(['What you had not sent is in your draft.']))
    expect(on.told()).toContain('You: and then sort')
    on.type('!')
    expect(drafts.get('s_two')?.editor.text).toBe('and then sort!')
  })

  test('takes the words that a fork or a rewind hands it, before what was being written', () => {
    const { on, drafts } = two()
    on.type('mine')
    on.store.dispatch({ type: 'ui_draft', draft: { sessionId: 's_one', text: 'from before' } })
    expect(drafts.get('s_one')?.editor.text).toBe('from before\nmine')
    expect(on.store.getState().ui.draft).toBeNull()
  })
})
