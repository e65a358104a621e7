import { asciiGlyphs, darkTheme } from '@sluice/permissions-ui'
import headless from '@xterm/headless'
import { beforeAll, describe, expect, test } from 'vitest'
import { endTurn, say, startSession, startTurn, teller } from '../../fixtures/screen/event-streams.ts'
import { shopDone } from '../../fixtures/screen/shop-session.ts'
import { loadLexer } from '../markdown/lexer.ts'
import { createStore, entries, focused, type Item } from '../state/index.ts'
import { itemLines, type LineOptions } from './lines.ts'

beforeAll(loadLexer)

const plain = (columns: number): LineOptions => ({ columns, ink: { theme: darkTheme, styles: false } })

function itemsOf(events: ReturnType<typeof teller>['events']): Item[] {
  const store = createStore()
  for (const event of events) store.dispatch(event)
  const view = focused(store.getState())
  return view === null ? [] : [...entries(view.settled)]
}

function linesOf(items: readonly Item[], options: LineOptions): string[] {
  return items.flatMap((item, i) => itemLines(item, items[i - 1], options))
}

/** What the lines look like in a terminal, first at one width and then at others. */
async function shown(lines: readonly string[], ...widths: number[]): Promise<string[]> {
  const [first = 80, ...later] = widths
  const terminal = new headless.Terminal({ cols: first, rows: 30, scrollback: 500, allowProposedApi: true })
  terminal.write(lines.map((line) => `${line}\r\n`).join(''))
  await new Promise<void>((resolve) => terminal.write('', resolve))
  for (const columns of later) terminal.resize(columns, 30)
  const { active } = terminal.buffer
  const rows = Array.from(
    { length: active.length },
    (_, y) => active.getLine(y)?.translateToString(true).trimEnd() ?? '',
  )
  while (rows.at(-1) === '') rows.pop()
  terminal.dispose()
  return rows
}

const answer = (text: string): Item => ({ kind: 'assistant', id: 'e1', at: 0, text, reasoning: '', partial: false })

describe('the scrollback', () => {
  test('has a whole session in a form that needs no opening', async () => {
    const lines = linesOf(itemsOf(shopDone().events), plain(80))
    await expect(lines.join('\n')).toMatchFileSnapshot('../../fixtures/golden/looks/scrollback-80.txt')
  })

  test('has no sign but ASCII where the theme draws with ASCII', () => {
    const ink = { theme: { ...darkTheme, glyphs: asciiGlyphs }, styles: false }
    expect(linesOf(itemsOf(shopDone().events), { columns: 80, ink }).join('\n')).toMatch(/^[\n -~]*$/)
  })

  test('has no escape sequence of the model or a tool, and ours only with styles', () => {
    const evil = '\x1b]0;owned\x07\x1b[2J\x9b31m\u202e'
    const to = teller()
    startSession(to)
    startTurn(to, `go ${evil}`)
    to.tell({ type: 'notice', level: 'warn', code: 'x', text: `careful ${evil}` })
    say(to, `an answer ${evil}\n\n\`\`\`\n${evil}code\n\`\`\``)
    endTurn(to, 'final_answer')
    const items = itemsOf(to.events)
    expect(linesOf(items, plain(60)).join('')).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/)
    const styled = linesOf(items, { columns: 60, ink: { theme: darkTheme, styles: true } }).join('')
    expect(styled.replaceAll(/\x1b\[[\d;]*m/g, '')).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/)
  })
})

describe('a paragraph', () => {
  const words = 'The price was rounded per line and the total was then off by a cent for every third item in the cart.'
  const long = `${words} ${words}`

  test('is wrapped at words, and wrapped anew by the terminal when it is wider', async () => {
    const lines = linesOf([answer(long)], plain(40))
    expect(lines).toHaveLength(1)
    const narrow = await shown(lines, 40)
    expect(narrow).toHaveLength(6)
    // No word is broken: the rows have the words in their order.
    expect(narrow.flatMap((row) => row.trim().split(/\s+/))).toEqual(long.split(' '))
    const wide = await shown(lines, 40, 120)
    expect(wide).toHaveLength(2)
    expect(wide.join(' ').split(/\s+/).filter(Boolean)).toEqual(long.split(' '))
  })

  test('of a list stands below its mark', async () => {
    expect(await shown(linesOf([answer(`- ${words}\n- short`)], plain(44)), 44)).toEqual([
      '  • The price was rounded per line and the',
      '    total was then off by a cent for every',
      '    third item in the cart.',
      '  • short',
    ])
  })

  test('with signs whose width is not certain is wrapped here and not by the terminal', () => {
    const lines = linesOf([answer(`👨‍👩‍👧 ${words}`)], plain(40))
    expect(lines.length).toBeGreaterThan(2)
    expect(lines.every((line) => line.length <= 48)).toBe(true)
  })

  test('of a prompt stands below its mark', async () => {
    const prompt: Item = { kind: 'user', id: 'e0', at: 0, text: `${words}\nand more`, joined: false }
    expect(await shown(linesOf([prompt], plain(60)), 60)).toEqual([
      '❯ The price was rounded per line and the total was then off',
      '  by a cent for every third item in the cart.',
      '  and more',
    ])
  })
})

test('a line of code is one line of the terminal, however long it is', () => {
  const code = `const total = items.reduce((sum, item) => sum + item.price * item.quantity, 0) // ${'x'.repeat(100)}`
  expect(linesOf([answer(`\`\`\`ts\n${code}\n\`\`\``)], plain(40))).toEqual([`    ${code}`])
})
