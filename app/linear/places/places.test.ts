import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Decision } from '@sluice/engine/protocol'
import { afterEach, describe, expect, test } from 'vitest'
import { say as reply } from '../../../fixtures/canned-model.ts'
import {
  editing,
  removeReviewFolders,
  reviewEdited,
  reviewText,
  turn,
  withDebt,
} from '../../../fixtures/review-world.ts'
import { startSession, startTurn, type Teller, teller } from '../../../fixtures/screen/event-streams.ts'
import { commandRequest, editRequest, judged } from '../../../fixtures/screen/requests.ts'
import { until } from '../../../fixtures/screen/until.ts'
import { defaultKeys } from '../../keymap.ts'
import type { RulesPort } from '../../overlays/rules/rules-port.ts'
import { createStore } from '../../state/index.ts'
import { createInboxPlace } from './inbox-place.ts'
import type { LinearPlace } from './place.ts'
import { createReviewPlace } from './review-place.ts'
import { createRulesPlace } from './rules-place.ts'

/** A place under keys: what it says is kept, `news` gives what is new. */
function bench(make: (voice: { say(lines: readonly string[]): void; left(to?: string): void }) => LinearPlace) {
  const told: string[] = []
  const lefts: (string | undefined)[] = []
  let heard = 0
  const place = make({ say: (lines) => void told.push(...lines), left: (to) => void lefts.push(to) })
  told.push(...place.begin())
  const key = (name: string) => {
    place.press({ name, text: name === 'space' ? ' ' : [...name].length === 1 ? name : '', time: performance.now() })
  }
  return {
    place,
    told,
    lefts,
    press: (...names: string[]) => names.forEach(key),
    type(text: string) {
      for (const char of text) key(char === ' ' ? 'space' : char)
    },
    news() {
      const lines = told.slice(heard)
      heard = told.length
      return lines
    },
  }
}

const quiet = () => new Promise((resolve) => setTimeout(resolve, 450))

describe('the inbox in lines', () => {
  const asks = (to: Teller, id: string, request: typeof editRequest) => {
    const call = { id: `call_${id}`, name: request.tool, input: {} }
    to.tell({ type: 'tool_proposed', call, kind: request.kind, title: request.title, blocks: request.blocks })
    to.tell({ type: 'approval_request', request: { ...request, id, callId: call.id, digest: `digest_${id}` } })
  }

  function inbox() {
    const [shop, notes] = [teller('s_shop'), teller('s_notes')]
    startSession(shop)
    startTurn(shop, 'mend the cart')
    asks(shop, 'edit', editRequest)
    startSession(notes)
    startTurn(notes, 'write notes')
    const test = (words: string) =>
      commandRequest(words, { needs: [judged(words)], suggestions: [{ text: 'bash(npm test *)', label: 'npm test' }] })
    asks(notes, 'one', test('npm test a'))
    asks(notes, 'two', test('npm test b'))
    const store = createStore()
    for (const event of [...shop.events, ...notes.events]) store.dispatch(event)
    const answers: [string, string, Decision][] = []
    const on = bench((voice) =>
      createInboxPlace({
        ...voice,
        store,
        table: defaultKeys,
        covers: (rule, { request }) => rule === 'bash(npm test *)' && request.tool === 'bash',
        onAnswer(...answer) {
          answers.push(answer)
          return true
        },
        onOpen: () => 'told',
      }),
    )
    return { ...on, store, answers, notes }
  }

  test('tells every question with its number, and where one stands', () => {
    const on = inbox()
    expect(on.news()).toEqual([
      'Needs you: 3 open questions in 2 sessions.',
      '1: edit_file src/cart.ts, plus 3 minus 3, in mend the cart.',
      '2: bash npm test a, in write notes.',
      '3: bash npm test b, in write notes.',
      'Press down for the next, Page Down to hear it whole, Space to select, a for all, y to allow, n to deny and say why, capital A for all that a rule covers, Enter to answer this one alone or Escape to close.',
      'Question 1 of 3: edit_file src/cart.ts, plus 3 minus 3, in mend the cart.',
    ])
    on.press('down', 'space')
    expect(on.news()).toEqual([
      'Question 2 of 3: bash npm test a, in write notes.',
      '1 selected.',
      'Question 2 of 3, selected: bash npm test a, in write notes.',
    ])
    on.press('return')
    expect(on.lefts).toEqual(['told'])
  })

  test('allows a command only once it was told whole, and denies with words', async () => {
    const on = inbox()
    on.press('down')
    await quiet()
    on.news()
    on.press('y')
    expect(on.news()).toEqual(['Note: Read this to its end first: pagedown.'])
    on.press('pagedown')
    expect(on.news()).toContain('Command: npm test a')
    on.press('y')
    expect(on.answers).toEqual([['s_notes', 'one', { type: 'allow', digest: 'digest_one' }]])
    on.press('up', 'n')
    on.type('no y')
    expect(on.place.field()).toEqual({ label: 'Reason: ', text: 'no y' })
    on.press('return')
    expect(on.answers[1]).toEqual(['s_shop', 'edit', { type: 'deny', message: 'no y' }])
  })

  test('tells the rule and what it covers before it is written', async () => {
    const on = inbox()
    on.press('down', 'pagedown', 'down', 'pagedown')
    await quiet()
    on.news()
    on.press('A', 'right')
    expect(on.news().slice(-4)).toEqual([
      'Rule: bash(npm test *), npm test.',
      'It is written for this project, and covers 2 of 3 open questions:',
      'Covered: bash npm test a, in write notes.',
      'Covered: bash npm test b, in write notes.',
    ])
    on.press('return')
    expect(on.answers.map(([, id, decision]) => [id, decision.type === 'allow' && decision.rule?.scope])).toEqual([
      ['two', 'project'],
      ['one', undefined],
    ])
  })

  test('says what comes and what goes', () => {
    const on = inbox()
    on.news()
    const decision = { type: 'deny' } as const
    on.store.dispatch(
      on.notes.tell({ type: 'approval_decision', id: 'one', callId: 'call_one', decision, decidedBy: 'abandoned' }),
    )
    expect(on.news()).toEqual(['Gone: bash npm test a, in write notes.'])
    on.place.close()
  })
})

describe('the review in lines', () => {
  afterEach(removeReviewFolders)

  async function review(drift?: (text: string) => string) {
    const world = await withDebt(editing(reply('done'), reply('I see')))
    if (drift) writeFileSync(join(world.at.cwd, 'a.txt'), drift(reviewEdited))
    const on = bench((voice) => createReviewPlace({ ...voice, debt: world.session.debt, table: defaultKeys }))
    return { ...on, ...world }
  }
  const said = (on: { told: string[] }, text: string) =>
    until(
      () => on.told.some((line) => line.includes(text)),
      () => `${text} in\n${on.told.join('\n')}`,
    )

  test('reads each hunk with its number and asks for it, then does it all at once', async () => {
    const on = await review()
    expect(on.news()).toEqual([
      'Change 1 of 1: edit_file a.txt, plus 3 minus 3.',
      'Hunk 1 of 3:',
      'At line 2:',
      ...['same: line 2', 'same: line 3', 'same: line 4', 'removed: line 5', 'added: five'],
      ...['same: line 6', 'same: line 7', 'same: line 8'],
      'Keep hunk 1? Press y to keep it, n to take it back, r to hear it again, right brace for the next change, or Escape to close.',
    ])
    on.press('y')
    expect(on.news()).toEqual(['Note: that came too soon to be an answer: press it again.'])
    for (const key of ['y', 'n', 'y']) {
      await quiet()
      on.press(key)
    }
    expect(on.news().slice(-2)).toEqual([
      'Of a.txt hunk 2 of 3 is taken back.',
      'Press y to do it, c to do it and tell the model why, n to begin again, or Escape to close.',
    ])
    await quiet()
    on.press('c')
    on.type('numbers')
    on.press('return')
    await said(on, 'Took 1 of 3 hunks of a.txt back.')
    expect(on.file()).toBe(reviewEdited.replace('thirty\n', 'line 30\n'))
    await turn(on.session, 'go on')
    expect(
      on.model.requests
        .at(-1)
        ?.messages.map(({ content }) => content)
        .join('\n'),
    ).toContain('numbers')
    on.press('u')
    await said(on, 'Put back: a.txt')
    expect(on.file()).toBe(reviewEdited)
    on.press('escape')
    expect(on.lefts).toEqual([undefined])
    await on.close()
  })

  test('what changed since must stay, and it says why', async () => {
    const on = await review((text) => text.replace('five\n', 'cinq\n'))
    await said(on, 'Hunk 1 cannot be taken back: the lines it made are not there any more.')
    await quiet()
    on.news()
    on.press('n')
    expect(on.news()).toEqual([
      'Hunk 1 cannot be taken back: the lines it made are not there any more. Press y to leave it.',
    ])
    for (const key of ['y', 'n', 'n', 'y']) {
      await quiet()
      on.press(key)
    }
    await said(on, 'Took 2 of 3 hunks of a.txt back.')
    expect(on.file()).toBe(reviewText.replace('line 5\n', 'cinq\n'))
    await on.close()
  })
})

test('the rules in lines: listed, tested, added and taken away', async () => {
  const wishes: unknown[][] = []
  const row = (text: string, effect: 'allow' | 'deny') => ({
    ...{ id: text, effect, text, scope: 'user' as const, source: '~/c.jsonc:3', expires: null },
    ...{ state: 'in force' as const, meaning: 'so and so', revocable: true },
  })
  const port: RulesPort = {
    place: () => ({ cwd: '/w', mode: 'default', trusted: false }),
    list: () => [row('bash(ls)', 'allow'), row('bash(rm *)', 'deny')],
    problems: () => ['c.jsonc:9 odd'],
    history: async () => ({
      hits: () => ({ session: 1, lately: 2, last: null, added: null }),
      covers: () => ({ count: 1, of: 9, examples: [] }),
    }),
    check: (text) => ({ ok: true, text, meaning: 'just this' }),
    add: async (...wish) => void wishes.push(wish),
    revoke: async ({ text }) => void wishes.push(['revoke', text]),
    test: async (call) => [`ask  ${call}`, '', '  because no rule covers it'],
  }
  const on = bench((voice) => createRulesPlace({ ...voice, port, table: defaultKeys }))
  expect(on.news()).toEqual([
    'Rules: 2 rules, default mode, the folder is not trusted and its own rules are not read.',
    '1: allow bash(ls), from ~/c.jsonc:3: so and so.',
    '2: deny bash(rm *), from ~/c.jsonc:3: so and so.',
    'Warning: c.jsonc:9 odd',
    'Press down for the next, t to test a call, plus to add a rule, x to take one away, slash to filter or Escape to close.',
    'Rule 1 of 2: allow bash(ls), from ~/c.jsonc:3: so and so.',
  ])
  await Promise.resolve()
  on.press('t')
  on.type('bash(pwd)')
  on.press('return')
  await until(
    () => on.told.includes('because no rule covers it'),
    () => on.told.join('\n'),
  )
  on.press('escape', 'down', 'x')
  expect(on.news().at(-1)).toBe(
    'Take away deny bash(rm *), from ~/c.jsonc:3: so and so. Press y to take it away, Escape to keep it.',
  )
  on.press('y', '+')
  on.type('bash(pwd)')
  on.press('tab', 'tab', 'return', 'right', 'return')
  expect(wishes).toEqual([
    ['revoke', 'bash(rm *)'],
    ['bash(pwd)', 'deny', 'project'],
  ])
  expect(on.told).toContain('It fits 1 of the last 9 calls that you were asked about.')
})
