import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createStore } from '../state/index.ts'
import { watchBackground } from './watch-background.ts'

test('a background command that ends by itself leaves the list', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume().on("end", () => process.exit())'])
  await once(child, 'spawn')
  const store = createStore()
  const stop = watchBackground(store)
  const head = { v: 1, time: '2026-01-01T00:00:00Z', sessionId: 's1', turnId: null } as const
  store.dispatch({
    ...head,
    ...{ seq: 1, type: 'session_start', cwd: '/w', model: 'm', mode: 'default', version: '0' },
  })
  store.dispatch({
    ...{ ...head, seq: 2, type: 'tool_result', call: { id: 'a', name: 'bash', input: { command: 'serve' } } },
    ...{ result: { ok: true, summary: '', content: '', metadata: { stillRunning: [child.pid] } }, blocks: [] },
  })
  const list = () => store.getState().sessions.s1?.background ?? []
  expect(list()).toMatchObject([{ title: 'serve', pids: [child.pid] }])
  child.stdin.end()
  await new Promise<void>((resolve) => {
    const off = store.subscribe(() => {
      if (list().length > 0) return
      off()
      resolve()
    })
  })
  stop()
})
