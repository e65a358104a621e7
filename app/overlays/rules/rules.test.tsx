import { afterEach, describe, expect, test } from 'vitest'
import { startSession, teller } from '../../../fixtures/screen/event-streams.ts'
import { type ScreenOnTest, showScreen, testNow } from '../../../fixtures/screen/show-screen.tsx'
import { RulesOverlay } from './RulesOverlay.tsx'
import type { RuleRow, RulesPort } from './rules-port.ts'

const rule = (effect: RuleRow['effect'], text: string, more: Partial<RuleRow> = {}): RuleRow => ({
  id: `${effect} ${text}`,
  effect,
  text,
  scope: 'user',
  source: '~/.config/sluice/config.jsonc:7',
  expires: null,
  state: 'in force',
  meaning: 'so and so',
  revocable: true,
  ...more,
})

const shown: readonly RuleRow[] = [
  rule('deny', 'bash(git push *)', { meaning: 'git push, alone and with more arguments' }),
  rule('allow', 'bash(npm test *)', {
    meaning: 'npm test, alone and with more arguments',
    source: '~/.config/sluice/config.jsonc:12',
  }),
  rule('allow', 'edit_file(src/**)', { scope: 'session', source: '', meaning: 'changing src/**' }),
  rule('ask', 'web_fetch(domain:example.org)', {
    scope: 'local',
    source: '.sluice/config.local.jsonc:4',
    expires: '2030-01-31T00:00:00.000Z',
  }),
  rule('allow', 'bash(make)', { state: 'expired', expires: '2020-01-01T00:00:00.000Z' }),
  rule('allow', 'bash(curl *)', {
    scope: 'project',
    source: '.sluice/config.jsonc:3',
    state: 'ignored',
    meaning: "a project's shared file can only narrow: its allow rules never count",
    revocable: false,
  }),
  rule('ask', '*', {
    scope: 'builtin',
    source: '',
    meaning: 'everything else, unless the mode allows it',
    revocable: false,
  }),
]

/** The rules of a list, with what was wished written down. */
function listed() {
  const wishes: unknown[][] = []
  let rows = shown
  const port: RulesPort = {
    place: () => ({ cwd: '/home/ada/shop', mode: 'default', trusted: true }),
    list: () => rows,
    problems: () => [],
    history: async () => ({
      hits: (text) =>
        text === 'bash(npm test *)'
          ? { session: 3, lately: 41, last: testNow - 7_200_000, added: testNow - 10 * 86_400_000 }
          : { session: 0, lately: 0, last: null, added: null },
      covers: () => ({ count: 4, of: 120, examples: ['npm run build', 'npm run lint'] }),
    }),
    check: (text) =>
      text.startsWith('bash(') && text.endsWith(')')
        ? { ok: true, text, meaning: `${text.slice(5, -1)} and so on` }
        : { ok: false, problem: `The rule "${text}" cannot be used: the bracket is not closed.` },
    async add(...wish) {
      wishes.push(['add', ...wish])
      rows = [...rows, rule(wish[1], wish[0])]
    },
    async revoke(row) {
      wishes.push(['revoke', row.text])
      rows = rows.filter((one) => one.id !== row.id)
    },
    async test(call) {
      wishes.push(['test', call])
      if (!call.includes('(')) throw new Error(`"${call}" is not a call.`)
      return [
        'deny  bash git push',
        '  because the rule bash(git push *) denies it',
        '',
        '  deny   git push',
        '         rule bash(git push *) (user): denied',
      ]
    },
  }
  return { port, wishes }
}

let view: ScreenOnTest
afterEach(() => view.unmount())

async function rules(columns = 80, rows = 24, filter?: string) {
  const { port, wishes } = listed()
  const to = teller('s1')
  startSession(to)
  view = await showScreen(columns, rows, to.events, {
    renderOverlay: (_overlay, size) => (
      <RulesOverlay
        {...size}
        open={async () => port}
        filter={filter}
        onClose={() => view.store.dispatch({ type: 'ui_overlay', overlay: null })}
        clock={() => testNow}
      />
    ),
  })
  view.store.dispatch({ type: 'ui_overlay', overlay: { name: 'permissions' } })
  await view.until((screen) => screen.includes('Rules'))
  await view.settled()
  return wishes
}

const cursorLine = () =>
  view
    .screen()
    .split('\n')
    .find((line) => line.includes('▸'))

describe('the rules view', () => {
  test.each([
    [40, 12],
    [80, 24],
    [120, 36],
  ])('at %i×%i shows rules, a verdict and a new rule', async (columns, rows) => {
    const golden = (name: string) => `../../../fixtures/golden/rules/${name}-${columns}x${rows}.txt`
    await rules(columns, rows)
    await view.press('down')
    await expect(view.screen()).toMatchFileSnapshot(golden('list'))
    await view.press('t')
    await view.type('bash(git push)')
    await view.press('return')
    await view.until((screen) => screen.includes('because'))
    await expect(view.screen()).toMatchFileSnapshot(golden('test'))
    await view.press('escape', 'escape', '+')
    await view.type('bash(npm run *)')
    await view.press('return', 'right')
    await expect(view.screen()).toMatchFileSnapshot(golden('add'))
    for (const line of view.screen().split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
  })

  test('typing behind / filters, and escape brings all back before it closes', async () => {
    await rules()
    await view.press('/')
    await view.type('allow npm')
    expect(view.screen()).not.toContain('edit_file(src/**)')
    expect(cursorLine()).toContain('bash(npm test *)')
    await view.press('return')
    expect(view.screen()).toContain('1 of 7 with “allow npm”')
    await view.press('escape')
    expect(view.screen()).toContain('edit_file(src/**)')
    await view.press('escape')
    expect(view.store.getState().ui.overlay).toBe(null)
  })

  test("a rule is taken away after one more yes, and only where it is the person's own", async () => {
    const wishes = await rules()
    await view.press('x')
    expect(view.screen()).toContain('Take away deny bash(git push *) from ~/.config/sluice/config.jsonc:7?')
    await view.press('return')
    expect(wishes).toEqual([])
    await view.press('x', 'y')
    await view.until((screen) => screen.includes('Taken away: deny bash(git push *)'))
    expect(wishes).toEqual([['revoke', 'bash(git push *)']])
    expect(cursorLine()).toContain('bash(npm test *)')
    await view.press('end', 'x')
    expect(view.screen()).toContain('That is built in.')
    await view.press('up', 'x')
    expect(view.screen()).toContain("That stands in the project's shared file")
    expect(wishes).toHaveLength(1)
  })

  test('a new rule says what it covers, and what it would have covered, before it is written', async () => {
    const wishes = await rules()
    await view.press('a')
    await view.type('bash(npm')
    expect(view.screen()).toContain('the bracket is not closed')
    await view.press('return')
    expect(view.screen()).toContain('That is no rule yet.')
    await view.type(' run *)')
    await view.press('tab', 'tab')
    expect(view.screen()).toContain('deny: bash(npm run *)')
    expect(view.screen()).toContain('It fits 4 of the last 120 calls')
    await view.press('return', 'right')
    expect(view.screen()).toContain('[this folder]')
    expect(wishes).toEqual([])
    await view.press('return')
    await view.until((screen) => screen.includes('Added: deny bash(npm run *)'))
    expect(wishes).toEqual([['add', 'bash(npm run *)', 'deny', 'project']])
  })

  test('what is no call is told in a sentence', async () => {
    await rules()
    await view.press('t')
    await view.type('push')
    await view.press('return')
    await view.until((screen) => screen.includes('"push" is not a call.'))
  })
})
