import { EventEmitter } from 'node:events'
import type { AgentEvent } from '@sluice/engine/protocol'
import { darkTheme } from '@sluice/permissions-ui'
import { type Instance, render } from 'ink'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { endTurn, startSession, startTurn, teller } from '../../fixtures/screen/event-streams.ts'
import { ScrollbackTerminal, settleMs } from '../../fixtures/screen/scrollback-terminal.ts'
import { shopAsking, shopDone } from '../../fixtures/screen/shop-session.ts'
import { testNow } from '../../fixtures/screen/show-screen.tsx'
import { memoryHistory } from '../composer/index.ts'
import { defaultKeys } from '../keymap.ts'
import { loadLexer } from '../markdown/lexer.ts'
import { Screen } from '../screen/index.ts'
import { createStore, type Store } from '../state/index.ts'
import { createInlineOutput } from '../terminal/inline-output.ts'
import { KeyProvider } from '../terminal/key-source.tsx'
import { LivePane } from './LivePane.tsx'
import { createScrollback } from './scrollback.ts'
import { screenWriter } from './writer.ts'

beforeAll(loadLexer)

type Shown = {
  terminal: ScrollbackTerminal
  store: Store
  feed(events: readonly AgentEvent[]): Promise<void>
  close(): void
}

let shown: Shown | undefined
afterEach(() => {
  shown?.close()
  shown = undefined
})

/** The app as `--inline` shows it, below what a shell has printed. */
async function showInline(columns: number, rows: number): Promise<Shown> {
  const terminal = new ScrollbackTerminal(columns, rows)
  terminal.write('$ sluice --inline\r\n')
  const store = createStore()
  const output = createInlineOutput(terminal as unknown as NodeJS.WriteStream, { reflow: () => 'but-cursor', settleMs })
  const scrollback = createScrollback({
    store,
    print: output.print,
    writer: (width) => screenWriter({ columns: width, ink: { theme: darkTheme, styles: true } }, '/home/ada'),
    transcriptPath: (id) => id,
  })
  const app: Instance = render(
    <KeyProvider table={defaultKeys}>
      <Screen
        store={store}
        actions={noActions}
        composer={{ history: memoryHistory(), commands: [] }}
        home="/home/ada"
        reducedMotion={true}
        clock={() => testNow}
        renderLive={(props) => <LivePane {...props} printed={scrollback.printed} />}
      />
    </KeyProvider>,
    {
      stdout: output.stdout,
      stdin: Object.assign(new EventEmitter(), {
        isTTY: true,
        setRawMode: () => {},
        ref: () => {},
        unref: () => {},
        setEncoding: () => {},
        read: () => null,
      }) as unknown as NodeJS.ReadStream,
      interactive: true,
      patchConsole: false,
      exitOnCtrlC: false,
      maxFps: 1000,
    },
  )
  await terminal.settled()
  shown = {
    terminal,
    store,
    async feed(events) {
      for (const event of events) store.dispatch(event)
      store.flush()
      await terminal.settled()
    },
    close() {
      app.unmount()
      scrollback.stop()
      output.close()
      terminal.terminal.dispose()
    },
  }
  return shown
}

const rule = /^─ .* ─+$|^─+$/

test('a session that is done stands in the scrollback, with nothing below it but the composer', async () => {
  const { terminal, feed } = await showInline(80, 24)
  for (const event of shopDone().events) await feed([event])
  await expect(terminal.everything().join('\n')).toMatchFileSnapshot(
    '../../fixtures/golden/looks/inline-done-80x24.txt',
  )
  expect(terminal.raw).not.toMatch(/\x1b\[[23]J/)
})

test('an open question stands above the composer, below everything that was said', async () => {
  const { terminal, feed } = await showInline(80, 24)
  await feed(shopAsking().events)
  const lines = terminal.everything()
  expect(lines).toContain('    37 passed, 1 failed')
  expect(lines.findIndex((line) => line.includes('edit_file  src/cart.ts'))).toBeGreaterThan(
    lines.findIndex((line) => line.includes('call round once')),
  )
  expect(lines.at(-1)).toContain('type a message')
  expect(lines.filter((line) => line.includes('round(i.price * i.qty)'))).toHaveLength(1)
})

test('the live area is never as high as the terminal, and grows and shrinks with what is alive', async () => {
  const { terminal, feed } = await showInline(80, 14)
  const to = teller()
  startSession(to)
  startTurn(to, 'go')
  to.tell({ type: 'text_delta', text: `\`\`\`\n${Array.from({ length: 60 }, (_, i) => `code ${i}`).join('\n')}` })
  await feed(to.events)
  const screen = terminal.screen()
  // The end of what grows is in sight; what comes before it is not written yet.
  expect(screen.some((line) => line.includes('code 59'))).toBe(true)
  expect(terminal.everything().some((line) => /code 0$/.test(line))).toBe(false)
  expect(terminal.everything().filter((line) => line.includes('❯ go'))).toHaveLength(1)
  const text = `\`\`\`\n${Array.from({ length: 60 }, (_, i) => `code ${i}`).join('\n')}\n\`\`\``
  const from = to.events.length
  to.tell({ type: 'message', message: { role: 'assistant', content: text } })
  endTurn(to)
  await feed(to.events.slice(from))
  const all = terminal.everything()
  for (let i = 0; i < 60; i++) expect(all.filter((line) => line.trim() === `code ${i}`)).toHaveLength(1)
})

test('after many resizes there is one composer, and the words are wrapped for the last width', async () => {
  const { terminal, feed } = await showInline(40, 30)
  const to = teller()
  startSession(to)
  startTurn(to, 'go')
  const paragraph = 'The price was rounded per line and the total was off by a cent. '.repeat(3).trim()
  to.tell({ type: 'message', message: { role: 'assistant', content: paragraph } })
  endTurn(to)
  await feed(to.events)
  for (let round = 0; round < 10; round++) for (const columns of [60, 100, 50]) terminal.resize(columns, 30)
  terminal.resize(120, 30)
  await terminal.settled()
  const screen = terminal.screen()
  expect(screen.filter((line) => rule.test(line))).toEqual(['─'.repeat(120)])
  expect(screen.filter((line) => line.includes('type a message'))).toHaveLength(1)
  const rows = screen.filter((line) => /price|rounded|total/.test(line))
  expect(rows).toHaveLength(2)
  expect(rows.join(' ').split(/\s+/).filter(Boolean)).toEqual(paragraph.split(' '))
})

test('moving into the transcript says that the terminal has it', async () => {
  const { terminal, store, feed } = await showInline(80, 24)
  await feed(shopDone().events)
  store.dispatch({ type: 'ui_reading', reading: true })
  await terminal.settled()
  expect(terminal.screen().join('\n')).toContain('Scroll with the terminal')
  expect(store.getState().ui.reading).toBe(false)
})

const noActions = {
  send: () => {},
  runCommand: () => false,
  runShell: () => null,
  interrupt: () => {},
  answer: () => false,
  answerTrust: () => {},
  setMode: () => {},
  unqueue: () => null,
  copy: () => {},
  openInEditor: () => {},
  openInPager: () => {},
  suspend: () => {},
  redraw: () => {},
  quit: () => {},
}
