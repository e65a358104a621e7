import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endTurn, say, startSession, startTurn, teller } from '../../../fixtures/screen/event-streams.ts'
import {
  createStateFolder,
  lines,
  type StateFolder,
  shortSession,
  tellCommand,
  tellEdit,
  tellQuestion,
} from '../../../fixtures/session-files.ts'
import { lockFile, ownHolder } from '../session-lock.ts'
import { schemaVersion } from './database.ts'
import { createSessionIndex, type StoredSessions } from './index.ts'

let state: StateFolder
let open: StoredSessions[] = []

beforeEach(() => {
  state = createStateFolder()
})

afterEach(() => {
  for (const index of open) index.close()
  open = []
  state.remove()
})

function openIndex(clock?: { timestamp(): string; monotonic(): number }): StoredSessions {
  const index = createSessionIndex({ stateFolder: state.stateFolder, sessionsDir: state.sessionsDir, clock })
  open.push(index)
  return index
}

async function refreshed(): Promise<StoredSessions> {
  const index = openIndex()
  await index.refresh()
  return index
}

const ids = (index: StoredSessions, filter = {}) => index.list(filter).map(({ id }) => id)

describe('listing', () => {
  test('a stored session is a row with all that is known of it', async () => {
    const to = teller('s1')
    startSession(to)
    startTurn(to, 'round cart totals once')
    tellEdit(to, 'c1', 'src/cart.ts', ['a'], ['b', 'c'])
    say(to, 'Done.')
    endTurn(to)
    state.write('s1', to.events)
    const index = await refreshed()
    expect(index.list()).toEqual([
      {
        id: 's1',
        title: 'Round cart totals once',
        cwd: '/home/ada/shop',
        model: 'gpt-5.2',
        startedAt: to.events[0]?.time,
        updatedAt: to.events.at(-1)?.time,
        turns: 1,
        stopReason: 'final_answer',
        costUsd: 0,
        additions: 2,
        deletions: 1,
        live: false,
        pendingApprovals: 0,
        checks: 'unverified',
        next: '',
        pinned: false,
        tags: [],
        lostRecords: 0,
        bytes: statSync(state.file('s1')).size,
        forkedFrom: null,
      },
    ])
    expect(index.get('s1')).toEqual(index.list()[0])
    expect(index.get('s2')).toBeUndefined()
    expect(index.preview('s1')).toEqual({
      lastInput: 'round cart totals once',
      lastAnswer: 'Done.',
      files: ['src/cart.ts'],
      todo: [],
      stopReason: 'final_answer',
    })
  })

  test('after a rewind the last words and the last answer are those before it, and with it undone those after', async () => {
    const to = shortSession('s1', 'first words', 'first answer')
    const [one, two] = [to.events[1]?.turnId ?? null, 't2']
    startTurn(to, 'second words', two)
    say(to, 'second answer')
    endTurn(to)
    state.write('s1', to.events)
    const index = await refreshed()
    const said = async () => {
      state.write('s1', to.events)
      await index.refresh()
      const { lastInput, lastAnswer } = index.preview('s1')
      return [lastInput, lastAnswer]
    }
    const rewind = (id: string, toTurnId: string | null, more: { undoes?: string; conversation?: boolean } = {}) =>
      to.tell({
        type: 'rewound',
        rewound: { id, toTurnId, input: '', conversation: true, turns: 1, files: [], kept: [], ...more },
      })
    expect(await said()).toEqual(['second words', 'second answer'])
    rewind('r1', two, { conversation: false })
    expect(await said()).toEqual(['second words', 'second answer'])
    rewind('r2', two)
    expect(await said()).toEqual(['first words', 'first answer'])
    rewind('r3', null, { undoes: 'r2' })
    expect(await said()).toEqual(['second words', 'second answer'])
    rewind('r4', one)
    expect(await said()).toEqual(['', ''])
  })

  test('a reply that still streams, or did when its process died, is the last answer', async () => {
    const to = shortSession('s1', 'first words', 'first answer')
    startTurn(to, 'second words')
    to.tell({ type: 'partial', text: 'lost' })
    to.tell({ type: 'notice', level: 'warn', code: 'model_retry', text: 'again' })
    to.tell({ type: 'partial', text: `${'word '.repeat(60)}and ` })
    to.tell({ type: 'partial', text: 'more' })
    state.write('s1', to.events)
    const index = await refreshed()
    expect(index.preview('s1')).toMatchObject({ lastAnswer: `${'word '.repeat(60)}and more`, stopReason: null })
    const end = { type: 'turn_end', reason: 'user_abort', durationMs: 1, replies: 0, calls: 0 } as const
    to.tell({ type: 'message', message: { role: 'assistant', content: 'word' }, partial: true, repaired: true })
    to.tell({ ...end, processEnded: true })
    state.write('s1', to.events)
    await index.refresh()
    expect(index.preview('s1')).toMatchObject({ lastAnswer: 'word', stopReason: 'process_ended' })
    expect(index.get('s1')).toMatchObject({ stopReason: 'user_abort', lostRecords: 0 })
  })

  test('pinned ones come first, then the last updated; words and folder narrow, limit and offset page', async () => {
    for (const [n, [id, title, cwd]] of [
      ['s1', 'alpha parser', '/a'],
      ['s2', 'beta lexer', '/b'],
      ['s3', 'gamma parser', '/a'],
      ['s4', 'delta', '/b'],
    ].entries()) {
      const to = shortSession(id ?? '', title ?? '', 'ok', cwd)
      state.write(
        id ?? '',
        to.events.map((event) => ({ ...event, time: `2026-11-30T10:0${n}:00.000Z` })),
      )
    }
    const index = await refreshed()
    index.pin('s2', true)
    expect(ids(index)).toEqual(['s2', 's4', 's3', 's1'])
    expect(ids(index, { cwd: '/a' })).toEqual(['s3', 's1'])
    expect(ids(index, { words: 'PARSER' })).toEqual(['s3', 's1'])
    expect(ids(index, { words: 'pars alp' })).toEqual(['s1'])
    expect(ids(index, { words: '/b' })).toEqual(['s2', 's4'])
    expect(ids(index, { limit: 2, offset: 1 })).toEqual(['s4', 's3'])
    expect([index.count(), index.count({ cwd: '/a' }), index.count({ words: 'parser' })]).toEqual([4, 2, 2])
  })

  test('one that a process works on is live; half a record at its end is on its way, at the end of others it is lost', async () => {
    const text = lines(shortSession('s1', 'hello there', 'ok').events)
    for (const id of ['s1', 's2']) {
      state.write(id, [])
      writeFileSync(state.file(id), `${text}{"v":1,"seq":99,"ty`)
    }
    writeFileSync(lockFile(join(state.sessionsDir, 's1')), JSON.stringify(ownHolder()))
    const index = await refreshed()
    expect(
      index
        .list()
        .map(({ id, live, lostRecords }) => [id, live, lostRecords])
        .sort(),
    ).toEqual([
      ['s1', true, 0],
      ['s2', false, 1],
    ])
    expect(() => index.remove('s1')).toThrow('works on this session')
  })

  test('G06: a session whose first words come after 2 MB of other records is listed, and named', async () => {
    const to = teller('s1')
    startSession(to)
    for (let n = 0; n < 700; n++) to.tell({ type: 'notice', level: 'info', code: 'x', text: 'x'.repeat(3_000) })
    state.write('s1', to.events)
    const index = await refreshed()
    expect(index.list()).toMatchObject([{ id: 's1', title: '', turns: 0 }])
    const before = to.events.length
    startTurn(to, 'why is it slow?')
    state.append('s1', to.events.slice(before))
    await index.refresh()
    expect(index.list()).toMatchObject([{ id: 's1', title: 'Why is it slow?', turns: 1 }])
    expect(index.search('slow').map(({ session }) => session.id)).toEqual(['s1'])
  })

  test('damage is counted and everything else is there', async () => {
    const whole = lines(shortSession('s1', 'fix the parser', 'fixed').events).split('\n')
    state.write('s1', [])
    writeFileSync(state.file('s1'), [whole[0], 'garbage', '\0\0\0', ...whole.slice(1)].join('\n'))
    expect((await refreshed()).list()).toMatchObject([{ title: 'Fix the parser', lostRecords: 2, turns: 1 }])
  })

  test('a file that is no transcript at all is listed as what it is, and one that cannot be read is left out', async () => {
    state.write('s1', [])
    writeFileSync(state.file('s1'), 'x'.repeat(100_000))
    mkdirSync(state.file('s2'), { recursive: true })
    writeFileSync(join(state.sessionsDir, 'a file'), '')
    expect((await refreshed()).list()).toMatchObject([{ id: 's1', title: '', lostRecords: 1, updatedAt: '' }])
  })
})

describe('taking in what was written since', () => {
  test('only what is new is read, wherever the file was cut at the last look', async () => {
    const to = teller('s1')
    startSession(to)
    startTurn(to, 'find the needle')
    tellEdit(to, 'c1', 'a.ts', ['x'], ['y'])
    tellCommand(to, 'c2', 'npm test', 'ok')
    say(to, 'found: haystack')
    endTurn(to)
    const text = Buffer.from(lines(to.events))
    state.write('whole', to.events)
    state.write('s1', [])
    const index = openIndex()
    for (let at = 0; at <= text.length; at += 97) {
      writeFileSync(state.file('s1'), text.subarray(Math.max(0, at - 97), at), { flag: 'a' })
      await index.refresh()
    }
    writeFileSync(state.file('s1'), text.subarray(text.length - (text.length % 97)), { flag: 'a' })
    await index.refresh()
    const { id: _, ...cut } = index.get('s1') ?? {}
    const { id: __, ...whole } = index.get('whole') ?? {}
    expect(cut).toEqual(whole)
    expect(
      index
        .search('needle')
        .map(({ session }) => session.id)
        .sort(),
    ).toEqual(['s1', 'whole'])
    expect(
      index
        .search('haystack npm')
        .map(({ session }) => session.id)
        .sort(),
    ).toEqual(['s1', 'whole'])
  })

  test('nothing changed means nothing done; an append, a deleted and a new session are each one change', async () => {
    const one = shortSession('s1', 'one', 'ok')
    state.write('s1', one.events)
    state.write('s2', shortSession('s2', 'two', 'ok').events)
    const index = openIndex()
    expect(await index.refresh()).toBe(2)
    expect(await index.refresh()).toBe(0)
    startTurn(one, 'one more')
    state.append('s1', one.events.slice(-1))
    expect(await index.refresh()).toBe(1)
    expect(index.get('s1')).toMatchObject({ turns: 2, stopReason: null })
    rmSync(join(state.sessionsDir, 's2'), { recursive: true })
    state.write('s3', shortSession('s3', 'three', 'ok').events)
    expect(await index.refresh()).toBe(2)
    expect(ids(index).sort()).toEqual(['s1', 's3'])
    expect(index.search('two')).toEqual([])
  })

  test.each([
    ['shorter', (text: string) => text.slice(0, text.length / 2)],
    ['other bytes of the same length', (text: string) => text.replaceAll('old words', 'new words')],
    ['longer, and other from the beginning', (text: string) => `${text.replaceAll('old words', 'quite new words')}\n`],
  ])('a file that was written anew (%s) is read anew', async (_, change) => {
    state.write('s1', shortSession('s1', 'old words', `old words ${'x'.repeat(300)}`).events)
    const index = await refreshed()
    const text = change(readFileSync(state.file('s1'), 'utf8'))
    await new Promise((resolve) => setTimeout(resolve, 20))
    writeFileSync(state.file('s1'), text)
    await index.refresh()
    const fresh = openIndex()
    await fresh.rebuild()
    const rebuilt = fresh.list()
    expect(index.list()).toEqual(rebuilt)
    expect(index.search('old').length).toBe(text.includes('old words') ? 1 : 0)
  })

  test('touch takes in the session of this process at once', async () => {
    const to = shortSession('s1', 'one', 'ok')
    state.write('s1', to.events)
    const index = openIndex()
    index.touch('s1')
    expect(index.get('s1')).toMatchObject({ turns: 1 })
    index.touch('gone')
    expect(ids(index)).toEqual(['s1'])
  })

  test('it works in slices, so that keys are answered in between, and the last used come first', async () => {
    for (let n = 0; n < 20; n++) {
      state.write(`s${n}`, shortSession(`s${n}`, `number ${n}`, 'ok').events)
      const at = 1_700_000_000 + n
      execFileSync('touch', ['-d', `@${at}`, state.file(`s${n}`)])
    }
    // Each look at this clock takes 3 ms: a slice is over after three.
    let now = 0
    const index = openIndex({ timestamp: () => '', monotonic: () => (now += 3) })
    let turns = 0
    let done = false
    const seen: number[] = []
    const running = index.refresh().then(() => {
      done = true
    })
    while (!done) {
      turns++
      seen.push(index.count())
      if (index.count() === 3) expect(ids(index).sort()).toEqual(['s17', 's18', 's19'])
      await new Promise((resolve) => setImmediate(resolve))
    }
    await running
    expect(turns).toBeGreaterThan(10)
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    expect(index.count()).toBe(20)
  })

  test('closing in the middle of a refresh ends it, and what was taken in is kept', async () => {
    for (let n = 0; n < 50; n++) state.write(`s${n}`, shortSession(`s${n}`, `number ${n}`, 'ok').events)
    let now = 0
    const index = openIndex({ timestamp: () => '', monotonic: () => (now += 3) })
    const running = index.refresh()
    while (index.count() < 5) await new Promise((resolve) => setImmediate(resolve))
    index.close()
    expect(await running).toBeGreaterThanOrEqual(0)
    expect([index.list(), index.count(), index.get('s1'), index.search('number')]).toEqual([[], 0, undefined, []])
    const again = openIndex()
    expect(again.count()).toBeGreaterThanOrEqual(5)
    await again.refresh()
    expect(again.count()).toBe(50)
  })

  test('what another process takes in is counted and listed here too', async () => {
    const [one, two] = [openIndex(), openIndex()]
    expect([one.count(), two.count()]).toEqual([0, 0])
    state.write('s1', shortSession('s1', 'hello there', 'ok').events)
    await one.refresh()
    expect([two.count(), two.count({ words: 'hello' }), ids(two)]).toEqual([1, 1, ['s1']])
    one.remove('s1')
    expect([one.count(), two.count()]).toEqual([0, 0])
  })

  test('two processes at once take in everything once', async () => {
    for (let n = 0; n < 60; n++) state.write(`s${n}`, shortSession(`s${n}`, `needle ${n}`, 'ok').events)
    const [one, two] = [openIndex(), openIndex()]
    await Promise.all([one.refresh(), two.refresh()])
    await one.refresh()
    expect([one.count(), two.count()]).toEqual([60, 60])
    expect(two.search('needle', { limit: 100 })).toHaveLength(60)
    one.close()
    const db = new DatabaseSync(join(state.stateFolder, 'index.sqlite'))
    expect(db.prepare('SELECT count(*) AS n FROM words').get()).toEqual({ n: 60 })
    db.close()
  })
})

describe('searching', () => {
  test('finds words of the person, answers, commands and paths, and no output of tools', async () => {
    const to = teller('s1')
    startSession(to)
    startTurn(to, 'please find the aardvark')
    tellCommand(to, 'c1', 'npm run bumblebee', 'chinchilla in the output')
    tellEdit(to, 'c2', 'src/dromedary.ts', ['x'], ['y'])
    say(to, 'It was an **emu**.')
    endTurn(to)
    state.write('s1', to.events)
    const index = await refreshed()
    const found = (words: string) => index.search(words).map(({ snippet }) => snippet.text)
    expect(found('aardvark')).toEqual(['please find the aardvark'])
    expect(found('bumblebee')).toEqual(['npm run bumblebee'])
    expect(found('src/dromedary.ts')).toEqual(['src/dromedary.ts'])
    expect(found('emu')).toEqual(['It was an **emu**.'])
    expect(found('AARDV')).toEqual(['please find the aardvark'])
    expect(found('aardvark emu')).toEqual(['please find the aardvark'])
    expect(found('"find the aardvark"')).toEqual(['please find the aardvark'])
    expect(found('"the find aardvark"')).toEqual([])
    expect(found('chinchilla')).toEqual([])
    expect(found('aardvark gnu')).toEqual([])
    expect(found('')).toEqual([])
    expect(found('?!')).toEqual([])
  })

  test('marks are the offsets of the words; a name that the person gave is found too', async () => {
    state.write('s1', shortSession('s1', 'round the total', 'ok').events)
    const index = await refreshed()
    index.rename('s1', 'Zebra work')
    expect(index.search('total round')[0]?.snippet).toEqual({
      text: 'round the total',
      marks: [
        [0, 5],
        [10, 15],
      ],
    })
    expect(index.search('zebra')[0]?.snippet).toEqual({ text: 'Zebra work', marks: [[0, 5]] })
    expect(index.search('total', { cwd: '/elsewhere' })).toEqual([])
    expect(index.search('total', { cwd: '/home/ada/shop', limit: 1 })).toHaveLength(1)
  })

  test('a word far behind in a long session is found with its own words around it', async () => {
    const to = teller('s1')
    startSession(to)
    for (let n = 0; n < 60; n++) {
      startTurn(to, `turn ${n}`)
      tellCommand(to, `c${n}`, 'cat log', 'y'.repeat(20_000))
      say(to, n === 40 ? 'here is the okapi' : `nothing in ${n}`)
      endTurn(to)
    }
    state.write('s1', to.events)
    expect((await refreshed()).search('okapi')).toMatchObject([
      { snippet: { text: 'here is the okapi', marks: [[12, 17]] } },
    ])
  })
})

test('a word at the end of a very long answer is found with its own words around it', async () => {
  const to = teller('s1')
  startSession(to)
  startTurn(to, 'tell me all')
  for (let n = 0; n < 3; n++) say(to, `${'so much to say '.repeat(20_000)} and the okapi number ${n}.`)
  state.write('s1', to.events)
  const text = (await refreshed()).search('okapi number')[0]?.snippet.text
  expect(text).toMatch(/so much to say and the okapi number 2\.$/)
})

describe('what a person sets', () => {
  test('name, pin and tags outlive the index, and stand in a private file beside the records', async () => {
    state.write('s1', shortSession('s1', 'hello world', 'ok').events)
    const index = await refreshed()
    index.rename('s1', '  My \n session ')
    index.pin('s1', true)
    index.tag('s1', ['a', ' b ', 'a', ''])
    const set = { title: 'My session', pinned: true, tags: ['a', 'b'] }
    expect(index.get('s1')).toMatchObject(set)
    expect(ids(index, { words: 'b session' })).toEqual(['s1'])
    const file = state.file('s1', 'meta.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...set, titledAt: expect.any(String) })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await index.rebuild()
    expect(index.get('s1')).toMatchObject(set)
    index.rename('s1', '')
    expect(index.get('s1')).toMatchObject({ title: 'Hello world', pinned: true })
  })

  test('of two names the one that was given last counts, wherever it was given', async () => {
    const to = shortSession('s1', 'hello world', 'ok')
    to.tell({ type: 'setting', title: 'In the session' })
    state.write('s1', to.events)
    const at = (time: string) => openIndex({ timestamp: () => time, monotonic: () => 0 })
    const before = at('2026-11-30T11:00:00.000Z')
    await before.refresh()
    before.rename('s1', 'In the list')
    expect(before.get('s1')?.title).toBe('In the session')
    const after = at('2026-11-30T13:00:00.000Z')
    after.rename('s1', 'In the list')
    expect(after.get('s1')?.title).toBe('In the list')
    startSession(to, { resumed: true, title: 'In the session' })
    state.append('s1', to.events.slice(-1))
    await after.refresh()
    expect(after.get('s1')?.title).toBe('In the list')
    to.tell({ type: 'setting', title: 'Once more' }, 5 * 3_600_000)
    state.append('s1', to.events.slice(-1))
    await after.refresh()
    expect(after.get('s1')?.title).toBe('Once more')
  })

  test('what it does not know in that file stays, and a damaged one is put aside', async () => {
    state.write('s1', shortSession('s1', 'hello world', 'ok').events)
    const index = await refreshed()
    writeFileSync(state.file('s1', 'meta.json'), '{"other": 1, "tags": [2, "x"]}')
    index.pin('s1', true)
    expect(JSON.parse(readFileSync(state.file('s1', 'meta.json'), 'utf8'))).toEqual({
      other: 1,
      tags: [2, 'x'],
      pinned: true,
    })
    expect(index.get('s1')).toMatchObject({ tags: ['x'] })
    writeFileSync(state.file('s1', 'meta.json'), '{"title": "half')
    index.pin('s1', true)
    expect(
      readdirSync(join(state.sessionsDir, 's1')).filter((name) => /^meta\.damaged-.*\.json$/.test(name)),
    ).toHaveLength(1)
    expect(() => index.rename('gone', 'x')).toThrow()
  })

  test('deleting moves to the trash and can be undone', async () => {
    state.write('s1', shortSession('s1', 'hello world', 'ok').events)
    const index = await refreshed()
    index.remove('s1')
    expect([ids(index), index.count(), index.get('s1'), index.search('hello')]).toEqual([[], 0, undefined, []])
    expect(existsSync(join(state.stateFolder, 'trash', 's1', 'transcript.jsonl'))).toBe(true)
    expect(statSync(join(state.stateFolder, 'trash')).mode & 0o777).toBe(0o700)
    expect(await index.refresh()).toBe(0)
    index.restore('s1')
    expect(ids(index)).toEqual(['s1'])
    expect(index.search('hello')).toHaveLength(1)
    index.remove('s1')
    state.write('s1', shortSession('s1', 'another', 'ok').events)
    expect(() => index.restore('s1')).toThrow('another session s1')
    await index.refresh()
    expect(index.get('s1')).toMatchObject({ title: 'Another' })
    index.remove('s1')
    expect(readdirSync(join(state.stateFolder, 'trash')).sort()).toEqual(['s1', 's1.2'])
    expect(() => index.remove('gone')).toThrow()
    mkdirSync(join(state.stateFolder, 'other'))
    for (const id of ['../other', '..', '.', '', 'a/b', '..\\x']) {
      expect(() => index.remove(id)).toThrow('is no id')
      expect(() => index.restore(id)).toThrow('is no id')
    }
  })
})

test('a session that is deleted while it is taken in stays deleted; one moved back by hand is there again', async () => {
  const to = teller('s1')
  startSession(to)
  for (let n = 0; n < 40; n++) {
    startTurn(to, `turn ${n}`)
    say(to, 'x'.repeat(50_000))
    endTurn(to)
  }
  state.write('s1', to.events)
  let now = 0
  const index = openIndex({ timestamp: () => '2026-11-30T12:00:00.000Z', monotonic: () => (now += 9) })
  const running = index.refresh()
  while (index.count() === 0) await new Promise((resolve) => setImmediate(resolve))
  index.remove('s1')
  await running
  expect([index.count(), ids(index)]).toEqual([0, []])
  renameSync(join(state.stateFolder, 'trash', 's1'), join(state.sessionsDir, 's1'))
  await index.refresh()
  expect(index.get('s1')).toMatchObject({ turns: 40 })
})

describe('the file', () => {
  const file = () => join(state.stateFolder, 'index.sqlite')

  test('is private', async () => {
    await refreshed()
    for (const name of readdirSync(state.stateFolder).filter((one) => one.startsWith('index.sqlite')))
      expect([name, statSync(join(state.stateFolder, name)).mode & 0o777]).toEqual([name, 0o600])
  })

  test.each([
    ['garbage', () => writeFileSync(file(), 'x'.repeat(10_000))],
    ['cut off', () => truncateSync(file(), 5_000)],
    ['empty', () => truncateSync(file(), 0)],
    ['of another version', () => change(`PRAGMA user_version = ${schemaVersion + 1}`)],
    ['without its tables', () => change('DROP TABLE progress')],
    ['of another program', () => change('DROP TABLE sessions; CREATE TABLE sessions (x)')],
    ['overwritten in the middle', () => scribble(file())],
  ])('when it is %s, the list is there again after a refresh', async (_, damage) => {
    for (let n = 0; n < 30; n++) state.write(`s${n}`, shortSession(`s${n}`, `needle ${n}`, 'ok').events)
    const first = await refreshed()
    const before = first.list()
    first.close()
    damage()
    const index = openIndex()
    index.list()
    index.search('needle')
    await index.refresh()
    expect(index.list()).toEqual(before)
    expect(index.search('needle', { limit: 100 })).toHaveLength(30)
    expect(index.stored).toBe(true)
  })

  const change = (sql: string) => {
    const db = new DatabaseSync(file())
    db.exec(sql)
    db.close()
  }

  test('while another process holds it, a list in memory is made', async () => {
    state.write('s1', shortSession('s1', 'hello world', 'ok').events)
    ;(await refreshed()).close()
    const holder = new DatabaseSync(file())
    holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    const index = openIndex()
    expect(index.stored).toBe(false)
    await index.refresh()
    expect(index.list()).toMatchObject([{ title: 'Hello world' }])
    holder.close()
  })

  test.skipIf(process.getuid?.() === 0)('in a folder that cannot be written, too', async () => {
    state.write('s1', shortSession('s1', 'hello world', 'ok').events)
    chmodSync(state.stateFolder, 0o500)
    const index = await refreshed()
    chmodSync(state.stateFolder, 0o700)
    expect([index.stored, ids(index)]).toEqual([false, ['s1']])
  })

  test('on a disk that is full, too', async ({ skip }) => {
    for (let n = 0; n < 300; n++) state.write(`s${n}`, shortSession(`s${n}`, `needle ${n}`, 'x'.repeat(500)).events)
    const disk = join(state.stateFolder, 'disk')
    mkdirSync(disk)
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=192k', 'tmpfs', disk], { stdio: 'ignore' })
    } catch {
      return skip('mounting a small tmpfs is not permitted here')
    }
    try {
      const index = createSessionIndex({ stateFolder: disk, sessionsDir: state.sessionsDir })
      await index.refresh()
      expect([index.stored, index.count(), index.search('needle', { limit: 500 }).length]).toEqual([false, 300, 300])
      index.close()
    } finally {
      execFileSync('umount', [disk])
    }
  })

  test('where there is a folder in its place, too', async () => {
    state.write('s1', shortSession('s1', 'hello world', 'ok').events)
    mkdirSync(join(file(), 'x'), { recursive: true })
    const index = await refreshed()
    expect([index.stored, ids(index)]).toEqual([false, ['s1']])
  })

  test('without any sessions there is an empty list', async () => {
    rmSync(state.sessionsDir, { recursive: true })
    const index = openIndex()
    expect([await index.refresh(), index.list(), index.preview('s1').files]).toEqual([0, [], []])
  })
})

/** Noise over a third of the file, the header left alone. */
function scribble(path: string): void {
  const bytes = readFileSync(path)
  for (let at = Math.floor(bytes.length / 3); at < (bytes.length * 2) / 3; at++) bytes[at] = (at * 131) & 0xff
  writeFileSync(path, bytes)
}

test('a question that waits is shown as waiting', async () => {
  const to = teller('s1')
  startSession(to)
  startTurn(to, 'publish')
  tellQuestion(to, 'c1', 'npm publish')
  state.write('s1', to.events)
  expect((await refreshed()).list()).toMatchObject([
    { pendingApprovals: 1, next: 'bash npm publish', stopReason: null },
  ])
})
