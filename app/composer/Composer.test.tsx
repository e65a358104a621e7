import headless from '@xterm/headless'
import { Box, Text } from 'ink'
import { type ReactNode, useState } from 'react'
import { afterEach, describe, expect, test } from 'vitest'
import { pasteBytes } from '../../fixtures/screen/key-bytes.ts'
import { type RenderedScreen, renderAt } from '../../fixtures/screen/render-at.tsx'
import { defaultKeys } from '../keymap.ts'
import { KeyProvider } from '../terminal/key-source.tsx'
import { Composer, type ComposerProps } from './Composer.tsx'
import { createDraft } from './draft.ts'
import { memoryHistory } from './history.ts'

let view: RenderedScreen | null = null
afterEach(async () => {
  await view?.unmount()
  view = null
})

const commands = [
  { name: 'clear', description: 'forget the conversation' },
  { name: 'model', description: 'show or change the model', argumentHint: '[model]' },
]

function composer(props: Partial<ComposerProps> = {}): ReactNode {
  return (
    <Composer
      width={40}
      maxHeight={8}
      active
      onSubmit={() => {}}
      history={memoryHistory(['fix the cart'])}
      commands={commands}
      placeholder={['type a message']}
      {...props}
    />
  )
}

function Spinner({ handle }: { handle: { tick: () => void } }) {
  const [count, setCount] = useState(0)
  handle.tick = () => setCount((now) => now + 1)
  return <Text>{`tick ${count}`}</Text>
}

/** The composer at the bottom of a screen, as the app has it. */
function Stage({ children, rows }: { children: ReactNode; rows: number }) {
  return (
    <KeyProvider table={defaultKeys}>
      <Box flexDirection="column" height={rows}>
        <Box flexGrow={1}>
          <Text>transcript</Text>
        </Box>
        {children}
        <Text>footer</Text>
      </Box>
    </KeyProvider>
  )
}

async function show(element: ReactNode, columns = 40, rows = 12): Promise<RenderedScreen> {
  view = await renderAt(columns, rows, <Stage rows={rows}>{element}</Stage>)
  return view
}

/** Where the terminal's own cursor is after all that was written; null when it is hidden. */
async function cursorOf(screen: RenderedScreen, columns = 40, rows = 12): Promise<{ x: number; y: number } | null> {
  if (screen.effects().cursorHidden) return null
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true })
  await new Promise<void>((resolve) => terminal.write(screen.written(), resolve))
  const { cursorX, cursorY } = terminal.buffer.active
  terminal.dispose()
  return { x: cursorX, y: cursorY }
}

describe('the composer on a screen', () => {
  test('shows the placeholder until something is typed', async () => {
    const screen = await show(composer())
    expect(screen.screen().split('\n').slice(-2)).toEqual(['❯ type a message', 'footer'])
    await screen.type('hello')
    expect(screen.row(10).trimEnd()).toBe('❯ hello')
  })

  test('puts the real cursor at the caret, in cells', async () => {
    const screen = await show(composer())
    await screen.type('ab')
    expect(await cursorOf(screen)).toEqual({ x: 4, y: 10 })
    await screen.press('ctrl+u')
    await screen.type('你好，abc')
    expect(await cursorOf(screen)).toEqual({ x: 2 + 9, y: 10 })
    await screen.press('left', 'left', 'left')
    await screen.type('x')
    expect(screen.row(10).trimEnd()).toBe('❯ 你好，xabc')
    expect(await cursorOf(screen)).toEqual({ x: 2 + 7, y: 10 })
  })

  test('keeps the cursor at the caret while something else repaints', async () => {
    const spinner = { tick: () => {} }
    const screen = await show(
      <>
        <Spinner handle={spinner} />
        {composer()}
      </>,
    )
    await screen.type('ab')
    for (let times = 1; times <= 3; times++) {
      spinner.tick()
      await screen.settled()
      expect(screen.screen()).toContain(`tick ${times}`)
      expect(await cursorOf(screen)).toEqual({ x: 4, y: 10 })
    }
  })

  test('grows with the draft and then scrolls within it', async () => {
    const heights: number[] = []
    const screen = await show(composer({ maxHeight: 3, onRows: (rows) => heights.push(rows) }))
    for (const line of ['one', 'two', 'three', 'four']) {
      await screen.type(line)
      await screen.press('ctrl+j')
    }
    await screen.type('five')
    expect(screen.screen().split('\n').slice(-4)).toEqual(['  three', '  four', '  five', 'footer'])
    expect(await cursorOf(screen)).toEqual({ x: 6, y: 10 })
    expect(heights).toEqual([1, 2, 3])
    await screen.press('up', 'up', 'up', 'up')
    expect(screen.screen().split('\n').slice(-4)).toEqual(['❯ one', '  two', '  three', 'footer'])
    expect(await cursorOf(screen)).toEqual({ x: 5, y: 8 })
  })

  test('lists commands above the draft and completes the selected one', async () => {
    const screen = await show(composer())
    await screen.type('/')
    expect(screen.screen().split('\n').slice(-4)).toEqual([
      '▸ /clear          forget the conversati…',
      '  /model [model]  show or change the mo…',
      '❯ /',
      'footer',
    ])
    await screen.press('down', 'tab')
    expect(screen.row(10).trimEnd()).toBe('❯ /model')
  })

  test('shows words that wait, and takes the last back', async () => {
    const sent: string[] = []
    const queue = [
      { id: 'a', text: 'then run\nthe tests' },
      { id: 'b', text: 'and commit' },
    ]
    const screen = await show(composer({ queue, onUnqueue: () => 'and commit', onSubmit: (text) => sent.push(text) }))
    expect(screen.screen()).toContain('  queued: then run the tests\n  queued: and commit')
    await screen.press('up')
    expect(screen.row(10).trimEnd()).toBe('❯ and commit')
  })

  test('a paste of ten thousand lines is one chip', async () => {
    const sent: string[] = []
    const screen = await show(composer({ onSubmit: (text) => sent.push(text) }))
    const long = 'line\n'.repeat(10_000)
    await screen.send(pasteBytes(long))
    await screen.settled()
    expect(screen.row(10).trimEnd()).toBe('❯ [pasted 10,000 lines #1]')
    await screen.press('return')
    expect(sent).toEqual([long])
  })

  test('a megabyte in small reads is one chip', async () => {
    const screen = await show(composer())
    const bytes = pasteBytes('const answer = 42\n'.repeat(58_000))
    for (let at = 0; at < bytes.length; at += 4096) void screen.send(bytes.slice(at, at + 4096))
    await screen.send('Q')
    await screen.until((text) => text.includes('#1]Q'))
  })

  test('searches older prompts', async () => {
    const screen = await show(composer())
    await screen.press('ctrl+r')
    await screen.type('cart')
    expect(screen.screen().split('\n').slice(-3)).toEqual(
      ['  history: cart   ctrl+r older   ⏎ take', '❯ fix the cart', 'footer'].map((line) =>
        expect.stringContaining(line),
      ),
    )
  })

  test('keeps draft and caret while something else has the keys', async () => {
    const draft = createDraft()
    const screen = await show(composer({ draft }))
    await screen.type('half a mess')
    await screen.press('left')
    await screen.rerender(<Stage rows={12}>{composer({ draft, active: false })}</Stage>)
    await screen.type('ignored')
    expect(await cursorOf(screen)).toBe(null)
    expect(screen.row(10).trimEnd()).toBe('❯ half a mess')
    await screen.rerender(<Stage rows={12}>{composer({ draft })}</Stage>)
    await screen.type('y')
    expect(screen.row(10).trimEnd()).toBe('❯ half a mesys')
  })

  test('tells what keys mean in the draft when that changes, and only then', async () => {
    const told: string[] = []
    const screen = await show(composer({ onDraftMode: (mode) => told.push(mode) }))
    await screen.type('abc')
    await screen.press('return')
    await screen.type('/')
    await screen.press('escape', 'ctrl+c', 'ctrl+r', 'escape')
    expect(told).toEqual(['empty', 'text', 'empty', 'menu', 'command', 'empty', 'search', 'empty'])
  })

  test('takes what the editor gave back', async () => {
    const screen = await show(composer({ onEditor: async (text) => `${text} edited` }))
    await screen.type('draft')
    await screen.press('ctrl+g')
    await screen.until((text) => text.includes('❯ draft edited'))
  })

  test.each([
    [12, 5],
    [20, 8],
    [40, 12],
    [200, 60],
  ])('stays within %i × %i', async (columns, rows) => {
    const element = composer({ width: columns, maxHeight: rows - 2, queue: [{ id: '1', text: 'x'.repeat(300) }] })
    const screen = await show(element, columns, rows)
    await screen.type('/')
    await screen.press('escape')
    await screen.type('你好 and a rather long line 👨‍👩‍👧 ')
    expect(screen.screen().split('\n').at(-1)).toBe('footer')
    expect(screen.screen().split('\n').length).toBe(rows)
  })
})
