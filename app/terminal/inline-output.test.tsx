import { EventEmitter } from 'node:events'
import { cellWidth } from '@sluice/permissions-ui'
import fc from 'fast-check'
import { Box, render, Text, useApp, useCursor, useWindowSize } from 'ink'
import { afterEach, describe, expect, test } from 'vitest'
import { ScrollbackTerminal, settleMs } from '../../fixtures/screen/scrollback-terminal.ts'
import { createInlineOutput, type InlineOutput, rowsAbove } from './inline-output.ts'

class Bench extends ScrollbackTerminal {
  readonly inline: InlineOutput

  constructor(columns: number, rows: number, reflows = true) {
    super(columns, rows, reflows)
    this.inline = createInlineOutput(this as unknown as NodeJS.WriteStream, {
      reflow: () => (reflows ? 'but-cursor' : 'none'),
      settleMs,
    })
  }
}

let bench: Bench | undefined
let app: ReturnType<typeof render> | undefined
afterEach(() => {
  app?.unmount()
  bench?.inline.close()
  bench?.terminal.dispose()
  app = undefined
  bench = undefined
})

/** A live area as the app has one: some text, a rule of the whole width, a draft with the caret, and nothing below it. */
function Live({ text, draft }: { text: readonly string[]; draft: string }) {
  const { columns } = useWindowSize()
  const { setCursorPosition } = useCursor()
  setCursorPosition({ x: 2 + draft.length, y: text.length + 2 })
  return (
    <Box flexDirection="column" width={columns}>
      {text.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text
        <Text key={i} wrap="truncate">
          {line || ' '}
        </Text>
      ))}
      <Text wrap="truncate">{'keys '.repeat(40)}</Text>
      <Text wrap="truncate">{'─'.repeat(columns)}</Text>
      <Text wrap="truncate">{`>>${draft}`}</Text>
    </Box>
  )
}

function show(on: Bench, text: readonly string[], draft = ''): void {
  const element = <Live text={text} draft={draft} />
  if (app === undefined) {
    app = render(element, {
      stdout: on.inline.stdout,
      stdin: Object.assign(new EventEmitter(), {
        isTTY: false,
      }) as unknown as NodeJS.ReadStream,
      interactive: true,
      patchConsole: false,
      exitOnCtrlC: false,
      maxFps: 1000,
    })
  } else app.rerender(element)
}

type Suspend = (work: () => Promise<void>) => Promise<void>

function Lender({ onSuspend }: { onSuspend(suspend: Suspend): void }) {
  onSuspend(useApp().suspendTerminal)
  return <Text>live</Text>
}

const markers = Array.from({ length: 100 }, (_, i) => `marker ${i} ${'x'.repeat(1 + (i % 70))}`)

function startAfterMarkers(columns: number, rows: number, reflows = true): Bench {
  bench = new Bench(columns, rows, reflows)
  for (const marker of markers) bench.terminal.write(`${marker}\r\n`)
  return bench
}

describe.each([
  ['that reflows', true],
  ['that cuts', false],
])('in a terminal %s', (_name, reflows) => {
  test('a frame taller than the screen that ticks while it is resized leaves the lines before it alone', async () => {
    const on = startAfterMarkers(80, 24, reflows)
    for (let tick = 0; tick < 8; tick++) {
      show(
        on,
        Array.from({ length: 40 }, (_, i) => `live ${tick} ${i}`),
      )
      await on.settled()
      if (tick === 3) on.resize(80, 20)
    }
    const lines = on.everything()
    expect(markers.filter((marker) => lines.filter((line) => line === marker).length !== 1)).toEqual([])
    expect(on.raw).not.toMatch(/\x1b\[[23]J/)
    expect(on.screen().filter((line) => line.startsWith('live 7')).length).toBe(20 - 1 - 3)
  })

  test('many resizes in a row leave one composer and every line that was there', async () => {
    const on = startAfterMarkers(120, 30, reflows)
    show(on, ['answering', 'a line of the answer that is rather long and gets wrapped when it is narrow'])
    await on.settled()
    for (let round = 0; round < 10; round++) {
      for (const columns of [60, 100, 50]) {
        on.resize(columns, 30)
        if (round % 2 === 0) await on.settled()
      }
    }
    await on.settled()
    const rules = on.everything().filter((line) => /^─+$/.test(line))
    expect(rules).toEqual(['─'.repeat(50)])
    expect(on.everything().filter((line) => line.startsWith('>>'))).toHaveLength(1)
    // A terminal that does not reflow cuts lines itself.
    const kept = (marker: string) => (reflows ? marker : marker.slice(0, 50))
    const lines = on.everything()
    expect(markers.filter((marker) => !lines.some((line) => line.startsWith(kept(marker))))).toEqual([])
  })
})

test('finished lines go above the live area, once, and what is long is wrapped by the terminal', async () => {
  const on = startAfterMarkers(40, 12)
  show(on, ['working'])
  await on.settled()
  const paragraph = 'word '.repeat(40).trim()
  on.inline.print(() => [paragraph])
  on.inline.print((columns) => [`printed at ${columns}`])
  show(on, [])
  await on.settled()
  expect(on.everything().slice(-5)).toEqual([
    paragraph,
    'printed at 40',
    `${'keys '.repeat(8).trimEnd()}…`,
    '─'.repeat(40),
    '>>',
  ])
  on.resize(120, 12)
  await on.settled()
  const { active } = on.terminal.buffer
  const rows = Array.from({ length: active.length }, (_, y) => active.getLine(y)?.translateToString(true) ?? '')
  expect(rows.filter((row) => row.includes('word'))).toHaveLength(2)
})

test('blanks up to the edge are no rows of their own when the terminal gets narrower', async () => {
  const on = startAfterMarkers(100, 30)
  const filled = (words: string) => `\x1b[2m${words}${' '.repeat(100 - words.length)}\x1b[22m`
  show(
    on,
    Array.from({ length: 20 }, (_, i) => filled(`row ${i}`)),
  )
  await on.settled()
  on.resize(60, 30)
  await on.settled()
  const lines = on.everything()
  expect(lines.filter((line) => /^row \d+/.test(line))).toHaveLength(20)
  expect(lines.filter((line) => line.startsWith('>>'))).toHaveLength(1)
})

test('no erasure begins in the first cell of the screen, which tmux takes for one of the whole screen', async () => {
  const on = new Bench(80, 12)
  bench = on
  const erased: [number, number][] = []
  on.terminal.parser.registerCsiHandler({ final: 'J' }, () => {
    erased.push([on.terminal.buffer.active.cursorX, on.terminal.buffer.active.cursorY])
    return false
  })
  show(on, ['working'])
  await on.settled()
  on.inline.print(() => ['finished'])
  await on.settled()
  on.resize(30, 12)
  await on.settled()
  on.resize(80, 8)
  await on.settled()
  app?.unmount()
  app = undefined
  on.inline.close()
  await on.settled()
  expect(on.raw).not.toContain('─\x1b[K')
  expect(erased.length).toBeGreaterThan(2)
  expect(erased.filter(([x, y]) => x === 0 && y === 0)).toEqual([])
  expect(on.everything()).toEqual(['finished'])
})

test('only rows that changed are written', async () => {
  const on = startAfterMarkers(100, 20)
  show(on, ['one', 'two', 'three'])
  await on.settled()
  const before = on.raw.length
  show(on, ['one', 'two', 'three'], 'h')
  await on.settled()
  expect(on.raw.length - before).toBeLessThan(60)
  expect(on.screen().slice(-1)).toEqual(['>>h'])
  expect([on.terminal.buffer.active.cursorX, on.terminal.buffer.active.cursorY]).toEqual([3, 19])
})

test('while another program has the terminal nothing is written, and what was finished meanwhile follows', async () => {
  const on = startAfterMarkers(80, 24)
  let suspend: Suspend | undefined
  const onSuspend = (next: Suspend) => {
    suspend = next
  }
  app = render(<Lender onSuspend={onSuspend} />, {
    stdout: on.inline.stdout,
    stdin: Object.assign(new EventEmitter(), { isTTY: false }) as unknown as NodeJS.ReadStream,
    interactive: true,
    patchConsole: false,
    maxFps: 1000,
  })
  await on.settled()
  await suspend?.(async () => {
    const before = on.raw.length
    on.write('somebody else\r\n')
    on.inline.print(() => ['finished meanwhile'])
    await on.settled()
    expect(on.raw.slice(before)).toBe('somebody else\r\n')
    expect(on.everything().slice(-2)).toEqual([markers.at(-1), 'somebody else'])
  })
  await on.settled()
  expect(on.everything().slice(-3)).toEqual(['somebody else', 'finished meanwhile', 'live'])
})

test('at the end the live area is gone and the cursor stands where it began', async () => {
  const on = startAfterMarkers(80, 24)
  show(on, ['working'])
  await on.settled()
  on.inline.print(() => ['the last words'])
  app?.unmount()
  app = undefined
  on.inline.close()
  on.inline.print(() => ['too late'])
  await on.settled()
  expect(on.everything()).toEqual([...markers, 'the last words'])
  expect(on.terminal.buffer.active.cursorX).toBe(0)
  expect(on.raw.endsWith('\x1b[?25h')).toBe(true)
})

test('whatever is shown, printed and resized, nothing above is lost or doubled, and the live area is what it should be', async () => {
  const step = fc.oneof(
    fc.record({
      show: fc.array(fc.string({ unit: fc.constantFrom('a', 'b ', '世', '  '), maxLength: 90 }), { maxLength: 9 }),
    }),
    fc.record({ type: fc.integer({ min: 0, max: 8 }) }),
    fc.record({ print: fc.integer({ min: 1, max: 150 }) }),
    fc.record({ columns: fc.integer({ min: 20, max: 130 }), rows: fc.integer({ min: 14, max: 40 }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      const on = startAfterMarkers(80, 24)
      const expected = [...markers]
      let text: string[] = []
      let draft = ''
      try {
        show(on, text)
        await on.settled()
        for (const one of steps) {
          if ('show' in one) text = one.show.map((line) => line.trimEnd())
          else if ('type' in one) draft = 'd'.repeat(one.type)
          else if ('print' in one) {
            const line = `p${expected.length} ${'y'.repeat(one.print)}`
            expected.push(line)
            on.inline.print(() => [line])
          } else {
            // What a narrower terminal pushes out at its top is out of reach.
            const wraps = (line: string) => Math.ceil(Math.min(cellWidth(line), on.columns) / one.columns) || 1
            if (text.reduce((sum, line) => sum + wraps(line), 0) + 16 > one.rows) continue
            on.resize(one.columns, one.rows)
            await on.settled()
          }
          show(on, text, draft)
          await on.settled()
        }
        const lines = on.everything().map((line) => line.trimEnd())
        const live = lines.slice(lines.findLastIndex((line) => expected.includes(line)) + 1)
        expect(lines.filter((line) => line.startsWith('marker') || /^p\d+ /.test(line))).toEqual(expected)
        expect(live.filter((line) => line.startsWith('>>'))).toEqual([`>>${draft}`])
        expect(live.filter((line) => line === '─'.repeat(on.columns))).toHaveLength(1)
        expect(live).toHaveLength(text.length + 3)
        expect(on.raw).not.toMatch(/\x1b\[[23]J/)
      } finally {
        app?.unmount()
        app = undefined
        on.inline.close()
        on.terminal.dispose()
      }
    }),
    { numRuns: 40 },
  )
  bench = undefined
}, 60_000)

test.each([
  [['a', 'b', 'c'], 2, 3, 80, 'all', 2],
  [['x'.repeat(120), '─'.repeat(120), '> '], 2, 2, 50, 'all', 6],
  [['x'.repeat(120), '─'.repeat(120), '> '], 2, 2, 50, 'none', 2],
  [['x'.repeat(120), '> '], 1, 70, 50, 'all', 4],
  [['x'.repeat(120), '> '], 1, 70, 50, 'but-cursor', 3],
  [['\x1b[31mred\x1b[39m', ''], 1, 0, 2, 'all', 2],
  [['世世世', ''], 1, 0, 3, 'all', 3],
] as const)(
  'above %j row %i there are, at column %i and width %i with reflow %s, %i rows',
  (lines, row, column, columns, reflow, rows) => {
    expect(rowsAbove(lines, row, column, columns, reflow)).toBe(rows)
    expect(lines.every((line) => cellWidth(line) >= 0)).toBe(true)
  },
)
