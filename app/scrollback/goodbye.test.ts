import { darkTheme } from '@sluice/permissions-ui'
import { beforeAll, describe, expect, test } from 'vitest'
import { endTurn, say, startSession, startTurn, type Teller, teller } from '../../fixtures/screen/event-streams.ts'
import { shopDone } from '../../fixtures/screen/shop-session.ts'
import { loadLexer } from '../markdown/lexer.ts'
import { createStore } from '../state/index.ts'
import { type GoodbyeOptions, goodbyeText, mostLines } from './goodbye.ts'

beforeAll(loadLexer)

const options: GoodbyeOptions = {
  columns: 80,
  theme: darkTheme,
  conversation: true,
  transcriptPath: (id) => `/home/ada/sessions/${id}/transcript.jsonl`,
  unsaved: () => null,
}

function farewell(tellers: readonly Teller[], extra: Partial<GoodbyeOptions> = {}): string[] {
  const store = createStore()
  for (const to of tellers) for (const event of to.events) store.dispatch(event)
  const text = goodbyeText(store.getState(), { ...options, ...extra })
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

const turn = (to: Teller, name: string, lines: number) => {
  startTurn(to, `prompt ${name}`)
  say(to, Array.from({ length: lines }, (_, i) => `${name} line ${i + 1}`).join('\n\n'))
  endTurn(to)
}

describe('leaving', () => {
  test('after two turns leaves the words of both', () => {
    const to = teller()
    startSession(to)
    turn(to, 'a', 100)
    turn(to, 'b', 100)
    const lines = farewell([to])
    for (const name of ['a', 'b']) {
      expect(lines).toContain(`❯ prompt ${name}`)
      for (let i = 1; i <= 100; i++) expect(lines).toContain(`  ${name} line ${i}`)
    }
    expect(lines.slice(-2)).toEqual(['', 'Session s1 is kept. Go on with: sluice --resume s1'])
  })

  test.each([
    [
      { records: 3, why: 'the disk is full (ENOSPC)', none: false },
      'Session s1 is kept without its end: its last 3 records could not be written: the disk is full (ENOSPC). Go on with: sluice --resume s1',
    ],
    [
      { records: 9, why: 'the file system can only be read (EROFS)', none: true },
      'Session s1 is not kept: none of its records could be written: the file system can only be read (EROFS).',
    ],
  ])('with records that could not be written says so, and promises nothing that is not there', (unsaved, words) => {
    const to = teller()
    startSession(to)
    turn(to, 'a', 1)
    expect(farewell([to], { unsaved: () => unsaved }).at(-1)).toBe(words)
  })

  test('a very long conversation leaves its end, and says where the rest is', () => {
    const to = teller()
    startSession(to)
    for (let i = 0; i < 40; i++) turn(to, `t${i}`, 30)
    const lines = farewell([to])
    expect(lines[0]).toBe('… what was said before: the whole transcript is /home/ada/sessions/s1/transcript.jsonl')
    expect(lines.length).toBe(mostLines + 3)
    expect(lines).toContain('  t39 line 30')
  })

  test('one very long answer leaves its end', () => {
    const to = teller()
    startSession(to)
    turn(to, 'a', 600)
    const lines = farewell([to])
    expect(lines[0]).toMatch(/^… what was said before: the whole transcript is /)
    expect(lines).toContain('  a line 600')
  })

  test('without a word said leaves nothing', () => {
    const to = teller()
    startSession(to)
    to.tell({ type: 'notice', level: 'info', code: 'welcome', text: 'This is the demo.' })
    expect(farewell([to])).toEqual([])
    expect(farewell([])).toEqual([])
  })

  test('several sessions are named, and the one in front is shown', () => {
    const quiet = teller('s3')
    startSession(quiet)
    const other = teller('s2')
    startSession(other)
    turn(other, 'other', 2)
    const lines = farewell([shopDone('s1'), other, quiet])
    expect(lines[0]).toBe('❯ why does the cart total drift by a cent?')
    expect(lines.join('\n')).not.toContain('other line 1')
    expect(lines.slice(-2)).toEqual([
      'Session s1 is kept. Go on with: sluice --resume s1',
      'Session s2 is kept. Go on with: sluice --resume s2',
    ])
  })

  test('where the conversation stands on the screen already leaves only how to go on', () => {
    expect(farewell([shopDone()], { conversation: false })).toEqual([
      'Session s1 is kept. Go on with: sluice --resume s1',
    ])
  })

  test('leaves nothing that a terminal would act on', () => {
    const evil = '\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\r'
    const to = teller()
    startSession(to, { title: evil })
    turn(to, evil, 3)
    const text = farewell([to], { transcriptPath: () => evil }).join('')
    expect(text).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/)
  })
})
