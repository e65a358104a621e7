import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeSessionLock } from '@sluice/engine/adapters/session-lock'
import type { AgentEvent } from '@sluice/engine/protocol'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { writeStoredSession } from '../../fixtures/stored-session.ts'
import { parseArgs } from '../cli/args.ts'
import { requireModel, setUp } from '../compose/setup.ts'
import { localTime } from '../local-time.ts'
import { createStore, entries } from '../state/index.ts'
import { createLiveSessions } from './live-sessions.ts'
import { openBeside, openSession } from './open-session.ts'
import { createSessionControl } from './session-control.ts'
import { createStoredSessions } from './stored-sessions.ts'

const script = { steps: [{ reply: [{ hang: true }] }] }

let close: (() => Promise<void>) | undefined
afterEach(async () => {
  await close?.()
  vi.unstubAllEnvs()
})

/** A first session in a folder whose config wants trust. */
async function world(flags: string[] = []) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-beside-')))
  const cwd = join(root, 'shop')
  mkdirSync(join(cwd, '.sluice'), { recursive: true })
  writeFileSync(join(cwd, '.sluice', 'config.jsonc'), '{"permissionMode": "plan"}')
  writeFileSync(join(root, 'script.json'), JSON.stringify(script))
  vi.stubEnv('SLUICE_HOME', join(root, 'home'))
  const options = parseArgs(['--cwd', cwd, '--model', `scripted:${join(root, 'script.json')}`, ...flags])
  const setup = await setUp(options)
  const store = createStore()
  const live = createLiveSessions(store)
  const heard: AgentEvent[] = []
  const sessions = { store, live, heard: (event: AgentEvent) => void heard.push(event) }
  const stored = createStoredSessions(setup.paths)
  close = async () => {
    stored.close()
    await live.close()
  }
  const first = await openSession({ setup, options, model: requireModel(setup) }, sessions)
  return { store, live, heard, sessions, first, control: createSessionControl(sessions, stored), stored }
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
  await vi.waitFor(() => expect(store.getState().sessions[second?.id ?? '']?.phase.name).toBe('working'), {
    timeout: 30_000,
  })
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

describe('a stored session', () => {
  /** One of another folder beside the first, with a model that is not to be had and one that is. */
  async function withStored(flags: string[] = []) {
    const all = await world(flags)
    const other = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-other-')))
    const at = Date.now() - 60_000
    const write = (id: string, model: string) =>
      writeStoredSession(process.env.SLUICE_HOME ?? '', { id, cwd: other, model, at, turns: [['mend it', 'Mended.']] })
    write('s_old', all.first.session.model)
    write('s_lost', 'scripted:./no-such-file.json')
    await (await all.stored.open()).index.refresh()
    return { ...all, other, at }
  }

  test('opens in its own folder, with rules and trust of its own, and what was said', async () => {
    const { store, live, first, control, other } = await withStored()
    expect(await control.resumeStored('s_old', 'there')).toBeNull()
    const opened = live.get('s_old')
    expect(opened?.runtime.session.cwd).toBe(other)
    expect(opened?.runtime.terms).not.toBe(first.terms)
    expect(store.getState().focus).toBe('s_old')
    const view = store.getState().sessions.s_old
    const items = view === undefined ? [] : [...entries(view.settled)]
    expect(items.find(({ kind }) => kind === 'user')).toMatchObject({ text: 'mend it' })
    expect(view?.lastStop?.reason).toBe('final_answer')

    store.dispatch({ type: 'ui_focus', sessionId: first.session.id })
    expect(await control.resumeStored('s_old', 'there')).toBeNull()
    expect([store.getState().focus, live.all().length]).toEqual(['s_old', 2])
  })

  test('of another folder has none of what the command line permitted for this one', async () => {
    const { live, control, other } = await withStored(['--trust', '--allow', 'bash(echo *)', '--deny', 'bash(curl *)'])
    mkdirSync(join(other, '.sluice'))
    writeFileSync(join(other, '.sluice', 'config.jsonc'), '{"permissionMode": "plan"}')
    await control.resumeStored('s_old', 'there')
    const opened = live.get('s_old')?.runtime
    expect(opened?.terms.rules.rules().map(({ verdict, text }) => `${verdict} ${text}`)).toEqual(['deny bash(curl *)'])
    expect(opened?.trust.question).toMatchObject({ why: 'new', folder: other })
    expect(opened?.session.mode).toBe('default')
  })

  test('can be closed and opened again', async () => {
    const { store, live, control } = await withStored()
    await control.resumeStored('s_old', 'there')
    await live.closeOne('s_old')
    expect(await control.resumeStored('s_old', 'there')).toBeNull()
    live.get('s_old')?.runtime.session.setTitle('Once more')
    expect(store.getState().sessions.s_old?.title).toBe('Once more')
  })

  test('whose model is gone goes on with that of this process, and says so', async () => {
    const { live, first, heard, control } = await withStored()
    expect(await control.resumeStored('s_lost', 'there')).toBeNull()
    expect(live.get('s_lost')?.runtime.session.model).toBe(first.session.model)
    expect(heard.flatMap((event) => (event.type === 'notice' ? [event.text] : [])).join()).toMatch(
      /It went on with scripted:.*no-such-file.json, which cannot be had now/,
    )
  })

  test('that another process works on is left alone, and so is one whose folder is gone', async () => {
    const { live, control, other } = await withStored()
    const attempt = takeSessionLock(join(process.env.SLUICE_HOME ?? '', 'sessions', 's_old'))
    expect(await control.resumeStored('s_old', 'there')).toBe(
      `It runs in another sluice (process ${process.pid}): close it there first`,
    )
    expect(await control.listed('s_old')).toMatch(/^s_old: .*, runs in another sluice\n/)
    if (attempt.type === 'taken') attempt.lock.release()
    rmSync(other, { recursive: true })
    expect(await control.resumeStored('s_old', 'there')).toEqual({ folder: other, gone: true })
    expect(live.all()).toHaveLength(1)
    expect(await control.resumeStored('s_old', 'here')).toBeNull()
    expect(live.get('s_old')?.runtime.session.cwd).toBe(live.all()[0]?.runtime.session.cwd)
  })

  test('of another folder waits for a word on where it goes on; one that is open here does not', async () => {
    const { store, live, first, control, other } = await withStored()
    expect(await control.resumeStored('s_old', 'asks')).toEqual({ folder: other, gone: false })
    expect(await control.resume('s_old')).toEqual({ id: 's_old', folder: other, gone: false })
    expect(live.all()).toHaveLength(1)
    expect(await control.resume('s_old', 'here')).toBe('done')
    expect(live.get('s_old')?.runtime.session.cwd).toBe(first.session.cwd)
    store.dispatch({ type: 'ui_focus', sessionId: first.session.id })
    expect(await control.resume('s_old')).toBe('done')
    expect(store.getState().focus).toBe('s_old')
  })

  test('that words mean is gone on with; words that mean several are for the list', async () => {
    const { store, control, other, at } = await withStored()
    expect(await control.resume('mend')).toBe('unclear')
    expect(await control.resume('s_ol', 'there')).toBe('done')
    expect(store.getState().focus).toBe('s_old')
    expect(await control.resume('s_ol')).toBe('done')
    expect(store.getState().ui.toast?.text).toBe('That is the session you are in')
    await control.rename('Another name')
    expect(store.getState().sessions.s_old?.title).toBe('Another name')
    vi.stubEnv('TZ', 'Asia/Kolkata')
    expect(await control.listed('another name')).toMatch(
      /^s_old: Another name, in .*, open here\nGo on with one: \/resume ID$/,
    )
    expect(await control.listed('mend')).toContain(`s_lost: Mend it, in ${other}, ${localTime(at)}\n`)
  })
})
