import type { Block } from '@sluice/engine/protocol'
import { beforeAll, describe, expect, test } from 'vitest'
import { commandRequest, editRequest, judged, questionRequest } from '../../fixtures/screen/requests.ts'
import { defaultKeys } from '../keymap.ts'
import { loadLexer } from '../markdown/lexer.ts'
import { questionSpeech, trustSpeech } from './question-speech.ts'
import { spokenBlock, spokenKey, spokenMarkdown } from './speech.ts'

beforeAll(loadLexer)

describe('markdown', () => {
  test.each([
    [
      'words with **weight**, `code` and a [link](https://example.org)',
      ['words with weight, code and a link (https://example.org)'],
    ],
    ['# Title', ['Heading: Title']],
    ['- one\n- two\n  - below', ['- one', '- two', '  - below']],
    ['1. first\n2. second', ['1. first', '2. second']],
    ['- [x] done\n- [ ] open', ['- [x] done', '- [ ] open']],
    ['> said\n> so', ['Quote: said so']],
    ['```ts\nconst a = 1\n\nreturn a\n```', ['Code in ts:', 'const a = 1', '', 'return a', 'End of code.']],
    ['| file | change |\n|---|---|\n| `a.ts` | two lines |', ['file: a.ts; change: two lines']],
    ['one\n\n---\n\ntwo', ['one', 'two']],
  ])('%j', (markdown, lines) => {
    expect(spokenMarkdown(markdown)).toEqual(lines)
  })

  test('is never cut or wrapped, and has nothing that a terminal would act on', () => {
    const long = 'word '.repeat(500).trim()
    expect(spokenMarkdown(long)).toEqual([long])
    expect(spokenMarkdown('a\x1b[31mb\x1b]0;t\x07 \u202ec').join('')).toBe('ab c')
  })
})

describe('blocks', () => {
  test.each<[string, Block, string[]]>([
    ['an output', { type: 'output', text: 'one\n\ntwo\n' }, ['Output:', 'one', 'two', 'End of output.']],
    [
      'the end of a long one',
      { type: 'output', text: '1\n2\n3\n4', artifact: '/tmp/all' },
      ['Output, last 2 lines:', '3', '4', 'End of output.', 'All of it is in /tmp/all.'],
    ],
    [
      'a command of two lines',
      { type: 'command', command: 'npm test\nls', cwd: '/w', timeoutMs: 5_000 },
      ['Command, line 1 of 2: npm test', 'Command, line 2 of 2: ls', 'It runs in /w, for at most 5 seconds.'],
    ],
    ['files', { type: 'files', paths: ['a.ts'], omitted: 2 }, ['File: a.ts', '2 more files.']],
    ['a plan', { type: 'todo', items: [{ id: '1', text: 'fix', status: 'in_progress' }] }, ['Plan, in progress: fix']],
    ['an error', { type: 'error', text: 'no such file' }, ['Error: no such file']],
    ['a question', { type: 'question', question: 'Which?', answer: 'this' }, ['Which?', 'Answer: this']],
  ])('%s', (_name, block, lines) => {
    expect(spokenBlock(block, 'tell', 2)).toEqual(lines)
  })
})

test.each([
  ['return', 'Enter'],
  ['escape', 'Escape'],
  ['y', 'y'],
  ['A', 'capital A'],
  ['ctrl+x a', 'Control X, then a'],
  ['shift+tab', 'Shift Tab'],
  ['?', 'question mark'],
])('the key %s is called %s', (key, name) => {
  expect(spokenKey(key)).toBe(name)
})

describe('a question', () => {
  const first = { index: 0, count: 1 }

  test('about an edit tells every line of the change', async () => {
    await expect(questionSpeech(editRequest, first, defaultKeys).join('\n')).toMatchFileSnapshot(
      '../../fixtures/golden/looks/question-edit.txt',
    )
  })

  test('about a command tells its parts and how they were judged', () => {
    expect(questionSpeech(commandRequest(), { index: 1, count: 3 }, defaultKeys)).toEqual([
      'Question 2 of 3: bash npm test -- cart && npm publish --access public.',
      'Asked because: no rule covers bash(npm publish).',
      'Command: npm test -- cart && npm publish --access public',
      'It runs in /home/ada/shop, for at most 120 seconds.',
      'Part: npm test -- cart: allowed, covered by a rule, rule bash(npm test *).',
      'Part: npm publish --access public: asks, no rule covers bash(npm publish).',
      'Risk: it publishes, npm publish. In /home/ada/shop.',
      'Press y to run, n to deny and say why, capital A for always, r to hear it again or Escape for later.',
    ])
  })

  test('of the model tells the answers that may be given', () => {
    expect(questionSpeech(questionRequest(['half up', 'half even']), first, defaultKeys).slice(1)).toEqual([
      'The model asks: Which rounding do you want for the cart total?',
      '1: half up',
      '2: half even',
      'Press 1 to 2 to choose, t to type an answer, n to give none and say why or Escape for later.',
    ])
  })

  test('shows what is hidden in it, and says that something is', () => {
    const hidden = commandRequest('echo good \x1b[K\u202e && rm -r x', { needs: [judged('rm -r x')] })
    const lines = questionSpeech(hidden, first, defaultKeys)
    expect(lines).toContain('Command: echo good \\x1b[K<U+202E> && rm -r x')
    expect(lines.find((line) => line.startsWith('Beware:'))).toBeDefined()
    expect(lines.join('')).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/)
  })

  test.each<[string, Block]>([
    ['a list of files', { type: 'files', paths: ['bill\u202etxt.exe'] }],
    ['a plan', { type: 'todo', items: [{ id: '1', text: 'pay\u202e', status: 'pending' }] }],
    ['a question', { type: 'question', question: 'Which?', options: ['this\u202e'] }],
  ])('says so too when it is hidden in %s', (_what, block) => {
    const lines = questionSpeech({ ...commandRequest('true'), blocks: [block] }, first, defaultKeys)
    expect(lines.find((line) => line.startsWith('Beware:'))).toBeDefined()
    expect(lines.join('')).not.toContain('\u202e')
  })

  test('about the trust in a folder tells what it brings along', () => {
    const question = {
      why: 'new' as const,
      folder: '/home/ada/shop',
      parts: [{ name: 'AGENTS.md', what: 'instructions for the model', details: ['be brief'], runs: false }],
    }
    expect(trustSpeech(question, defaultKeys)).toEqual([
      'Question: do you trust the folder /home/ada/shop? It wants to configure sluice:',
      'AGENTS.md: instructions for the model.',
      'Detail: be brief',
      'Press y to trust it, n for not now or Escape to leave it open.',
    ])
  })
})
