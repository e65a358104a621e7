import type { AgentEvent, EventBody } from '@sluice/engine/protocol'
import { darkTheme, rowText } from '@sluice/permissions-ui'
import { expect, test } from 'vitest'
import { runningSection } from '../../dashboard/sections.ts'
import { type AppState, emptyLog, entries, initialState, reduce } from '../index.ts'

const start: EventBody = { type: 'session_start', cwd: '/w', model: 'm', mode: 'default', version: '0' }
const result = (id: string, command: string, stillRunning: unknown): EventBody => ({
  type: 'tool_result',
  call: { id, name: 'bash', input: { command } },
  result: { ok: true, summary: '', content: '', metadata: { durationMs: 1, stillRunning } },
  blocks: [],
})

function after(...bodies: EventBody[]): AppState {
  return bodies
    .map(
      (body, i): AgentEvent => ({
        ...{ v: 1, seq: i + 1, time: new Date(i).toISOString(), sessionId: 's1', turnId: 't1' },
        ...body,
      }),
    )
    .reduce(reduce, initialState)
}

const two = () => after(start, result('a', 'npm run dev', [11, 12]), result('b', 'ls', []), result('c', 'serve', [20]))

test('what a command left running is known with its processes', () => {
  expect(two().sessions.s1?.background).toEqual([
    { id: 't1/a', title: 'npm run dev', pids: [11, 12] },
    { id: 't1/c', title: 'serve', pids: [20] },
  ])
  expect(after(start, result('a', 'x', 'nonsense')).sessions.s1?.background).toEqual([])
})

test('what has ended is left out, and nothing changes when nothing has', () => {
  const before = two()
  expect(reduce(before, { type: 'ui_ended', pids: [99] })).toBe(before)
  const gone = reduce(before, { type: 'ui_ended', pids: [12, 20] })
  expect(gone.sessions.s1?.background).toEqual([{ id: 't1/a', title: 'npm run dev', pids: [11] }])
})

test('all of it ends with the session, and with the process before a resumed one', () => {
  for (const end of [{ type: 'session_end' }, start] as EventBody[]) {
    expect(after(start, result('a', 'npm run dev', [11]), end).sessions.s1?.background).toEqual([])
  }
})

test('the panel shows it below RUNNING with its pid', () => {
  const view = two().sessions.s1
  const section = view ? runningSection(view, 0, 30, darkTheme) : null
  expect(section?.rows.map((row) => rowText(row))).toEqual([
    `${darkTheme.glyphs.running} npm run dev        pid 11 +1`,
    `${darkTheme.glyphs.running} serve                 pid 20`,
  ])
})

test('a command that the person typed is told from one that the model ran', () => {
  const turn = (input: string): EventBody => ({ type: 'turn_start', input })
  const end: EventBody = { type: 'turn_end', reason: 'final_answer', durationMs: 1, replies: 0, calls: 1 }
  const reply: EventBody = { type: 'message', message: { role: 'assistant', content: 'ok' } }
  const typed = (state: AppState) =>
    [...entries(state.sessions.s1?.settled ?? emptyLog<never>())].flatMap((item) =>
      item.kind === 'call' ? (item.typed ?? false) : [],
    )
  expect(typed(after(start, turn('!ls'), result('a', 'ls', []), end))).toEqual([true])
  expect(typed(after(start, turn('look'), result('a', 'ls', []), end))).toEqual([false])
  expect(typed(after(start, turn('!now'), reply, result('a', 'ls', []), end))).toEqual([false])
})
