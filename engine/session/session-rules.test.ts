import { afterEach, describe, expect, it, vi } from 'vitest'
import { ask, createCannedModel, say } from '../../fixtures/canned-model.ts'
import { openRewinding, removeRewindFolders, rewindPlace } from '../../fixtures/rewind-world.ts'
import { createWorld, done, judgeBy, testTool, type World } from '../../fixtures/session-world.ts'
import { isDurable, type RuleChange, type Verdict } from '../protocol/index.ts'
import { forkEvents } from './fork.ts'
import { resumeSession } from './resume.ts'

vi.setConfig({ testTimeout: 20_000 })

let close: (() => Promise<void>) | undefined
afterEach(async () => {
  await close?.()
  close = undefined
  removeRewindFolders()
})

const run = testTool('run', 'execute', () => done('ran'))

/** A session whose model asks for one call, which the person always allows from then on. */
async function withRule(): Promise<World> {
  const world = createWorld({
    model: createCannedModel([ask('a', ['run', {}]), say('first'), ask('b', ['run', {}]), say('second'), say('third')]),
    tools: [run],
    judge: judgeBy({ run: 'ask' }),
  })
  world.session.subscribe((event) => {
    if (event.type !== 'approval_request') return
    const { id, digest } = event.request
    const rule = { text: 'run', scope: 'session' as const }
    // The gate knows of it as soon as everybody was told.
    queueMicrotask(() => {
      world.session.answer(id, { type: 'allow', digest, ...(world.rules.length === 0 ? { rule } : {}) })
    })
  })
  await world.turn('one')
  return world
}

/** As the rules view does it: the store first, then the record. */
function change({ session, rules }: World, what: RuleChange['change'], text: string, verdict: Verdict = 'allow'): void {
  if (what === 'added') rules.push({ text, verdict, scope: 'session' })
  else
    rules.splice(
      rules.findIndex((rule) => rule.text === text && rule.verdict === verdict),
      1,
    )
  session.noteRule({ change: what, text, verdict })
}

const resumed = ({ events }: World) => resumeSession(events.filter(isDurable))
const changes = ({ events }: World) =>
  events.flatMap((event) => (event.type === 'setting' && event.rule ? [event.rule] : []))

describe('a rule for the session that was taken away', () => {
  it('is asked again at once, and is gone when the session is resumed', async () => {
    const world = await withRule()
    expect(resumed(world).rules).toEqual(['run'])
    change(world, 'removed', 'run')
    expect(resumed(world).rules).toEqual([])
    await world.turn('two')
    expect(world.types().filter((type) => type === 'approval_request')).toHaveLength(2)
  })

  it('is there again when it was added again, in the view or with a yes', async () => {
    const world = await withRule()
    change(world, 'removed', 'run')
    change(world, 'added', 'run')
    expect(resumed(world).rules).toEqual(['run'])
    change(world, 'removed', 'run')
    await world.turn('two')
    expect(resumed(world).rules).toEqual(['run'])
    expect(changes(world).map(({ change: what }) => what)).toEqual(['removed', 'added', 'removed'])
  })

  it('stays away in a session that was resumed and closed again, whose own record says nothing of it', async () => {
    const first = await withRule()
    change(first, 'removed', 'run')
    const second = createWorld({ model: createCannedModel([say('on')]), resumed: resumed(first) })
    await second.turn('on')
    await second.session.close()
    expect(changes(second)).toEqual([])
    expect(resumeSession([...first.events, ...second.events].filter(isDurable)).rules).toEqual([])
  })

  it('is a rule of the same text and verdict: another one stays', async () => {
    const world = await withRule()
    change(world, 'added', 'run', 'ask')
    change(world, 'added', 'walk', 'deny')
    expect(resumed(world)).toMatchObject({
      rules: ['run'],
      narrowing: [
        { text: 'run', verdict: 'ask' },
        { text: 'walk', verdict: 'deny' },
      ],
    })
    change(world, 'removed', 'run', 'ask')
    expect(resumed(world)).toMatchObject({ rules: ['run'], narrowing: [{ text: 'walk', verdict: 'deny' }] })
  })

  it('in another session of the folder, which shares the store, is taken away in this record too', async () => {
    const world = await withRule()
    // The other session's view knows only the store.
    world.rules.splice(0)
    expect(resumed(world).rules).toEqual(['run'])
    await world.session.close()
    expect(changes(world)).toEqual([{ change: 'removed', text: 'run', verdict: 'allow' }])
    expect(resumed(world).rules).toEqual([])
  })

  it('in another session is taken away in a resumed one too; what could not be restored was taken away by nobody', async () => {
    const before = resumed(await withRule())
    const without = createWorld({ model: createCannedModel([say('on')]), resumed: before })
    await without.turn('on')
    await without.session.close()
    expect(changes(without)).toEqual([])

    const again = createWorld({ model: createCannedModel([say('on')]), resumed: before })
    again.rules.push({ text: 'run', verdict: 'allow', scope: 'session' })
    await again.turn('on')
    again.rules.splice(0)
    await again.session.close()
    expect(changes(again)).toEqual([{ change: 'removed', text: 'run', verdict: 'allow' }])
  })
})

it('a change of a rule that this version does not know changes nothing', async () => {
  const world = await withRule()
  world.session.noteRule({ change: 'paused' as RuleChange['change'], text: 'run', verdict: 'allow' })
  expect(resumed(world).rules).toEqual(['run'])
})

describe('going back and forking', () => {
  const rule = { text: 'bash(ls *)', verdict: 'allow' as const }
  const to = { sessionId: 's_fork', time: '2026-11-30T12:00:00.000Z' }

  /** Three turns; the rule is given before the second and taken away before the third. */
  async function recorded() {
    const model = createCannedModel([say('first'), say('second'), say('third')])
    const world = openRewinding(rewindPlace(), model)
    close = world.close
    await world.turn('one')
    world.session.noteRule({ change: 'added', ...rule })
    await world.turn('two')
    world.session.noteRule({ change: 'removed', ...rule })
    await world.turn('three')
    const begun = world.stored().filter(({ type }) => type === 'turn_start')
    return { ...world, turnIds: begun.map(({ turnId }) => turnId ?? '') }
  }

  it('a rewind changes no rules: what was taken away stays away, and what was given stays', async () => {
    const { session, stored, turnIds } = await recorded()
    const back = async (turnId = '') => {
      const preview = await session.rewind.preview(turnId)
      if (typeof preview === 'string') throw new Error(preview)
      expect(await session.rewind.apply({ preview, conversation: true, restore: [] })).toMatchObject({ ok: true })
    }
    await back(turnIds[2])
    expect(resumeSession(stored()).rules).toEqual([])
    session.noteRule({ change: 'added', ...rule })
    await back(turnIds[0])
    expect(resumeSession(stored()).rules).toEqual([rule.text])
  })

  it('a fork of the whole, or from after the rule was taken away, is without it', async () => {
    const { stored, turnIds } = await recorded()
    for (const turnId of [null, turnIds[2] ?? '']) {
      const fork = forkEvents(stored(), to, turnId)
      expect(fork?.events.at(-1)?.type).toBe('session_start')
      expect(resumeSession(fork?.events ?? []).rules).toEqual([])
    }
  })

  it('a fork from before it was taken away does not bring it back, unless it was given again since', async () => {
    const { stored, session, turnIds } = await recorded()
    const fork = forkEvents(stored(), to, turnIds[1] ?? '')
    const joint = fork?.events.at(-2)
    expect(joint).toMatchObject({ type: 'session_start', forkedFrom: 's_one' })
    expect(fork?.events.at(-1)).toEqual({
      ...{ v: 1, seq: (joint?.seq ?? 0) + 1, time: to.time, sessionId: 's_fork', turnId: null },
      ...{ type: 'setting', rule: { change: 'removed', ...rule } },
    })
    expect(resumeSession(fork?.events ?? [])).toMatchObject({ rules: [], lastSeq: fork?.events.at(-1)?.seq })
    session.noteRule({ change: 'added', ...rule })
    expect(resumeSession(forkEvents(stored(), to, turnIds[1] ?? '')?.events ?? []).rules).toEqual([rule.text])
  })
})
