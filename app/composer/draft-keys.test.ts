import { describe, expect, test } from 'vitest'
import { defaultKeys } from '../keymap.ts'
import { createTokenizer } from '../terminal/tokenizer.ts'
import { createDraft, type Draft, type DraftWorld } from './draft.ts'
import { pasteInto, pressKey } from './draft-keys.ts'
import { memoryHistory } from './history.ts'

type Bench = {
  draft: Draft
  world: DraftWorld
  sent: string[]
  /** Names of keys that the draft left to others. */
  left: string[]
  /** What a terminal would send. */
  send(...bytes: string[]): void
  shown(): string
}

function bench(extra: Partial<DraftWorld> & { past?: string[] } = {}): Bench {
  const draft = createDraft()
  const sent: string[] = []
  const left: string[] = []
  const world: DraftWorld = {
    table: defaultKeys,
    width: 40,
    history: memoryHistory(extra.past ?? []),
    commands: [
      { name: 'clear', description: 'forget' },
      { name: 'cost', description: 'money' },
      { name: 'model', description: 'change the model', argumentHint: '[model]' },
      { name: 'exit', description: 'leave', aliases: ['quit'] },
    ],
    queue: [],
    onSubmit: (text) => sent.push(text),
    repaint: () => {},
    ...extra,
  }
  return {
    draft,
    world,
    sent,
    left,
    send(...bytes) {
      const tokenizer = createTokenizer()
      const tokens = [...bytes.flatMap((chunk) => tokenizer.push(chunk)), ...tokenizer.flush()]
      for (const token of tokens) {
        if (token.type === 'paste') pasteInto(draft, token.text, world)
        if (token.type !== 'key') continue
        if (!pressKey(draft, { name: token.name, text: token.text, time: 0 }, world)) left.push(token.name)
      }
    },
    shown() {
      const { text, caret } = draft.editor
      return `${text.slice(0, caret)}|${text.slice(caret)}`
    },
  }
}

const up = '\x1b[A'
const down = '\x1b[B'

describe('writing', () => {
  test.each<[string, string[], string]>([
    ['letters', ['hello'], 'hello|'],
    ['three to the left in wide text', ['你好，abc', '\x1b[D\x1b[D\x1b[D', 'x'], '你好，x|abc'],
    ['shift+enter, alt+enter and ctrl+j are line breaks', ['a\x1b[13;2ub\x1b\rc', '\nd'], 'a\nb\nc\nd|'],
    ['a backslash before Enter is a line break', ['\x1b[127ua\\\r'], 'a\n|'],
    ['emacs keys', ['one two\x01\x06\x06\x05\x02\x02\x17'], 'one |wo'],
    ['cut and yank', ['one two\x17\x01\x19 '], 'two |one '],
    ['undo', ['one two\x1f'], 'one|'],
    ['unknown sequences are nothing', ['\x1b[57441;2u\x1b[1;5:3A\x1b[97;1:3u\x1b[99;99~'], '|'],
    ['lines pasted without brackets', ['line1\rline2\rline3'], 'line1\nline2\nline3|'],
    ['two lines from Windows', ['a\r\nb'], 'a\nb|'],
    ['alt with letters moves by words', ['one two\x1bb\x1bb\x1bf'], 'one| two'],
    ['delete a word forward', ['one two\x01\x1bd'], '| two'],
    ['a question mark within a draft', ['a?'], 'a?|'],
    ['shift and blank', ['a\x1b[32;2ub'], 'a b|'],
  ])('%s', (_name, bytes, after) => {
    const { send, shown, sent } = bench()
    send(...bytes)
    expect(shown()).toBe(after)
    expect(sent).toEqual([])
  })

  test('rows of a wrapped line are walked with the same column', () => {
    const { send, shown } = bench({ width: 10 })
    send('the quick brown fox')
    send(up)
    expect(shown()).toBe('the quick| brown fox')
    send(up)
    expect(shown()).toBe('|the quick brown fox')
  })

  test('what it has no use for goes on', () => {
    const { send, left } = bench()
    send('?\x03\x04\x1a\x1b[5~\x1b[Z\x1b')
    send('\x1b[15~')
    expect(left).toEqual(['?', 'ctrl+c', 'ctrl+d', 'ctrl+z', 'pageup', 'shift+tab', 'escape', 'f5'])
  })

  test('ctrl+c clears a draft, and undo brings it back', () => {
    const { send, shown, left } = bench()
    send('half a mess\x03')
    expect(shown()).toBe('|')
    expect(left).toEqual([])
    send('\x1f')
    expect(shown()).toBe('half a mess|')
  })

  test('ctrl+d deletes within a draft and never leaves from one', () => {
    const { send, shown, left } = bench()
    send('ab\x02\x04\x04')
    expect(shown()).toBe('a|')
    expect(left).toEqual([])
  })
})

describe('sending', () => {
  test('a prompt that is interrupted in the next moment is found again', () => {
    const { send, shown, sent, left } = bench()
    send('hello\r\x1b')
    expect(sent).toEqual(['hello'])
    expect(left).toEqual(['escape'])
    send(up)
    expect(shown()).toBe('hello|')
  })

  test('the history has it before it is sent', () => {
    const seen: number[] = []
    const { send, world } = bench({ onSubmit: () => seen.push(world.history.entries().length) })
    send('hello\r')
    expect(seen).toEqual([1])
  })

  test('blanks alone are not sent', () => {
    const { send, sent } = bench()
    send('  \r')
    expect(sent).toEqual([])
  })

  test('chips are sent as what was pasted, and stay chips in the history', () => {
    const { send, sent, draft } = bench()
    const long = 'line\n'.repeat(10_000)
    send(`see \x1b[200~${long}\x1b[201~`)
    expect(draft.editor.text.length).toBe(6)
    send('\r')
    expect(sent).toEqual([`see ${long}`])
    send(up)
    expect(draft.editor.text.length).toBe(6)
    send('\r')
    expect(sent[1]).toBe(sent[0])
  })

  test('Tab unfolds the chip at the caret', () => {
    const { send, draft } = bench()
    send(`\x1b[200~${'line\n'.repeat(20)}\x1b[201~\t`)
    expect(draft.editor.text).toBe('line\n'.repeat(20))
  })
})

describe('older prompts', () => {
  const past = ['fix the cart', 'run the tests', 'fix the rounding']

  test('up and down walk, and the draft comes back', () => {
    const { send, shown } = bench({ past })
    send(up)
    expect(shown()).toBe('fix the rounding|')
    send(up)
    expect(shown()).toBe('run the tests|')
    send(down, down)
    expect(shown()).toBe('|')
  })

  test('what was typed is the beginning they must have', () => {
    const { send, shown } = bench({ past })
    send('fix', up, up)
    expect(shown()).toBe('fix the cart|')
    send(up)
    expect(shown()).toBe('fix the cart|')
    send(down, down)
    expect(shown()).toBe('fix|')
  })

  test('an edited one is a draft of its own', () => {
    const { send, shown } = bench({ past })
    send(up, '!', up)
    expect(shown()).toBe('|fix the rounding!')
  })

  test('ctrl+r searches, again goes further, Esc gives the draft back', () => {
    const { send, shown, draft } = bench({ past })
    send('half', '\x12', 'fix')
    expect(draft.editor.text).toBe('fix the rounding')
    send('\x12')
    expect(draft.editor.text).toBe('fix the cart')
    send('\x13')
    expect(draft.editor.text).toBe('fix the rounding')
    send('\x1b')
    expect(shown()).toBe('half|')
  })

  test('Enter takes a found prompt without sending it', () => {
    const { send, shown, sent } = bench({ past })
    send('\x12', 'cart', '\r')
    expect(shown()).toBe('fix the cart|')
    expect(sent).toEqual([])
  })

  test('a paste while searching is part of what is searched', () => {
    const { send, draft } = bench({ past })
    send('\x12', '\x1b[200~the\ncart\x1b[201~')
    expect(draft.search?.query).toBe('the cart')
    expect(draft.editor.text).toBe('fix the cart')
  })

  test('a search that finds nothing says so and keeps what it had', () => {
    const { send, draft } = bench({ past })
    send('\x12', 'cart', 'zz')
    expect(draft.search).toMatchObject({ query: 'cartzz', failed: true })
    send('\x7f\x7f')
    expect(draft.search).toMatchObject({ query: 'cart', failed: false })
    expect(draft.editor.text).toBe('fix the cart')
  })
})

describe('waiting words', () => {
  test('up on an empty draft takes the last ones back', () => {
    const taken: string[] = []
    const { send, shown } = bench({
      past: ['older'],
      queue: [
        { id: '1', text: 'first' },
        { id: '2', text: 'second' },
      ],
      onUnqueue: (id) => {
        taken.push(id)
        return id === '2' ? 'second' : null
      },
    })
    send(up)
    expect(taken).toEqual(['2'])
    expect(shown()).toBe('second|')
  })

  test('when they have gone already, up walks the history', () => {
    const { send, shown } = bench({ past: ['older'], queue: [{ id: '1', text: 'x' }], onUnqueue: () => null })
    send(up)
    expect(shown()).toBe('older|')
  })
})

describe('commands', () => {
  test('a slash lists them, typing narrows, Enter runs the selected one', () => {
    const { send, draft, sent } = bench()
    send('/')
    expect(draft.menu?.choices.map((choice) => choice.label)).toEqual(['/clear', '/cost', '/exit', '/model [model]'])
    send('c')
    expect(draft.menu?.choices.map((choice) => choice.label)).toEqual(['/clear', '/cost'])
    send(down, '\r')
    expect(sent).toEqual(['/cost'])
  })

  test('one that takes an argument is written out first', () => {
    const { send, shown, sent } = bench()
    send('/mo\r')
    expect(shown()).toBe('/model |')
    send('gpt-5.2\r')
    expect(sent).toEqual(['/model gpt-5.2'])
  })

  test('one that is typed to its end is sent', () => {
    const { send, sent } = bench()
    send('/model\r')
    expect(sent).toEqual(['/model'])
  })

  test('an alias finds it', () => {
    const { send, sent } = bench()
    send('/qu\r')
    expect(sent).toEqual(['/exit'])
  })

  test('Esc closes the list, the next Esc goes on', () => {
    const { send, draft, left, shown } = bench()
    send('/', '\x1b')
    expect(draft.menu).toBe(null)
    expect(left).toEqual([])
    send('\x1b')
    expect(left).toEqual(['escape'])
    send('m')
    expect(draft.menu).toBe(null)
    expect(shown()).toBe('/m|')
  })

  test('a slash later in the draft lists nothing', () => {
    const { send, draft } = bench()
    send('see a/b')
    expect(draft.menu).toBe(null)
  })
})

describe('files', () => {
  const files = ['src/cart.ts', 'docs/my notes.md', 'src/']
  const completeFiles = async (query: string) => files.filter((file) => file.includes(query))
  const settle = () => new Promise((resolve) => setImmediate(resolve))

  test.each<[string, string, string]>([
    ['a path', 'look at @cart\t', 'look at @src/cart.ts |'],
    ['a path with a blank is quoted', 'look at @notes\t', 'look at @"docs/my notes.md" |'],
    ['inside quotes', 'look at @"my no\t', 'look at @"docs/my notes.md" |'],
  ])('%s', async (_name, keys, after) => {
    const { send, shown } = bench({ completeFiles })
    send(keys.slice(0, -1))
    await settle()
    send('\t')
    expect(shown()).toBe(after)
  })

  test('a folder stays open', async () => {
    const { send, shown, draft } = bench({ completeFiles })
    send('@src')
    await settle()
    send(down, '\r')
    await settle()
    expect(shown()).toBe('@src/|')
    expect(draft.menu?.choices.length).toBe(2)
  })

  test('Enter takes the file and does not send', async () => {
    const { send, sent } = bench({ completeFiles })
    send('@cart')
    await settle()
    send('\r')
    expect(sent).toEqual([])
    send('\r')
    expect(sent).toEqual(['@src/cart.ts '])
  })

  test('an answer that comes too late is dropped', async () => {
    const answers: ((paths: string[]) => void)[] = []
    const { send, draft } = bench({ completeFiles: () => new Promise((resolve) => answers.push(resolve)) })
    send('@a', 'b')
    answers[2]?.(['ab'])
    await settle()
    answers[0]?.(['stale'])
    await settle()
    expect(draft.menu?.choices.map((choice) => choice.label)).toEqual(['ab'])
  })

  test('a provider that fails completes nothing', async () => {
    const { send, draft, shown } = bench({ completeFiles: () => Promise.reject(new Error('no ripgrep')) })
    send('@a')
    await settle()
    expect(draft.menu).toBe(null)
    expect(shown()).toBe('@a|')
  })

  test('an address is no file', () => {
    const { send, draft } = bench({ completeFiles })
    send('me@host')
    expect(draft.menu).toBe(null)
  })
})
