import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentEvent } from '@sluice/engine/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { parseArgs } from '../cli/args.ts'
import { requireModel, setUp } from '../compose/setup.ts'
import { createStore } from '../state/index.ts'
import { createLiveSessions } from './live-sessions.ts'
import { openBeside, openSession } from './open-session.ts'
import { createSessionControl } from './session-control.ts'

const script = { steps: [{ reply: [{ hang: true }] }] }

let close: (() => Promise<void>) | undefined
afterEach(async () => {
  await close?.()
  vi.unstubAllEnvs()
})

/** A first session in a folder whose config wants trust. */
async function world() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-beside-')))
  const cwd = join(root, 'shop')
  mkdirSync(join(cwd, '.sluice'), { recursive: true })
  writeFileSync(join(cwd, '.sluice', 'config.jsonc'), '{"permissionMode": "plan"}')
  writeFileSync(join(root, 'script.json'), JSON.stringify(script))
  vi.stubEnv('SLUICE_HOME', join(root, 'home'))
  const options = parseArgs(['--cwd', cwd, '--model', `scripted:${join(root, 'script.json')}`])
  const setup = await setUp(options)
  const store = createStore()
  const live = createLiveSessions(store)
  const heard: AgentEvent[] = []
  const sessions = { store, live, heard: (event: AgentEvent) => void heard.push(event) }
  close = () => live.close()
  const first = await openSession({ setup, options, model: requireModel(setup) }, sessions)
  return { store, live, heard, sessions, first, control: createSessionControl(sessions) }
}

test('a session beside has an id of its own, the same model, and shares rules and trust', async () => {
  const { store, sessions, first, live } = await world()
  const second = await openBeside(sessions)
  if (!second) throw new Error('no second session')
  expect(second.session.id).not.toBe(first.session.id)
  expect(second.session.model).toBe(first.session.model)
  expect(store.getState()).toMatchObject({ focus: second.session.id, order: [first.session.id, second.session.id] })
  await first.terms.rules.allow('bash(echo *)', 'session')
  expect(second.terms.rules.rules().map(({ text }) => text)).toContain('bash(echo *)')

  expect([first.session.mode, second.session.mode]).toEqual(['default', 'default'])
  await second.trust.grant()
  for (const { runtime } of live.all()) if (runtime !== second) runtime.trust.follow()
  expect([first.session.mode, second.session.mode]).toEqual(['plan', 'plan'])
  expect([first.trust.question, second.trust.question]).toEqual([null, null])
})

test('the only one is not closed; one that works is closed only when asked twice, and the others go on', async () => {
  const { store, live, first, control } = await world()
  await control.close()
  expect(store.getState().ui.toast?.text).toBe('This is the only session: /exit leaves sluice')

  await control.open('wait for ever')
  const second = live.focused()?.runtime.session
  await vi.waitFor(() => expect(store.getState().sessions[second?.id ?? '']?.phase.name).toBe('working'))
  first.session.send('so do I')
  await control.close()
  expect(store.getState().ui.toast).toEqual({
    level: 'warn',
    text: 'This session still works: /close once more stops it',
  })
  expect(live.all()).toHaveLength(2)
  await control.close()
  expect(store.getState()).toMatchObject({
    focus: first.session.id,
    order: [first.session.id],
    ui: { toast: { text: `Closed. Go on with it later: sluice --resume ${second?.id}` } },
  })
  expect(first.session.busy).toBe(true)
})

test('what a closed session still says brings it back on no screen', async () => {
  const { store, live, heard, sessions } = await world()
  const second = await openBeside(sessions)
  const id = second?.session.id ?? ''
  await live.closeOne(id)
  const before = heard.length
  second?.session.setMode('yolo')
  expect(heard).toHaveLength(before)
  expect(Object.keys(store.getState().sessions)).not.toContain(id)
})
