import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ask, type CannedReply, createCannedModel, say } from '../../fixtures/canned-model.ts'
import { filesBelow, openRewinding, removeRewindFolders, rewindPlace } from '../../fixtures/rewind-world.ts'
import { copyCheckpoints } from '../adapters/checkpoints/index.ts'
import { systemDigest } from '../adapters/system/index.ts'
import type { AgentEvent, Rewind, RewindPreview } from '../protocol/index.ts'
import { forkEvents } from './fork.ts'
import { checkLaws } from './laws.ts'
import { toRecord } from './record-shape.ts'
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
  const heard = () => model.requests.at(-1)?.messages.filter(({ role }) => role === 'user')
  return { ...world, at, heard, path: (name: string) => join(at.cwd, name) }
}

const sh = (id: string, command: string) => ask(id, ['bash', { command }])
const write = (id: string, path: string, content: string) => ask(id, ['write_file', { path, content }])

const before = { 'doomed.txt': 'old\n', 'notes.txt': 'first\n' }
const afterBoth = { 'made.txt': 'made\n', 'notes.txt': 'first\nsecond\nthird\n', 'other.txt': 'o\n' }
const commands = [
  'echo second >> notes.txt; rm doomed.txt; echo made > made.txt',
  'echo third >> notes.txt; echo o > other.txt',
]

/** One turn with two commands: the first makes, changes and deletes a file, the second changes one of them too. */
async function twoCommands(more: CannedReply[] = []) {
  const at = rewindPlace()
  for (const [name, text] of Object.entries(before)) writeFileSync(join(at.cwd, name), text)
  const one = open([...commands.map((command, i) => sh(i === 0 ? 'a' : 'b', command)), say('done'), ...more], at)
  await one.turn('do both')
  const turnId = (await one.session.rewind.turns())[0]?.turnId
  if (turnId === undefined) throw new Error('a turn')
  expect(filesBelow(at.cwd)).toEqual(afterBoth)
  return { ...one, turnId, calls: async () => (await one.session.rewind.turns())[0]?.calls }
}

async function look(rewind: Rewind, turnId: string | null, callId?: string): Promise<RewindPreview> {
  const preview = await rewind.preview(turnId, callId)
  if (typeof preview === 'string') throw new Error(preview)
  return preview
}

async function go(rewind: Rewind, turnId: string | null, callId?: string, restore?: string[]) {
  const preview = await look(rewind, turnId, callId)
  const safe = preview.files.filter(({ state }) => state === 'restore').map(({ path }) => path)
  return rewind.apply({ preview, conversation: true, restore: restore ?? safe })
}

const states = ({ files }: RewindPreview) => files.map(({ shown, state, why }) => [shown, state, why])
const drift = 'a later call changed it since (echo third >> notes.txt; echo o > other…)'

describe('the calls of a turn', () => {
  it('are listed when they changed files, with what a person knows them by', async () => {
    const { calls } = await twoCommands()
    expect(await calls()).toEqual([
      {
        ...{ callId: 'a1', tool: 'bash', title: commands[0], gaps: [], undone: false },
        files: [
          { path: 'doomed.txt', additions: 0, deletions: 1 },
          { path: 'made.txt', additions: 1, deletions: 0 },
          { path: 'notes.txt', additions: 1, deletions: 0 },
        ],
      },
      {
        ...{ callId: 'b1', tool: 'bash', title: commands[1], gaps: [], undone: false },
        files: [
          { path: 'notes.txt', additions: 1, deletions: 0 },
          { path: 'other.txt', additions: 1, deletions: 0 },
        ],
      },
    ])
  })

  it('are not listed when they only looked, and edits go by their path', async () => {
    const { session, turn } = open([sh('l', 'ls'), write('w', 'sub/a.txt', 'a\n'), say('done')])
    await turn('go')
    const [first] = await session.rewind.turns()
    expect(first?.calls.map(({ tool, title }) => [tool, title])).toEqual([['write_file', 'sub/a.txt']])
  })

  it('of one change set are each one by itself', async () => {
    const at = rewindPlace()
    const edits = ask(
      'e',
      ['write_file', { path: 'a.txt', content: 'a\n' }],
      ['write_file', { path: 'b.txt', content: 'b\n' }],
    )
    const { session, turn } = open([edits, say('done')], at, { mode: 'default' })
    let questions = 0
    session.subscribe((event) => {
      if (event.type !== 'approval_request') return
      questions++
      const { id, digest } = event.request
      queueMicrotask(() => session.answer(id, { type: 'allow', digest }))
    })
    await turn('go')
    const [first] = await session.rewind.turns()
    expect([questions, first?.calls.map(({ title, files }) => [title, files.map(({ path }) => path)])]).toEqual([
      1,
      [
        ['a.txt', ['a.txt']],
        ['b.txt', ['b.txt']],
      ],
    ])
    await go(session.rewind, first?.turnId ?? '', first?.calls[1]?.callId)
    expect(filesBelow(at.cwd)).toEqual({ 'a.txt': 'a\n' })
    expect(session.debt.list()).toEqual([])
  })
})

describe('undoing what one call did to files', () => {
  it('brings back what it made, changed and deleted; the others and the conversation stay', async () => {
    const { session, turnId, at, turn, heard, calls } = await twoCommands([say('later')])
    const preview = await look(session.rewind, turnId, 'b1')
    expect(preview).toMatchObject({ conversation: false, turns: 0, call: { tool: 'bash', title: commands[1] } })
    expect(await go(session.rewind, turnId, 'b1')).toMatchObject({
      ok: true,
      rewound: { toTurnId: turnId, call: { callId: 'b1' }, conversation: false, turns: 0, kept: [] },
    })
    expect(filesBelow(at.cwd)).toEqual({ 'made.txt': 'made\n', 'notes.txt': 'first\nsecond\n' })
    // What the second one did to it is gone, so that the first can go as well.
    expect(states(await look(session.rewind, turnId, 'a1')).map(([, state]) => state)).toEqual(Array(3).fill('restore'))
    expect(await go(session.rewind, turnId, 'a1')).toMatchObject({ ok: true })
    expect(filesBelow(at.cwd)).toEqual(before)
    expect((await calls())?.map(({ undone }) => undone)).toEqual([true, true])
    await turn('go on')
    expect(heard()?.map(({ content }) => content)).toEqual([
      'do both',
      `I put these files back to how they were before one call (bash: ${commands[1]}): other.txt, notes.txt. Read them again before you change them.`,
      `I put these files back to how they were before one call (bash: ${commands[0]}): made.txt, doomed.txt, notes.txt. Read them again before you change them.`,
      'go on',
    ])
  })

  it('leaves a file that a later call changed, unless it is chosen', async () => {
    const { session, turnId, at, path } = await twoCommands()
    expect(states(await look(session.rewind, turnId, 'a1'))).toEqual([
      ['doomed.txt', 'restore', ''],
      ['made.txt', 'restore', ''],
      ['notes.txt', 'conflict', drift],
    ])
    expect(await go(session.rewind, turnId, 'a1')).toMatchObject({ ok: true, rewound: { kept: ['notes.txt'] } })
    expect(filesBelow(at.cwd)).toEqual({
      'doomed.txt': 'old\n',
      'notes.txt': 'first\nsecond\nthird\n',
      'other.txt': 'o\n',
    })
    await go(session.rewind, turnId, 'a1', [path('notes.txt')])
    expect(filesBelow(at.cwd)).toEqual({ ...before, 'other.txt': 'o\n' })
  })

  it('leaves what the person changed, and says who it was', async () => {
    const { session, turnId, path, at } = await twoCommands()
    writeFileSync(path('made.txt'), 'mine\n')
    writeFileSync(path('doomed.txt'), 'mine again\n')
    rmSync(path('notes.txt'))
    expect(states(await look(session.rewind, turnId, 'a1'))).toEqual([
      ['doomed.txt', 'conflict', 'somebody made it anew since'],
      ['made.txt', 'conflict', 'somebody changed it since'],
      ['notes.txt', 'conflict', 'somebody deleted it since'],
    ])
    expect(await go(session.rewind, turnId, 'a1')).toEqual({ ok: false, problem: 'No file is chosen.' })
    expect(filesBelow(at.cwd)).toEqual({ 'doomed.txt': 'mine again\n', 'made.txt': 'mine\n', 'other.txt': 'o\n' })
  })

  it('is refused when a file has changed since it was shown, for another call than was shown, and for one that changed nothing', async () => {
    const { session, turnId, path } = await twoCommands()
    const preview = await look(session.rewind, turnId, 'b1')
    const stale = { ok: false, problem: 'Files have changed since this was shown: look at it again.' }
    const other = { ...preview, call: { callId: 'a1', tool: 'bash', title: '' } }
    expect(await session.rewind.apply({ preview: other, conversation: false, restore: [path('made.txt')] })).toEqual(
      stale,
    )
    const whole = { turnId, digest: preview.digest }
    expect(await session.rewind.apply({ preview: whole, conversation: true, restore: [] })).toEqual(stale)
    writeFileSync(path('other.txt'), 'mine\n')
    expect(await session.rewind.apply({ preview, conversation: false, restore: [path('other.txt')] })).toEqual(stale)
    expect(await session.rewind.preview(turnId, 'b9')).toBe('That call changed no files, as far as known.')
  })

  it('goes back over the whole turn afterwards as if it had not been', async () => {
    const { session, turnId, at } = await twoCommands()
    await go(session.rewind, turnId, 'b1')
    expect(await go(session.rewind, turnId)).toMatchObject({ ok: true, rewound: { turns: 1, kept: [] } })
    expect(filesBelow(at.cwd)).toEqual(before)
  })
})

describe('undoing that', () => {
  it('brings its effects back, and is shown as what it is', async () => {
    const { session, turnId, at, calls } = await twoCommands()
    await go(session.rewind, turnId, 'a1')
    expect(session.rewind.undoable()).toMatchObject({ call: { callId: 'a1', title: commands[0] } })
    expect(await look(session.rewind, null)).toMatchObject({ conversation: false, call: { callId: 'a1' } })
    expect(await go(session.rewind, null)).toMatchObject({ ok: true, rewound: { undoes: expect.any(String) } })
    expect(filesBelow(at.cwd)).toEqual(afterBoth)
    expect((await calls())?.map(({ undone }) => undone)).toEqual([false, false])
    expect(session.rewind.undoable()).toBe(null)
  })

  it('is possible in a session that was resumed, which knows the calls too', async () => {
    const { session, turnId, at, close, calls } = await twoCommands()
    await go(session.rewind, turnId, 'b1')
    const known = await calls()
    await close()
    const again = open([say('later')], at, { resume: true })
    expect((await again.session.rewind.turns())[0]?.calls).toEqual(known)
    expect(again.session.rewind.undoable()).toMatchObject({ call: { callId: 'b1' } })
    expect(await go(again.session.rewind, null)).toMatchObject({ ok: true })
    expect(filesBelow(at.cwd)).toEqual(afterBoth)
    await go(again.session.rewind, turnId, 'a1')
    expect(filesBelow(at.cwd)['doomed.txt']).toBe('old\n')
    await again.turn('and on')
    expect(again.heard()?.map(({ content }) => content.slice(0, 40))).toEqual([
      'do both',
      'I put these files back to how they were ',
      'I put these files back to how they were ',
      'I put these files back to how they were ',
      'and on',
    ])
  })
})

it('a look that waits for an earlier edit of the file goes on waiting, the one for the undone edit does not', async () => {
  const edit = (id: string, from: string, to: string) =>
    ask(id, ['edit_file', { path: 'a.txt', edits: [{ old_text: from, new_text: to }] }])
  const replies = [write('w', 'a.txt', 'one\n'), edit('e', 'one', 'two'), edit('f', 'two', 'three'), say('done')]
  const { session, turn, at, close } = open(replies)
  await turn('go')
  const ids = () => session.debt.list().map(({ callId }) => callId)
  expect(ids()).toEqual(['w1', 'e1', 'f1'])
  const [first] = await session.rewind.turns()
  await go(session.rewind, first?.turnId ?? '', 'f1')
  expect([filesBelow(at.cwd), ids()]).toEqual([{ 'a.txt': 'two\n' }, ['w1', 'e1']])
  await go(session.rewind, null)
  expect([filesBelow(at.cwd), ids()]).toEqual([{ 'a.txt': 'three\n' }, ['w1', 'e1', 'f1']])
  await go(session.rewind, first?.turnId ?? '', 'e1', [join(at.cwd, 'a.txt')])
  expect([filesBelow(at.cwd), ids()]).toEqual([{ 'a.txt': 'one\n' }, ['w1']])
  await close()
  const again = open([], at, { resume: true })
  expect(again.session.debt.list().map(({ callId }) => callId)).toEqual(['w1'])
})

describe('the records', () => {
  it('break no law, and those that hide what was done do', async () => {
    const { session, turnId, records, close } = await twoCommands()
    await go(session.rewind, turnId, 'b1')
    await go(session.rewind, null)
    await go(session.rewind, turnId, 'a1')
    await close()
    const recorded = records()
    expect(checkLaws(recorded, systemDigest)).toMatchObject({ breaks: [], notes: [] })
    const lines = recorded.audit.lines.filter(({ record }) => record.type === 'seal' || record.tool !== 'rewind')
    const broken = checkLaws({ ...recorded, audit: { ...recorded.audit, lines } }, systemDigest).breaks
    expect(broken.filter(({ text }) => text.includes('no decision of a person'))).toHaveLength(6)
  })

  it('are read as they were written before calls had a name in them; a name that is none is not used', async () => {
    const { session, turnId, stored, close } = await twoCommands()
    await go(session.rewind, turnId, 'b1')
    await close()
    const last = stored().findLast((event) => event.type === 'rewound')
    if (last?.type !== 'rewound') throw new Error('a rewind')
    const { call: _, ...older } = last.rewound
    expect(toRecord({ ...last, rewound: older })).toEqual({ ...last, rewound: older })
    const old = stored().map(
      (event): AgentEvent => (event === last || event.seq === last.seq ? { ...last, rewound: older } : event),
    )
    const read = resumeSession(old)
    expect(read.timeline.left.at(-1)?.rewound).toEqual(older)
    expect(read.history.at(-1)?.content).toContain('to how they were before "do both"')
    expect(toRecord({ ...last, rewound: { ...older, call: 'b2' } })).toBe(undefined)
    expect(toRecord({ ...last, rewound: { ...last.rewound, later: 1 } })).toBeDefined()
  })

  it('of a fork know the calls of the turns that it has', async () => {
    const { session, turnId, at, stored, folder, calls, close } = await twoCommands()
    const known = await calls()
    await close()
    const fork = forkEvents(stored(), { sessionId: 's_two', time: new Date(0).toISOString() }, null)
    if (fork === undefined) throw new Error('a fork')
    copyCheckpoints(join(folder, 'checkpoints'), join(at.state, 'sessions', 's_two', 'checkpoints'), fork.ids)
    writeFileSync(
      join(at.state, 'sessions', 's_two', 'transcript.jsonl'),
      fork.events.map((event) => `${JSON.stringify(event)}\n`).join(''),
    )
    const other = open([], at, { id: 's_two', resume: true })
    expect((await other.session.rewind.turns())[0]?.calls).toEqual(known)
    expect(await go(other.session.rewind, turnId, 'b1')).toMatchObject({ ok: true })
    expect(filesBelow(at.cwd)['other.txt']).toBe(undefined)
    expect(session.id).toBe('s_one')
  })
})
