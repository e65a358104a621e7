import { afterEach, describe, expect, test } from 'vitest'
import { bashCall, request, startSession, startTurn, teller } from '../../fixtures/screen/event-streams.ts'
import { type ScreenOnTest, showScreen } from '../../fixtures/screen/show-screen.tsx'
import type { TrustView } from '../state/index.ts'

const question: TrustView = {
  why: 'new',
  folder: '/home/ada/shop',
  parts: [
    { name: 'AGENTS.md', what: '3.1 kB of instructions', details: ['/home/ada/shop/AGENTS.md'], runs: false },
    {
      name: '.sluice/config.jsonc',
      what: 'rules: 1 ask, 1 deny; 1 ignored',
      details: ['ask bash(git push *)', 'deny read_file(secret/**)', '"baseUrl" is ignored'],
      runs: false,
    },
    { name: '.mcp.json: MCP server db\u202e', what: 'a program to start', details: ['node db.js'], runs: true },
  ],
}

let view: ScreenOnTest
afterEach(() => view.unmount())

async function ask(columns = 80, rows = 24, asked: TrustView = question): Promise<void> {
  const to = teller('s1')
  startSession(to)
  view = await showScreen(columns, rows, to.events)
  view.store.dispatch({ type: 'ui_trust', question: asked })
  await view.settled()
}

const ready = (screen: string) => screen.includes('[n not now]')

describe('the question whether a folder is trusted', () => {
  test('says what the folder would configure, and a no stands first', async () => {
    await ask()
    await view.until(ready)
    expect(
      view
        .screen()
        .split('\n')
        .filter((line) => line.trim() !== '')
        .slice(-11, -2),
    ).toMatchInlineSnapshot(`
      [
        " This folder wants to configure sluice  /home/ada/shop",
        " Nothing of it is in force before you trust the folder. Trust only what you",
        " would run: instructions steer the model.",
        "   AGENTS.md                         3.1 kB of instructions",
        "   .sluice/config.jsonc              rules: 1 ask, 1 deny; 1 ignored",
        "   .mcp.json: MCP server db<U+202E>  a program to start",
        "────────────────────────────────────────────────────────────────────────────────",
        " Trust it?  [n not now]   y trust    d details",
        " tab buttons   esc later",
      ]
    `)
    await view.press('return')
    expect(view.asked).toEqual([['answerTrust', false]])
  })

  test.each([
    ['y', true],
    ['n', false],
  ])('%s answers', async (key, answer) => {
    await ask()
    await view.until(ready)
    await view.press(key)
    expect(view.asked).toEqual([['answerTrust', answer]])
  })

  test('the yes can be reached without its key, and never by Enter alone', async () => {
    await ask()
    await view.until(ready)
    await view.press('tab', 'return')
    expect(view.asked).toEqual([['answerTrust', true]])
  })

  test('keys that come before it was quiet go to the draft, and a draft keeps them', async () => {
    await ask()
    await view.type('y')
    expect(view.screen()).toContain('❯ y')
    await view.type('n yes y')
    await new Promise((resolve) => setTimeout(resolve, 500))
    await view.type('y')
    expect(view.screen()).toContain('❯ yn yes yy')
    expect(view.screen()).toContain('your draft has the keys')
    expect(view.asked).toEqual([])
    await view.press('ctrl+x', 'a')
    await view.until(ready)
    await view.press('y')
    expect(view.asked).toEqual([['answerTrust', true]])
    expect(view.screen()).toContain('❯ yn yes yy')
  })

  test('Esc leaves it open for later', async () => {
    await ask()
    await view.until(ready)
    await view.press('escape')
    await view.type('hello')
    expect(view.screen()).toContain('❯ hello')
    expect(view.screen()).toContain('This folder wants to configure sluice')
    expect(view.asked).toEqual([])
  })

  test('d shows all of it, in every size, with nothing hidden', async () => {
    await ask(60, 16)
    await view.until(ready)
    await view.press('d')
    const seen = new Set<string>()
    for (let i = 0; i < 12; i++) {
      for (const line of view.screen().split('\n')) seen.add(line.trim())
      await view.press('down')
    }
    expect([...seen]).toEqual(
      expect.arrayContaining([
        'ask bash(git push *)',
        'deny read_file(secret/**)',
        '"baseUrl" is ignored',
        'node db.js',
      ]),
    )
    expect([...seen].join('\n')).toContain('db<U+202E>')
    await view.press('d', 'n')
    expect(view.asked).toEqual([['answerTrust', false]])
  })

  test('what the model asks goes first, and the question about the folder comes back after it', async () => {
    await ask()
    await view.until(ready)
    const to = teller('s1')
    startTurn(to, 'go')
    const call = bashCall('c1', 'npm test')
    to.tell({ type: 'approval_request', request: request('q1', call, 'execute', 'npm test', []) })
    await view.feed(to.events)
    await view.until((screen) => screen.includes('asked because'))
    expect(view.screen()).not.toContain('Trust it?')
    to.tell({ type: 'approval_decision', id: 'q1', callId: 'c1', decision: { type: 'deny' }, decidedBy: 'person' })
    await view.feed(to.events.slice(-1))
    await view.until(ready)
  })

  test('fits 40 × 12', async () => {
    await ask(40, 12)
    await view.until((screen) => screen.includes('not now'))
    expect(
      view
        .screen()
        .split('\n')
        .every((line) => line.length <= 40),
    ).toBe(true)
  })
})
