import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { parseArgs } from '../cli/args.ts'
import { initialState, reduce } from '../state/index.ts'
import { endOfStored } from './session-end.ts'

let home: string
let work: string

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-end-')))
  work = join(home, 'work')
  mkdirSync(join(work, '.git'), { recursive: true })
  vi.stubEnv('SLUICE_HOME', home)
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
})

/** A session of that many turns, each with an answer of two thousand characters. */
function write(id: string, turns: number, cwd = work, sick = false): void {
  let seq = 0
  const line = (turnId: string | null, body: object) =>
    JSON.stringify({ v: 1, seq: ++seq, time: '2026-11-30T12:00:00.000Z', sessionId: id, turnId, ...body })
  const lines = [
    sick ? '{"v":1,"seq":' : line(null, { type: 'session_start', cwd, model: 'm', mode: 'default', version: '0' }),
  ]
  for (let n = 1; n <= turns; n++) {
    const turnId = `t${n}`
    lines.push(line(turnId, { type: 'turn_start', input: `question ${n}` }))
    lines.push(
      line(turnId, { type: 'message', message: { role: 'assistant', content: `answer ${n} ${'x'.repeat(2_000)}` } }),
    )
    lines.push(line(turnId, { type: 'turn_end', reason: 'final_answer', durationMs: 1, replies: 1, calls: 0 }))
  }
  mkdirSync(join(home, 'sessions', id), { recursive: true })
  writeFileSync(join(home, 'sessions', id, 'transcript.jsonl'), `${lines.join('\n')}\n`)
}

const endOf = (...args: string[]) => endOfStored(parseArgs(['--cwd', work, ...args]))

test('the end of a long session is there without the rest, from a turn on', () => {
  write('s_long', 1_000)
  const events = endOf('--resume', 's_long') ?? []
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['session_start', 'turn_start'])
  expect(events.length).toBeLessThan(1_000)
  expect(events.at(-1)).toMatchObject({ type: 'turn_end', turnId: 't1000' })
  const view = reduce(initialState, { type: 'ui_load', events }).sessions.s_long
  expect(view).toMatchObject({ cwd: work, model: 'm' })
})

test('the last one of the folder is found as well', () => {
  write('s_long', 1_000)
  expect(endOf('--continue')?.at(-1)).toMatchObject({ turnId: 't1000' })
})

test.each<[string, () => void, string[]]>([
  ['a short one', () => write('s_short', 3), ['--resume', 's_short']],
  ['one of another folder', () => write('s_far', 1_000, '/elsewhere'), ['--resume', 's_far']],
  ['one whose beginning is damaged', () => write('s_sick', 1_000, work, true), ['--resume', 's_sick']],
  ['one that is not there', () => {}, ['--resume', 's_none']],
  ['a name', () => write('s_long', 1_000), ['--resume', '../s_long']],
  ['nothing that is asked for', () => write('s_long', 1_000), []],
])('%s is read whole', (_what, prepare, args) => {
  prepare()
  expect(endOf(...args)).toBe(null)
})
