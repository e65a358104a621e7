import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ask, type CannedReply, createCannedModel, say } from '../../fixtures/canned-model.ts'
import { filesBelow, openRewinding, removeRewindFolders, rewindPlace } from '../../fixtures/rewind-world.ts'
import { systemDigest } from '../adapters/system/index.ts'
import type { Rewind, RewindPreview } from '../protocol/index.ts'
import { checkLaws } from './laws.ts'
import { resumeSession } from './resume.ts'

vi.setConfig({ testTimeout: 60_000 })

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  removeRewindFolders()
})

function open(replies: CannedReply[], at = rewindPlace(), options: Parameters<typeof openRewinding>[2] = {}) {
  const model = createCannedModel(replies)
  const world = openRewinding(at, model, options)
  closing.push(world.close)
  const sent = () => model.requests.at(-1)?.messages.filter(({ role }) => role !== 'system')
  return { ...world, model, at, sent, path: (name: string) => join(at.cwd, name) }
}

const write = (id: string, path: string, content: string) => ask(id, ['write_file', { path, content }])
const sh = (id: string, command: string) => ask(id, ['bash', { command }])

/** Two turns: a new file and a command, then both changed. */
async function twoTurns(more: CannedReply[] = []) {
  const one = open([
    write('w', 'a.txt', 'one\n'),
    sh('b', 'echo made > b.txt'),
    say('first'),
    ask('e', ['edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] }]),
    sh('r', 'rm b.txt; echo c > c.txt'),
    say('second'),
    ...more,
  ])
  await one.turn('make it')
  await one.turn('change it')
  const [first, second] = await one.session.rewind.turns()
  if (!first || !second) throw new Error('two turns')
  return { ...one, first, second }
}

async function look(rewind: Rewind, turnId: string | null, callId?: string): Promise<RewindPreview> {
  const preview = await rewind.preview(turnId, callId)
  if (typeof preview === 'string') throw new Error(preview)
  return preview
}

async function go(rewind: Rewind, turnId: string | null, conversation = true, restore?: string[], callId?: string) {
  const preview = await look(rewind, turnId, callId)
  return rewind.apply({
    preview,
    conversation,
    restore: restore ?? preview.files.filter(({ state }) => state === 'restore').map(({ path }) => path),
  })
}

describe('turns to go back to', () => {
  it('are listed with what they changed, commands and edits alike', async () => {
    const { session } = await twoTurns()
    expect((await session.rewind.turns()).map(({ input, files, gaps }) => ({ input, files, gaps }))).toEqual([
      {
        input: 'make it',
        files: [
          { path: 'a.txt', additions: 1, deletions: 0 },
          { path: 'b.txt', additions: 1, deletions: 0 },
        ],
        gaps: [],
      },
      {
        input: 'change it',
        files: [
          { path: 'a.txt', additions: 1, deletions: 1 },
          { path: 'b.txt', additions: 0, deletions: 1 },
          { path: 'c.txt', additions: 1, deletions: 0 },
        ],
        gaps: [],
      },
    ])
  })

  it('have a preview of each file, from what is there to what would be', async () => {
    const { session, second } = await twoTurns()
    const { files, turns, conversation } = await look(session.rewind, second.turnId)
    expect({ turns, conversation }).toEqual({ turns: 1, conversation: true })
    expect(files.map(({ shown, state, diff }) => [shown, state, diff.change, diff.additions, diff.deletions])).toEqual([
      ['a.txt', 'restore', 'edit', 1, 1],
      ['b.txt', 'restore', 'create', 1, 0],
      ['c.txt', 'restore', 'delete', 0, 1],
    ])
  })
})

describe('going back', () => {
  it('takes conversation and files along, and the next request knows nothing of what was left', async () => {
    const { session, second, at, turn, sent } = await twoTurns([say('third')])
    expect(await go(session.rewind, second.turnId)).toMatchObject({
      ok: true,
      rewound: { toTurnId: second.turnId, input: 'change it', conversation: true, turns: 1, kept: [] },
    })
    expect(filesBelow(at.cwd)).toEqual({ 'a.txt': 'one\n', 'b.txt': 'made\n' })
    await turn('something else')
    expect(sent()?.map(({ role, content }) => [role, content.slice(0, 14)])).toEqual([
      ['user', 'make it'],
      ['assistant', ''],
      ['tool', expect.any(String)],
      ['assistant', ''],
      ['tool', expect.any(String)],
      ['assistant', 'first'],
      ['user', 'something else'],
    ])
    expect((await session.rewind.turns()).map(({ input }) => input)).toEqual(['make it', 'something else'])
  })

  it('in files alone tells the model which, and it must read them again', async () => {
    const edit = ask('x', ['edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'three' }] }])
    const { session, second, at, turn, sent, events } = await twoTurns([edit, say('third')])
    await go(session.rewind, second.turnId, false)
    expect(filesBelow(at.cwd)).toEqual({ 'a.txt': 'one\n', 'b.txt': 'made\n' })
    await turn('go on')
    const words = sent()
      ?.filter(({ role }) => role === 'user')
      .map(({ content }) => content)
    expect(words).toEqual([
      'make it',
      'change it',
      'I put these files back to how they were before "change it": c.txt, a.txt, b.txt. Read them again before you change them.',
      'go on',
    ])
    const result = events.findLast((event) => event.type === 'tool_result')
    expect(result?.type === 'tool_result' && result.result.content).toContain('has not been read in this session')
  })

  it('leaves what somebody else changed, unless it is chosen', async () => {
    const { session, second, path, at } = await twoTurns()
    writeFileSync(path('a.txt'), 'mine\n')
    const preview = await look(session.rewind, second.turnId)
    expect(preview.files.map(({ shown, state, why }) => [shown, state, why])).toEqual([
      ['a.txt', 'conflict', 'somebody changed it since'],
      ['b.txt', 'restore', ''],
      ['c.txt', 'restore', ''],
    ])
    expect(await go(session.rewind, second.turnId, false)).toMatchObject({ ok: true, rewound: { kept: ['a.txt'] } })
    expect(filesBelow(at.cwd)).toEqual({ 'a.txt': 'mine\n', 'b.txt': 'made\n' })
    await go(session.rewind, second.turnId, false, [path('a.txt')])
    expect(filesBelow(at.cwd)).toEqual({ 'a.txt': 'one\n', 'b.txt': 'made\n' })
  })

  it('is refused when a file has changed since it was shown, and nothing is done then', async () => {
    const { session, second, path, at, events } = await twoTurns()
    const preview = await look(session.rewind, second.turnId)
    writeFileSync(path('c.txt'), 'mine\n')
    const before = { files: filesBelow(at.cwd), events: events.length }
    expect(await session.rewind.apply({ preview, conversation: true, restore: [path('c.txt')] })).toEqual({
      ok: false,
      problem: 'Files have changed since this was shown: look at it again.',
    })
    expect({ files: filesBelow(at.cwd), events: events.length }).toEqual(before)
  })

  it('is refused while a turn runs, for a turn that is gone, and when nothing is chosen', async () => {
    let release = () => {}
    const slow: CannedReply = async function* () {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      yield* say('late')
    }
    const { session, second, turn } = await twoTurns([slow])
    const preview = await look(session.rewind, second.turnId)
    const running = turn('wait')
    expect(await session.rewind.apply({ preview, conversation: true, restore: [] })).toEqual({
      ok: false,
      problem: 'A turn is running. Interrupt it with esc, then rewind.',
    })
    await vi.waitFor(() => expect(release).not.toBe(undefined), { timeout: 30_000 })
    session.interrupt()
    release()
    await running
    expect(await session.rewind.preview('t_none')).toBe('That turn is not in the conversation any more.')
    expect(await session.rewind.preview(null)).toBe('There is no rewind to undo.')
    expect(await go(session.rewind, second.turnId, false, [])).toEqual({
      ok: false,
      problem: 'Nothing is chosen: neither the conversation nor a file.',
    })
  })

  it('keeps words that are sent meanwhile until it is done', async () => {
    const { session, first, sent, events } = await twoTurns([say('third')])
    const preview = await look(session.rewind, first.turnId)
    const idle = new Promise<void>((resolve) => {
      session.subscribe((event) => event.type === 'state' && event.name === 'idle' && resolve())
    })
    const done = session.rewind.apply({ preview, conversation: true, restore: [] })
    session.send('next')
    expect(events.at(-1)).toMatchObject({ type: 'queue', items: [{ text: 'next' }] })
    expect(await done).toMatchObject({ ok: true })
    await idle
    expect(sent()).toEqual([{ role: 'user', content: 'next' }])
  })

  it('knows what a review took back for ours', async () => {
    const { session, second, at } = await twoTurns()
    const change = session.debt.list().find(({ diff }) => diff.change === 'edit')
    expect(await session.debt.settle(change?.id ?? '', {})).toMatchObject({ ok: true })
    expect(filesBelow(at.cwd)['a.txt']).toBe('one\n')
    const preview = await look(session.rewind, second.turnId)
    expect(preview.files.map(({ shown, state }) => [shown, state])).toEqual([
      ['b.txt', 'restore'],
      ['c.txt', 'restore'],
    ])
    const { turnId } = (await session.rewind.turns())[0] ?? second
    await go(session.rewind, turnId)
    expect([filesBelow(at.cwd), session.debt.list()]).toEqual([{}, []])
  })
})

describe('undoing a rewind', () => {
  it('brings conversation and files back, also after turns that came since', async () => {
    const { session, first, at, turn, sent } = await twoTurns([say('third'), say('fourth')])
    const before = filesBelow(at.cwd)
    await go(session.rewind, first.turnId)
    expect(filesBelow(at.cwd)).toEqual({})
    await turn('elsewhere')
    expect(sent()).toEqual([{ role: 'user', content: 'elsewhere' }])
    expect(await go(session.rewind, null)).toMatchObject({
      ok: true,
      rewound: { undoes: expect.any(String), turns: 2 },
    })
    expect(filesBelow(at.cwd)).toEqual(before)
    expect(session.rewind.undoable()).toBe(null)
    await turn('and on')
    expect(
      sent()
        ?.filter(({ role }) => role === 'user')
        .map(({ content }) => content),
    ).toEqual(['make it', 'change it', 'and on'])
  })

  it('is possible in a session that was resumed', async () => {
    const { session, first, at, close } = await twoTurns()
    const before = filesBelow(at.cwd)
    await go(session.rewind, first.turnId)
    await close()
    const again = open([say('third')], at, { resume: true })
    expect(again.session.rewind.undoable()).toMatchObject({ toTurnId: first.turnId })
    expect(await go(again.session.rewind, null)).toMatchObject({ ok: true })
    expect(filesBelow(at.cwd)).toEqual(before)
    await again.turn('and on')
    expect(
      again
        .sent()
        ?.filter(({ role }) => role === 'user')
        .map(({ content }) => content),
    ).toEqual(['make it', 'change it', 'and on'])
  })
})

it('the records of rewinds break no law, and one that hides what it did does', async () => {
  const { session, second, first, records, close } = await twoTurns()
  await go(session.rewind, second.turnId)
  await go(session.rewind, null)
  await go(session.rewind, first.turnId)
  await close()
  const recorded = records()
  expect(checkLaws(recorded, systemDigest)).toMatchObject({ breaks: [], notes: [] })
  const audit = {
    ...recorded.audit,
    lines: recorded.audit.lines.filter(({ record }) => record.type === 'seal' || record.tool !== 'rewind'),
  }
  const broken = checkLaws({ ...recorded, audit }, systemDigest).breaks.map(({ law, text }) => `${law} ${text}`)
  expect(broken.filter((text) => text.includes('no decision of a person'))).toHaveLength(8)
})

/** What a person may do next. */
const step = fc.oneof(
  fc.record({ do: fc.constant('turn' as const), what: fc.constantFrom('edit', 'command', 'talk') }),
  fc.record({
    do: fc.constant('rewind' as const),
    to: fc.nat(),
    what: fc.constantFrom('both', 'conversation', 'files', 'call'),
  }),
  fc.record({ do: fc.constant('undo' as const) }),
  fc.record({ do: fc.constant('clear' as const) }),
)

it('whatever is done, reading the records back gives the history, the turns and the rewind to undo of the live session', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const reply = (n: number, what: string): CannedReply[] => {
        const done = say(`done ${n}`)
        if (what === 'edit') return [write(`w${n}`, `f${n % 3}.txt`, `${n}\n`), done]
        return what === 'command' ? [sh(`b${n}`, `echo ${n} >> g.txt`), done] : [done]
      }
      const replies = steps.flatMap((one, n) => (one.do === 'turn' ? reply(n, one.what) : []))
      const world = open([...replies, say('last')])
      const { session, turn } = world
      for (const [n, one] of steps.entries()) {
        if (one.do === 'turn') await turn(`turn ${n}`)
        else if (one.do === 'clear') session.clear()
        else {
          const turns = await session.rewind.turns()
          const target = one.do === 'undo' ? null : turns[one.to % Math.max(1, turns.length)]?.turnId
          if (target === undefined || (target === null && session.rewind.undoable() === null)) continue
          const what = one.do === 'undo' ? 'both' : one.what
          const calls = turns.find(({ turnId }) => turnId === target)?.calls ?? []
          if (what === 'call' && calls.length === 0) continue
          const callId = what === 'call' ? calls[0]?.callId : undefined
          await go(session.rewind, target, what !== 'files', what === 'conversation' ? [] : undefined, callId)
        }
        expect((await session.rewind.turns()).every(({ turnId }) => turnId !== '')).toBe(true)
      }
      const turnsNow = (await session.rewind.turns()).map(({ turnId }) => turnId)
      const resumed = resumeSession(world.stored())
      expect(resumed.timeline.turns.map(({ turnId }) => turnId)).toEqual(turnsNow)
      expect(resumed.timeline.left.at(-1)?.rewound ?? null).toEqual(session.rewind.undoable())
      await turn('last')
      expect(world.sent()?.slice(0, -1)).toEqual(resumed.history)
      await world.close()
      expect(checkLaws(world.records(), systemDigest).breaks).toEqual([])
    }),
    { numRuns: 20 },
  )
})
