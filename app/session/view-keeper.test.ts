/** What a person has before them is on the disk a moment after their last key. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createFakeClock } from '../../fixtures/fake-clock.ts'
import { startSession, teller } from '../../fixtures/screen/event-streams.ts'
import { createDraft } from '../composer/index.ts'
import { createMemory, forget } from '../screen/index.ts'
import { createStore } from '../state/index.ts'
import { readLeftView, writeLeftView } from './left-view.ts'
import { createViewKeeper, restMs } from './view-keeper.ts'

function world() {
  const sessionsDir = mkdtempSync(join(tmpdir(), 'sluice-kept-'))
  const clock = createFakeClock()
  const store = createStore()
  const memory = createMemory()
  /** Those on which this process does not work. */
  const shut = new Set<string>()
  for (const id of ['s_one', 's_two']) {
    const told = teller(id)
    startSession(told)
    for (const event of told.events) store.dispatch(event)
    mkdirSync(join(sessionsDir, id))
  }
  const keeper = createViewKeeper({ store, memory, sessionsDir, open: (id) => !shut.has(id), after: clock.after })
  const focus = (sessionId: string) => store.dispatch({ type: 'ui_focus', sessionId })
  const write = (id: string, text: string) => {
    memory.drafts.set(id, createDraft(text))
    keeper.touched()
  }
  const folder = (id: string) => join(sessionsDir, id)
  const file = (id: string) => join(folder(id), 'view.json')
  return {
    clock,
    keeper,
    memory,
    shut,
    focus,
    write,
    folder,
    file,
    kept: (id: string) => readLeftView(join(sessionsDir, id)),
  }
}

test('a draft is kept once while somebody types, also when they have gone on to another session', async () => {
  const { clock, focus, write, kept } = world()
  focus('s_one')
  write('s_one', 'half')
  expect(kept('s_one')).toEqual({})
  await clock.advance(restMs / 2)
  write('s_one', 'half a thought')
  focus('s_two')
  write('s_two', 'another')
  await clock.advance(restMs / 2)
  expect(kept('s_one')).toEqual({ draft: { text: 'half a thought' } })
  expect(kept('s_two')).toEqual({ draft: { text: 'another' } })
})

test('one that was sent is gone, and what has not changed is not written again', async () => {
  const { clock, focus, write, kept, file, keeper } = world()
  focus('s_one')
  write('s_one', 'words')
  await clock.advance(restMs)
  rmSync(file('s_one'))
  keeper.touched()
  await clock.advance(restMs)
  expect(existsSync(file('s_one'))).toBe(false)
  write('s_one', 'other words')
  await clock.advance(restMs)
  expect(kept('s_one')).toEqual({ draft: { text: 'other words' } })
  write('s_one', '')
  await clock.advance(restMs)
  expect(existsSync(file('s_one'))).toBe(false)
})

test('one that was sent is gone at once: a process killed just then must not bring it back', async () => {
  const { clock, focus, write, kept, folder } = world()
  writeLeftView(folder('s_one'), { draft: { text: 'from the last time' } })
  focus('s_one')
  write('s_one', '')
  await clock.advance(0)
  expect(kept('s_one')).toEqual({})
  write('s_one', 'words')
  await clock.advance(restMs)
  expect(kept('s_one')).toEqual({ draft: { text: 'words' } })
  write('s_one', '')
  focus('s_two')
  await clock.advance(0)
  expect(kept('s_one')).toEqual({})
})

test('what could not be written is written after the next key, changed or not', async () => {
  const { clock, focus, write, kept, folder, keeper } = world()
  focus('s_one')
  rmSync(folder('s_one'), { recursive: true })
  write('s_one', 'words')
  await clock.advance(restMs)
  mkdirSync(folder('s_one'))
  keeper.touched()
  await clock.advance(restMs)
  expect(kept('s_one')).toEqual({ draft: { text: 'words' } })
})

test('a session that ends is kept at once, whatever was written before', async () => {
  const { clock, focus, write, kept, file, keeper } = world()
  focus('s_one')
  write('s_one', 'words')
  await clock.advance(restMs)
  rmSync(file('s_one'))
  keeper.leave('s_one')
  expect(kept('s_one')).toEqual({ draft: { text: 'words' } })
  keeper.close()
})

test('a key while only the end of a session is on the screen leaves what was left in it as it is', async () => {
  const { clock, focus, write, kept, folder, shut, keeper } = world()
  writeLeftView(folder('s_one'), { draft: { text: 'from the last time' } })
  shut.add('s_one')
  focus('s_one')
  keeper.touched()
  await clock.advance(0)
  write('s_one', 'early')
  await clock.advance(restMs)
  expect(kept('s_one')).toEqual({ draft: { text: 'from the last time' } })
})

test('the keys that closed a session take nothing away from what was kept of it', async () => {
  const { clock, focus, write, kept, keeper, memory, shut } = world()
  focus('s_one')
  write('s_one', 'words')
  keeper.leave('s_one')
  shut.add('s_one')
  forget(memory, 's_one')
  await clock.advance(restMs)
  expect(kept('s_one')).toEqual({ draft: { text: 'words' } })
})
