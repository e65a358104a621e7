import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createStateFolder, lines, type StateFolder, shortSession } from '../../../fixtures/session-files.ts'
import { repairTranscript } from './repair.ts'

let state: StateFolder
let folder: string

beforeEach(() => {
  state = createStateFolder()
  folder = join(state.sessionsDir, 's1')
  mkdirSync(folder)
})
afterEach(() => state.remove())

const whole = lines(shortSession('s1', 'fix the parser', 'fixed').events)
const records = whole.split('\n').slice(0, -1)
const text = (name = 'transcript.jsonl') => readFileSync(join(folder, name), 'utf8')

test('damaged lines move into a file of their own, whole records stay, and no byte is lost', () => {
  const torn = '{"v":1,"seq":99,"time":"2026'
  const damaged = [records[0], 'garbage \u{1f600}', `{"v":1,"se${records[1]}`, '', ...records.slice(2), torn].join('\n')
  writeFileSync(join(folder, 'transcript.jsonl'), damaged)
  const found = {
    kept: records.length,
    moved: 3,
    movedBytes: 53,
    damagedFile: join(folder, 'transcript.damaged-1.jsonl'),
  }
  expect(repairTranscript(folder, false)).toEqual(found)
  expect([text(), readdirSync(folder)]).toEqual([damaged, ['transcript.jsonl']])
  expect(repairTranscript(folder)).toEqual(found)
  expect(text()).toBe(`${records[0]}\n${records[1]}\n\n${records.slice(2).join('\n')}\n`)
  expect(text('transcript.damaged-1.jsonl')).toBe(`garbage \u{1f600}\n{"v":1,"se\n${torn}\n`)
  expect(statSync(join(folder, 'transcript.damaged-1.jsonl')).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'transcript.jsonl')).mode & 0o777).toBe(0o600)
  expect(repairTranscript(folder)).toEqual({ kept: records.length, moved: 0, movedBytes: 0, damagedFile: null })
})

test('a whole file is left as it is', () => {
  writeFileSync(join(folder, 'transcript.jsonl'), whole)
  const before = statSync(join(folder, 'transcript.jsonl'))
  expect(repairTranscript(folder)).toMatchObject({ kept: records.length, moved: 0 })
  expect([readdirSync(folder), statSync(join(folder, 'transcript.jsonl')).ino]).toEqual([
    ['transcript.jsonl'],
    before.ino,
  ])
})

test('damage found again later gets another file, and lines longer than a piece are one line', () => {
  const long = JSON.stringify({
    v: 1,
    seq: 2,
    time: 't',
    sessionId: 's1',
    turnId: null,
    type: 'notice',
    level: 'info',
    code: 'x',
    text: 'x'.repeat(3_000_000),
  })
  for (const n of [1, 2]) {
    writeFileSync(join(folder, 'transcript.jsonl'), `${records[0]}\n${long}\nx${n}\n`)
    expect(repairTranscript(folder)).toMatchObject({ kept: 2, moved: 1 })
    expect(text(`transcript.damaged-${n}.jsonl`)).toBe(`x${n}\n`)
    expect(text()).toBe(`${records[0]}\n${long}\n`)
  }
})
