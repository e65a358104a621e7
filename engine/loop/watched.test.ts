import { expect, it } from 'vitest'
import { ask, createCannedModel, say } from '../../fixtures/canned-model.ts'
import { createWorld, done, testTool } from '../../fixtures/session-world.ts'
import type { Checkpoints, WatchedCall } from '../ports/index.ts'
import type { ToolKind } from '../protocol/index.ts'

/** Keeps nothing, and writes down what it is asked; `wait` holds calls back before they run. */
function listening(log: string[], wait: (call: WatchedCall) => Promise<void> = async () => {}): Checkpoints {
  return {
    expect: () => void log.push('expect'),
    async begin(call) {
      log.push(`begin ${call.tool} ${call.writes?.join(' ') ?? 'anything'}`)
      await wait(call)
      return { end: () => void log.push(`end ${call.tool}`) }
    },
    effects: async () => [],
    record: () => {},
    look: async () => ({ kind: 'absent' }),
    intend: () => undefined,
    pending: () => null,
    settled: () => {},
    obstacles: async () => new Map(),
    restoreFolders: async () => {},
    foldersThere: async () => ({}),
    content: async () => null,
    bytes: async () => null,
    restore: async () => ({ ok: true }),
    unavailable: () => null,
    close: async () => {},
  }
}

const noted = (log: string[], name: string, kind: ToolKind, writes?: string) =>
  testTool(
    name,
    kind,
    () => {
      log.push(name)
      return done(name)
    },
    () => (writes === undefined ? {} : { writes: [{ path: writes, bytes: null, hash: null }] }),
  )

it('what a call may change is kept before it runs, and looked at when it has ended; reads are not watched', async () => {
  const log: string[] = []
  const model = createCannedModel([ask('c', ['look', {}], ['change', {}], ['run', {}]), say('done')])
  const tools = [noted(log, 'look', 'read'), noted(log, 'change', 'edit', '/workspace/a'), noted(log, 'run', 'execute')]
  const world = createWorld({ model, tools, checkpoints: listening(log) })
  expect(await world.turn('go')).toBe('final_answer')
  expect(log).toEqual([
    'expect',
    'look',
    'begin change /workspace/a',
    'change',
    'end change',
    'begin run anything',
    'run',
    'end run',
  ])
})

it('a call does not run when the turn is interrupted while its files are looked at', async () => {
  const log: string[] = []
  const model = createCannedModel([ask('c', ['run', {}])])
  const checkpoints = listening(log, async ({ signal }) => {
    world.session.interrupt()
    expect(signal.aborted).toBe(true)
  })
  const world = createWorld({ model, tools: [noted(log, 'run', 'execute')], checkpoints })
  expect(await world.turn('go')).toBe('user_abort')
  expect(log).toEqual(['expect', 'begin run anything', 'end run'])
  const result = world.events.find((event) => event.type === 'tool_result')
  expect(result?.type === 'tool_result' && result.result).toMatchObject({ ok: false, error: 'USER_ABORTED' })
})
