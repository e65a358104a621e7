import type { PermissionRequest } from '@sluice/engine/protocol'
import { afterEach, describe, expect, test } from 'vitest'
import { startSession, startTurn, type Teller, teller } from '../../../fixtures/screen/event-streams.ts'
import { commandRequest, editRequest, judged, questionRequest } from '../../../fixtures/screen/requests.ts'
import { showScreen, testNow } from '../../../fixtures/screen/show-screen.tsx'
import { createStore } from '../../state/index.ts'
import { InboxOverlay } from './InboxOverlay.tsx'
import type { InboxRow } from './inbox-rows.ts'

const longCommand = Array.from({ length: 40 }, (_, i) => `echo step-${i}`).join(' && ')

function asks(to: Teller, request: PermissionRequest): void {
  const call = { id: request.callId, name: request.tool, input: {} }
  to.tell({ type: 'tool_proposed', call, kind: request.kind, title: request.title, blocks: request.blocks })
  to.tell({ type: 'approval_request', request }, 60_000)
}

const request = (one: PermissionRequest, id: string): PermissionRequest => ({
  ...one,
  id,
  callId: `call_${id}`,
  digest: `digest_${id}`,
})
const simple = (command: string, rule: string): Partial<PermissionRequest> => ({
  needs: [judged(command)],
  reason: 'no rule covers it',
  risk: { level: 'write-inside', reason: '' },
  suggestions: [
    { text: `bash(${command})`, label: 'exactly this' },
    { text: rule, label: 'with any arguments' },
  ],
})

/** Two sessions with five open questions. */
function world() {
  const [shop, notes] = [teller('s_shop'), teller('s_notes')]
  startSession(shop)
  startTurn(shop, 'why does the cart total drift by a cent?')
  asks(shop, request(editRequest, 'edit'))
  asks(shop, request(commandRequest('npm test -- cart', simple('npm test -- cart', 'bash(npm test *)')), 'test'))
  startSession(notes)
  startTurn(notes, 'write the release notes')
  asks(notes, request(commandRequest('npm test -- notes', simple('npm test -- notes', 'bash(npm test *)')), 'other'))
  asks(notes, request(commandRequest(longCommand), 'long'))
  asks(notes, request(questionRequest(['up', 'down']), 'ask'))
  return { shop, notes, events: [...shop.events, ...notes.events] }
}

let close: (() => Promise<void>) | undefined
afterEach(async () => {
  await close?.()
  close = undefined
})

async function inbox(columns = 80, rows = 24) {
  const made = world()
  const store = createStore()
  const answers: unknown[][] = []
  const opened: InboxRow[] = []
  const screen = await showScreen(columns, rows, made.events, {
    store,
    renderOverlay: (overlay, size) =>
      overlay.name !== 'inbox' ? null : (
        <InboxOverlay
          {...size}
          store={store}
          covers={(rule, { request }) => rule === 'bash(npm test *)' && request.title.startsWith('npm test')}
          onAnswer={(sessionId, requestId, decision) => {
            answers.push([sessionId, requestId, decision])
            return true
          }}
          onOpen={(row) => opened.push(row)}
          onClose={() => store.dispatch({ type: 'ui_overlay', overlay: null })}
          clock={() => testNow + 300_000}
        />
      ),
  })
  close = screen.unmount
  store.dispatch({ type: 'ui_overlay', overlay: { name: 'inbox' } })
  await screen.settled()
  return { ...screen, ...made, store, answers, opened }
}

/** So long that keys which follow may decide. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 450))
const allow = (id: string, more: object = {}) => ({ type: 'allow', digest: `digest_${id}`, ...more })

describe('the inbox', () => {
  test.each([
    [40, 12],
    [80, 24],
    [120, 36],
  ])('at %i×%i shows every open question of all sessions', async (columns, rows) => {
    const screen = await inbox(columns, rows)
    const golden = (name: string) => `../../../fixtures/golden/inbox/${name}-${columns}x${rows}.txt`
    await expect(screen.screen()).toMatchFileSnapshot(golden('list'))
    await screen.press('down', 'space', 'down', 'down')
    await expect(screen.screen()).toMatchFileSnapshot(golden('command'))
    await screen.press('up', 'A', 'down')
    await expect(screen.screen()).toMatchFileSnapshot(golden('always'))
    for (const line of screen.screen().split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
  })

  test('a yes is to what is selected, and only once keys have been quiet', async () => {
    const screen = await inbox()
    await screen.press('y')
    expect(screen.screen()).toContain('That came too soon to be an answer')
    await screen.press('space', 'down', 'space')
    await quiet()
    await screen.press('y')
    expect(screen.answers).toEqual([
      ['s_shop', 'edit', allow('edit')],
      ['s_shop', 'test', allow('test')],
    ])
  })

  test('somebody who types answers nothing, however long they go on', async () => {
    const screen = await inbox()
    for (const key of 'yes, yes, y n y y n A y yyyyyyy y y y yes') {
      await screen.type(key)
      await new Promise((resolve) => setTimeout(resolve, 20))
      if (screen.screen().includes('esc back')) await screen.press('escape')
    }
    expect(screen.answers).toEqual([])
  })

  test('a no asks for a reason, and the empty one is silent', async () => {
    const screen = await inbox()
    await quiet()
    await screen.press('n')
    await screen.type('yes, but not now')
    expect(screen.screen()).toContain('deny, because: yes, but not now')
    await screen.press('return')
    expect(screen.answers).toEqual([['s_shop', 'edit', { type: 'deny', message: 'yes, but not now' }]])
    await quiet()
    await screen.press('a', 'n', 'return')
    expect(screen.answers.slice(1).map(([, id, decision]) => [id, decision])).toEqual(
      ['edit', 'test', 'other', 'long', 'ask'].map((id) => [id, { type: 'deny' }]),
    )
  })

  test('a command that does not fit is allowed only after its end was seen; a question wants words', async () => {
    const screen = await inbox()
    await screen.press('a')
    await quiet()
    await screen.press('y')
    expect(screen.screen()).toContain('enter opens it')
    await screen.press('space')
    await quiet()
    await screen.press('y')
    expect(screen.screen()).toContain('1 of 4 were not seen whole. Read this to its end first')
    expect(screen.answers).toEqual([])
    for (let i = 0; i < 12 && /more rows? below/.test(screen.screen()); i++) await screen.press('pagedown')
    expect(screen.screen()).toContain('ho step-39')
    await quiet()
    await screen.press('y')
    expect(screen.answers.map(([, id]) => id)).toEqual(['edit', 'test', 'other', 'long'])
  })

  test('always shows the rule, where it is written and what it covers before it is', async () => {
    const screen = await inbox()
    await screen.press('down')
    await quiet()
    await screen.press('A')
    expect(screen.screen()).toContain('covers 1 of 5 open questions')
    await screen.press('down', 'right')
    expect(screen.screen()).toMatch(/▸ bash\(npm test \*\)/)
    expect(screen.screen()).toContain('[this project]')
    expect(screen.screen()).toContain('covers 2 of 5 open questions')
    await screen.press('return')
    expect(screen.answers).toEqual([
      ['s_shop', 'test', allow('test', { rule: { text: 'bash(npm test *)', scope: 'project' } })],
      ['s_notes', 'other', allow('other')],
    ])
  })

  test('a question that goes away takes its key along: what follows it is not answered by it', async () => {
    const screen = await inbox()
    await quiet()
    await screen.press('down')
    const decision = { type: 'deny', message: 'interrupted' } as const
    screen.shop.tell({ type: 'approval_decision', id: 'test', callId: 'call_test', decision, decidedBy: 'abandoned' })
    await screen.feed(screen.shop.events.slice(-1))
    expect(screen.screen()).not.toContain('npm test -- cart')
    await screen.press('y')
    expect(screen.screen()).toContain('That came too soon')
    expect(screen.answers).toEqual([])
    await quiet()
    await screen.press('y')
    expect(screen.answers.map(([, id]) => id)).toEqual(['other'])
  })

  test('enter opens the marked one, a paste decides nothing, escape closes', async () => {
    const screen = await inbox()
    await screen.press('down', 'down')
    await quiet()
    await screen.paste('y\ny')
    await screen.press('return')
    expect(screen.opened.map(({ sessionId, request }) => [sessionId, request.id])).toEqual([['s_notes', 'other']])
    await screen.press('escape')
    expect(screen.store.getState().ui.overlay).toBe(null)
    expect(screen.answers).toEqual([])
  })

  test('says so when nothing is open', async () => {
    const screen = await inbox()
    for (const to of [screen.shop, screen.notes]) {
      to.tell({ type: 'turn_end', reason: 'user_abort', durationMs: 1, replies: 1, calls: 1 })
      await screen.feed(to.events.slice(-1))
    }
    expect(screen.screen()).toContain('Nothing needs you.')
  })
})
