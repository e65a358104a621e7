import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createHistory } from './history.ts'
import { historyFile } from './history-file.ts'

const root = mkdtempSync(join(tmpdir(), 'sluice-history-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let count = 0
const newPath = () => join(root, String(count++), 'prompts.jsonl')

describe('a history file', () => {
  test('keeps prompts with their pastes for the next time, private', () => {
    const path = newPath()
    const history = createHistory(historyFile(path))
    history.commit({ text: 'one' })
    history.commit({ text: 'see \u{10f001}', pastes: { 1: 'long' } })
    expect(createHistory(historyFile(path)).entries()).toEqual([
      { text: 'one' },
      { text: 'see \u{10f001}', pastes: { 1: 'long' } },
    ])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('keeps no blanks and no repetitions in a row', () => {
    const path = newPath()
    const history = createHistory(historyFile(path))
    for (const text of ['a', 'a', '  ', 'b', 'a']) history.commit({ text })
    expect(history.entries().map(({ text }) => text)).toEqual(['a', 'b', 'a'])
    expect(readFileSync(path, 'utf8').split('\n').length).toBe(4)
  })

  test('passes over lines that are none of its own', () => {
    const path = newPath()
    createHistory(historyFile(path)).commit({ text: 'a' })
    appendFileSync(path, 'rubbish\n{"text":1}\n[]\nnull\n{"text":"b","pastes":{"1":2}}\n{"text":"cut of')
    expect(historyFile(path).load()).toEqual([{ text: 'a' }, { text: 'b' }])
  })

  test('shortens a file that has grown', () => {
    const path = newPath()
    createHistory(historyFile(path)).commit({ text: 'a' })
    const lines = Array.from({ length: 4000 }, (_, index) => JSON.stringify({ text: `prompt ${index}` }))
    writeFileSync(path, `${lines.join('\n')}\n`)
    expect(historyFile(path).load().length).toBe(2000)
    expect(readFileSync(path, 'utf8').trimEnd().split('\n').length).toBe(2000)
    expect(historyFile(path).load().at(-1)).toEqual({ text: 'prompt 3999' })
  })

  test('does not keep a prompt of megabytes, but knows it in this session', () => {
    const path = newPath()
    const history = createHistory(historyFile(path))
    history.commit({ text: 'x', pastes: { 1: 'y'.repeat(1_000_000) } })
    expect(history.entries().length).toBe(1)
    expect(historyFile(path).load()).toEqual([])
  })

  test('says once when nothing can be written', () => {
    const problems: string[] = []
    const file = join(root, 'a-file')
    writeFileSync(file, '')
    const history = createHistory(historyFile(join(file, 'prompts.jsonl'), (message) => problems.push(message)))
    history.commit({ text: 'a' })
    history.commit({ text: 'b' })
    expect(problems.length).toBe(1)
    expect(problems[0]).toContain('prompts are not kept for later')
    expect(history.entries().length).toBe(2)
  })
})
