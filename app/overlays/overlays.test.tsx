import { afterEach, describe, expect, test } from 'vitest'
import { type RenderedScreen, renderAt } from '../../fixtures/screen/render-at.tsx'
import { shopDone } from '../../fixtures/screen/shop-session.ts'
import { showScreen } from '../../fixtures/screen/show-screen.tsx'
import { commands } from '../commands/index.ts'
import { defaultKeys, rebind } from '../keymap.ts'
import { createStore } from '../state/index.ts'
import { KeyProvider } from '../terminal/key-source.tsx'
import { HelpOverlay } from './HelpOverlay.tsx'
import { type OverlayProps, overlays } from './index.tsx'
import { keyRows, shownKeys } from './key-rows.ts'
import { PaletteOverlay } from './PaletteOverlay.tsx'

let view: RenderedScreen | null = null
afterEach(async () => {
  await view?.unmount()
  view = null
})

async function help(columns: number, rows: number, log: string[] = [], query = ''): Promise<RenderedScreen> {
  view = await renderAt(
    columns,
    rows,
    <KeyProvider table={defaultKeys}>
      <HelpOverlay width={columns} height={rows} commands={commands} query={query} onClose={() => log.push('closed')} />
    </KeyProvider>,
  )
  return view
}

describe('help', () => {
  test('fits 40 × 12', async () => {
    const screen = await help(40, 12)
    expect(screen.screen().replace(/ of \d{3}/, ' of NNN')).toMatchInlineSnapshot(`
      " Keys type to search         1-9 of NNN
      ────────────────────────────────────────
       Everywhere
        esc            interrupt the turn
        ctrl+c         clear the draft, then
                       interrupt, then leave
        ctrl+d         leave, when the draft
                       is empty
        ctrl+z         suspend to the shell
        ctrl+l         paint the screen afresh
        shift+tab      next permission mode
       ↑↓ scroll   esc close"
    `)
  })

  test.each([
    [40, 12],
    [80, 24],
    [200, 60],
  ])('scrolls through every row at %i × %i', async (columns, rows) => {
    const screen = await help(columns, rows)
    const seen = new Set(screen.screen().split('\n'))
    for (let page = 0; page < 40; page++) {
      await screen.press('pagedown')
      for (const line of screen.screen().split('\n')) seen.add(line)
    }
    const text = [...seen].join('\n')
    for (const row of keyRows(defaultKeys, commands, '')) {
      if (row.kind === 'title') expect(text).toContain(` ${row.text}`)
    }
    expect(text).toContain('/clear')
    await screen.press('home')
    expect(screen.row(2)).toContain('Everywhere')
  })

  test('searches while typing, Esc gives all back, then closes', async () => {
    const log: string[] = []
    const screen = await help(60, 14, log)
    await screen.type('paste cut')
    expect(screen.screen()).toContain('ctrl+y')
    expect(screen.screen()).not.toContain('ctrl+g')
    await screen.type('zzz')
    expect(screen.screen()).toContain('nothing is about')
    await screen.press('escape')
    expect(log).toEqual([])
    expect(screen.row(2)).toContain('Everywhere')
    await screen.press('escape')
    expect(log).toEqual(['closed'])
  })

  test('begins with a search when it is asked to', async () => {
    const screen = await help(60, 14, [], 'yank')
    expect(screen.row(0)).toContain('yank')
  })
})

describe('rows of the help', () => {
  test('follow the table in force', () => {
    const { table } = rebind(defaultKeys, { composer: { undo: 'ctrl+o' } })
    expect(keyRows(table, [], 'undo').slice(0, 2)).toEqual([
      { kind: 'title', text: 'Writing' },
      { kind: 'key', keys: 'ctrl+o', help: 'undo' },
    ])
    expect(keyRows(rebind(defaultKeys, { composer: { undo: null } }).table, [], 'writing undo')).toEqual([])
  })

  test('say a run of digits in short', () => {
    expect(shownKeys(defaultKeys.leader?.session?.keys ?? [])).toBe('ctrl+x 1 … 9')
    expect(shownKeys(['shift+return', 'up'])).toBe('shift+⏎  ↑')
  })
})

describe('the palette', () => {
  async function palette(chosen: string[]): Promise<RenderedScreen> {
    view = await renderAt(
      60,
      12,
      <KeyProvider table={defaultKeys}>
        <PaletteOverlay
          width={60}
          height={12}
          commands={commands}
          onRun={(command) => chosen.push(`run ${command}`)}
          onWrite={(beginning) => chosen.push(`write ${beginning}|`)}
          onClose={() => chosen.push('closed')}
        />
      </KeyProvider>,
    )
    return view
  }

  test('filters, moves and runs what works without an argument', async () => {
    const chosen: string[] = []
    const screen = await palette(chosen)
    await screen.type('mo')
    expect(screen.screen()).toContain('/model [model]')
    expect(screen.screen()).not.toContain('/exit')
    expect(screen.row(11)).toContain('⏎ run ')
    await screen.press('down', 'return')
    expect(chosen).toEqual(['run /model'])
    await screen.press('escape')
    expect(chosen).toEqual(['run /model', 'closed'])
  })

  test('gives a command that needs an argument to the person to finish, and says so', async () => {
    const chosen: string[] = []
    const screen = await palette(chosen)
    await screen.type('ren')
    expect(screen.screen()).toContain('/rename <title>')
    expect(screen.row(11)).toContain('⏎ write its argument ')
    await screen.press('return')
    expect(chosen).toEqual(['write /rename |'])
  })

  test('every command that cannot do without an argument is written so', () => {
    const needing = commands.filter(({ argumentHint }) => argumentHint !== undefined && !/^\[.*\]$/.test(argumentHint))
    expect(needing.map(({ name, argumentHint }) => [name, argumentHint])).toEqual([['rename', '<title>']])
  })
})

test('a command that needs an argument is put into the draft, with the caret behind it', async () => {
  const store = createStore()
  const asked: string[] = []
  const close = () => store.dispatch({ type: 'ui_overlay', overlay: null })
  const world = { store, close, actions: { runCommand: (line: string) => asked.push(line) > 0 } }
  const screen = await showScreen(100, 30, shopDone().events, {
    store,
    // The palette asks for nothing else.
    renderOverlay: ({ name }, size) => overlays[name]?.({ ...size, ...world } as unknown as OverlayProps) ?? null,
  })
  view = screen
  await screen.press('ctrl+x', 'space')
  await screen.type('rename\nPort it')
  await screen.until((now) => now.includes('❯ /rename Port it'))
  await screen.press('ctrl+c', 'ctrl+x', 'space')
  await screen.type('cost\n')
  await screen.until((now) => now.includes('type a message'))
  expect(asked).toEqual(['/cost'])
})
