import { fileDiff } from '@sluice/engine/change'
import type { Decision, PermissionRequest } from '@sluice/engine/protocol'
import { afterEach, describe, expect, test } from 'vitest'
import { directKeys } from '../../fixtures/screen/keys.ts'
import { type RenderedScreen, renderAt } from '../../fixtures/screen/render-at.tsx'
import { commandRequest, editRequest } from '../../fixtures/screen/requests.ts'
import { ApprovalDialog } from '../ApprovalDialog.tsx'
import { dialogKeys } from '../dialog-keys.ts'
import { KeysContext } from '../keys.ts'

let open: RenderedScreen | undefined
afterEach(async () => {
  await open?.unmount()
  open = undefined
})

async function show(
  request: PermissionRequest,
  columns: number,
  rows: number,
  onEditor?: (text: string, name: string) => Promise<string | null>,
  onText?: () => Promise<string | null>,
) {
  const keys = directKeys({ dialog: dialogKeys })
  const decisions: Decision[] = []
  const carets: ({ column: number; row: number } | null)[] = []
  const view = await renderAt(
    columns,
    rows,
    <KeysContext value={keys.source}>
      <ApprovalDialog
        request={request}
        width={columns}
        height={rows}
        focused
        draftPending={false}
        onDecide={(decision) => decisions.push(decision)}
        onCaret={(place) => carets.push(place)}
        {...(onEditor ? { onEditor } : {})}
        {...(onText ? { onText } : {})}
      />
    </KeysContext>,
    { alternateScreen: true },
  )
  open = view
  return {
    view,
    decisions,
    carets,
    press: async (...names: string[]) => {
      for (const name of names) keys.press(name)
      await view.settled()
    },
    type: async (text: string) => {
      keys.type(text)
      await view.settled()
    },
    paste: async (text: string) => {
      keys.paste(text)
      await view.settled()
    },
  }
}

const old = Array.from({ length: 60 }, (_, i) => `line ${i + 1}\n`).join('')
const fresh = old.replace('line 5\n', 'five\n').replace('line 30\n', 'thirty\n').replace('line 55\n', 'fifty-five\n')
const threeHunks: PermissionRequest = {
  ...editRequest,
  title: 'notes.txt',
  blocks: [
    {
      type: 'diff',
      diff: fileDiff({ path: 'notes.txt', oldText: old, newText: fresh, oldHash: 'a', newHash: 'b' }),
    },
  ],
}
const yes = { type: 'allow', digest: 'digest_1' }

describe('frames', () => {
  test('a review with a comment, a part left out and an edit, at three sizes', async () => {
    for (const [columns, rows] of [
      [80, 24],
      [160, 50],
      [50, 14],
    ] as const) {
      const dialog = await show(threeHunks, columns, rows)
      await dialog.press('c')
      await dialog.type('spell it out')
      await dialog.press('return', ']', 'space', ']', 'e', 'end')
      await dialog.type(' (55)')
      await dialog.press('ctrl+s', '[')
      await expect(`${dialog.view.screen()}\n`).toMatchFileSnapshot(
        `../../fixtures/golden/permissions-ui/review-${columns}x${rows}.txt`,
      )
      await dialog.view.unmount()
    }
    open = undefined
  })

  test('the small editor and the field of a comment', async () => {
    const dialog = await show(threeHunks, 80, 16)
    await dialog.press('c')
    await dialog.type('why')
    expect(dialog.view.screen().split('\n').slice(-2)).toEqual([' comment on line 5: why', ' ⏎ keep it   esc back'])
    await dialog.press('escape', 'e', 'end', 'return')
    await dialog.type('and six')
    const screen = dialog.view.screen().split('\n')
    expect(screen).toContain('  5  five')
    expect(screen).toContain('  6  and six')
    expect(screen.at(-1)).toBe(' ctrl+s keep it   esc back')
    const caret = dialog.carets.at(-1)
    expect(caret?.column).toBe('  6  and six'.length)
    expect(screen[caret?.row ?? -1]).toBe('  6  and six')
  })
})

/** Three files of one reply: one changed in three places, one new, one new and empty. */
const changeSet: PermissionRequest = {
  ...threeHunks,
  title: '3 files',
  suggestions: [],
  blocks: [
    ...threeHunks.blocks,
    {
      type: 'diff',
      diff: fileDiff({ path: 'src/new.ts', oldText: null, newText: 'export {}\n', oldHash: null, newHash: 'c' }),
    },
    { type: 'diff', diff: fileDiff({ path: '.keep', oldText: null, newText: '', oldHash: null, newHash: 'd' }) },
  ],
  changeSet: ['notes.txt', 'src/new.ts', '.keep'].map((path, i) => ({
    callId: `call_${i}`,
    tool: 'write_file',
    title: path,
    path,
    digest: `digest_${i}`,
  })),
}

describe('a change set', () => {
  test('at two sizes', async () => {
    for (const [columns, rows] of [
      [80, 24],
      [160, 50],
    ] as const) {
      const dialog = await show(changeSet, columns, rows)
      await dialog.press('}', 'space', '}')
      await expect(`${dialog.view.screen()}\n`).toMatchFileSnapshot(
        `../../fixtures/golden/permissions-ui/change-set-${columns}x${rows}.txt`,
      )
      await dialog.view.unmount()
    }
    open = undefined
  })

  test.each<[string, string[], Decision[]]>([
    ['all of it', ['y'], [yes as Decision]],
    [
      'without one file and the empty one',
      ['}', 'space', '}', 'space', 'y'],
      [{ ...yes, amendment: { selection: { 'src/new.ts': {}, '.keep': {} } } } as Decision],
    ],
    ['none of it', ['V', 'end', 'space', 'y'], [{ type: 'deny' }]],
  ])('%s', async (_, keys, decisions) => {
    const dialog = await show(changeSet, 80, 24)
    await dialog.press(...keys)
    expect(dialog.decisions).toEqual(decisions)
  })

  test('says why there is no rule to write', async () => {
    const dialog = await show(changeSet, 80, 24)
    await dialog.press('A')
    expect(dialog.view.screen()).toContain('No one rule covers all of these files')
  })
})

describe('finding one’s way', () => {
  test('a hunk is split where the cursor stands, and u takes it back', async () => {
    const dialog = await show(threeHunks, 80, 24)
    await dialog.press('s')
    expect(dialog.view.screen()).toContain('It cannot be split here.')
    await dialog.press('down', 'down', 'down', 'down', 'down', 's')
    expect(dialog.view.screen()).toContain('hunk 2 of 4')
    await dialog.press('space')
    expect(dialog.view.screen()).toContain('y apply 3 of 4')
    await dialog.press('u', 'u', 'u')
    expect(dialog.view.screen()).toContain('There is nothing to undo.')
    await dialog.press('y')
    expect(dialog.decisions).toEqual([yes])
  })

  test('more of the file is shown where it is still the one that was changed', async () => {
    const dialog = await show(threeHunks, 80, 30, undefined, async () => old)
    await dialog.press(']', '+')
    await dialog.view.settled()
    expect(dialog.view.screen()).toContain('@@ 24,13 +24,13 @@')
    await dialog.press('=')
    expect(dialog.view.screen()).toContain('@@ 21,19 +21,19 @@')
    await dialog.press('space', 'y')
    expect(dialog.decisions).toEqual([{ ...yes, amendment: { selection: { 'notes.txt': { 0: true, 2: true } } } }])
  })

  test('a file that changed since, and a new one, have nothing more to show', async () => {
    const dialog = await show(changeSet, 80, 24, undefined, async () => null)
    await dialog.press('+')
    await dialog.view.settled()
    expect(dialog.view.screen()).toContain('The file has changed since')
    await dialog.press('}', '+')
    expect(dialog.view.screen()).toContain('the file is new')
  })

  test('a range of lines is marked and decided at once; esc ends it, and leaves only then', async () => {
    const dialog = await show(threeHunks, 80, 24)
    await dialog.press('down', 'down', 'down', 'V', 'down', 'down')
    expect(dialog.view.screen()).toContain('│ 5 − line 5')
    await dialog.press('escape')
    expect(dialog.view.screen()).not.toContain('│ 5 − line 5')
    await dialog.press('up', 'shift+down', 'space')
    expect(dialog.view.screen()).toContain('[ ] @@ 2,7 +2,7 @@')
  })

  test('the rule of always says what it would have covered', async () => {
    const counted = { ...threeHunks, suggestions: [{ text: 'edit_file(**)', label: 'all files', covers: 3 }] }
    const dialog = await show(counted, 80, 24)
    await dialog.press('A')
    expect(dialog.view.screen()).toContain('all files · would have covered 3 earlier questions')
  })
})

describe('what is decided', () => {
  test.each<[string, string[], Decision[]]>([
    ['everything', ['y'], [yes as Decision]],
    [
      'two of three',
      [']', 'space', 'y'],
      [{ ...yes, amendment: { selection: { 'notes.txt': { 0: true, 2: true } } } } as Decision],
    ],
    [
      'one line of a hunk',
      ['down', 'down', 'down', 'down', 'space', 'y'],
      [{ ...yes, amendment: { selection: { 'notes.txt': { 0: [4], 1: true, 2: true } } } } as Decision],
    ],
    ['nothing', ['a', 'y'], [{ type: 'deny' }]],
    ['nothing, for always', ['a', 'A', 'return'], []],
    [
      'always, and a part',
      ['space', 'A', 'return'],
      [
        {
          ...yes,
          rule: { text: 'edit_file(src/cart.ts)', scope: 'session' },
          amendment: { selection: { 'notes.txt': { 1: true, 2: true } } },
        } as Decision,
      ],
    ],
    [
      'a comment and a no',
      ['c', 'x', 'return', 'n', 'z', 'return'],
      [{ type: 'deny', message: "z\nThe person's comments:\nnotes.txt:5 `five`: x" }],
    ],
    [
      'a comment and nothing selected',
      ['c', 'x', 'return', 'a', 'y'],
      [{ type: 'deny', message: "The person's comments:\nnotes.txt:5 `five`: x" }],
    ],
    ['a comment that was left', ['c', 'x', 'escape', 'y'], [yes as Decision]],
    ['an edit that was dropped', ['e', 'x', 'escape', 'escape', 'y'], [yes as Decision]],
    ['keys inside the editor', ['e', 'y', 'n', 'A', 'return', 'space'], []],
    ['keys inside a comment', ['c', 'y', 'n', 'A', 'space'], []],
  ])('%s', async (_, keys, decisions) => {
    const dialog = await show(threeHunks, 80, 24)
    await dialog.press(...keys)
    expect(dialog.decisions).toEqual(decisions)
  })

  test('the foot says what a yes would apply', async () => {
    const dialog = await show(threeHunks, 80, 24)
    expect(dialog.view.screen()).toContain('hunk 1 of 3')
    await dialog.press('space')
    expect(dialog.view.screen()).toContain('y apply 2 of 3')
    expect(dialog.view.screen()).toContain('hunk 1 of 3 · 2 selected')
    await dialog.press('down', 'down', 'down', 'down', 'down', 'space')
    expect(dialog.view.screen()).toContain('y apply 3 of 3, in part')
    expect(dialog.view.screen()).toContain('[~] @@ 2,7 +2,7 @@')
    await dialog.press('a', 'a')
    expect(dialog.view.screen()).toContain('y refuse all')
  })

  test('an edit goes along as the text of its hunk, and a paste goes into it as it is', async () => {
    const dialog = await show(threeHunks, 80, 24)
    await dialog.press(']', 'e', 'ctrl+k')
    await dialog.paste('a\n\tb')
    await dialog.press('ctrl+s')
    expect(dialog.view.screen()).toContain('edited by you')
    await dialog.press('y')
    const text = 'line 27\nline 28\nline 29\na\n\tb\nline 31\nline 32\nline 33'
    expect(dialog.decisions).toEqual([{ ...yes, amendment: { editedText: { 'notes.txt@@1': text } } }])
  })

  test('$EDITOR gets the proposed side, and what comes back is compared anew', async () => {
    const asked: string[][] = []
    const dialog = await show(threeHunks, 80, 24, async (text, name) => {
      asked.push([text, name])
      return text.replace('five', 'FIVE')
    })
    await dialog.press('E')
    await dialog.view.settled()
    expect(asked).toEqual([['line 2\nline 3\nline 4\nfive\nline 6\nline 7\nline 8\n', 'notes.txt']])
    expect(dialog.view.screen()).toContain('FIVE')
    await dialog.press('y')
    expect(dialog.decisions).toMatchObject([
      { amendment: { editedText: { 'notes.txt@@0': expect.stringContaining('FIVE') } } },
    ])
  })

  test('an editor that fails or changes nothing leaves everything as it was', async () => {
    let fails = false
    const dialog = await show(threeHunks, 80, 24, async (text) => {
      if (fails) throw new Error('no')
      fails = true
      return text
    })
    await dialog.press('E')
    await dialog.view.settled()
    await dialog.press('E')
    await dialog.view.settled()
    expect(dialog.view.screen()).toContain('The editor could not be opened.')
    await dialog.press('y')
    expect(dialog.decisions).toEqual([yes])
  })

  test('a command is edited in place, and its end is read again', async () => {
    const dialog = await show(commandRequest('npm test'), 80, 24)
    await dialog.press('e', 'end')
    await dialog.type(' -- cart')
    await dialog.press('ctrl+s')
    expect(dialog.view.screen()).toContain('$ npm test -- cart')
    expect(dialog.view.screen()).toContain('edited by you')
    await dialog.press('y')
    expect(dialog.decisions).toEqual([
      { type: 'allow', digest: 'digest_2', amendment: { editedCommand: 'npm test -- cart' } },
    ])
  })
})

describe('large changes', () => {
  const lines = Array.from({ length: 50_000 }, (_, i) => `const value${i} = ${i}\n`)
  const big: PermissionRequest = {
    ...editRequest,
    blocks: [
      {
        type: 'diff',
        diff: fileDiff({ path: 'big.ts', oldText: null, newText: lines.join(''), oldHash: null, newHash: 'b' }),
      },
    ],
  }

  test('every key lands, and the cursor is always in sight', async () => {
    const dialog = await show(big, 80, 24)
    for (const keys of [['end'], ['up', 'up'], ['pageup'], ['home'], ['pagedown', 'down'], ['space'], ['v'], ['end']]) {
      await dialog.press(...keys)
      expect(dialog.view.screen()).toContain('❯')
    }
    expect(dialog.view.screen()).toContain('const value49999')
  })
})
