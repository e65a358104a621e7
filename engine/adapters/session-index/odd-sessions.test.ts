/** Sessions that are not as they should be: one that cannot be read, one without words, one that was deleted. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startSession, teller } from '../../../fixtures/screen/event-streams.ts'
import { createStateFolder, type StateFolder, shortSession } from '../../../fixtures/session-files.ts'
import { asOrdinaryUser } from '../../../fixtures/unprivileged.ts'
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

async function refreshed(): Promise<StoredSessions> {
  const index = createSessionIndex({ stateFolder: state.stateFolder, sessionsDir: state.sessionsDir })
  open.push(index)
  await index.refresh()
  return index
}

const store = (id: string, input = 'fix the cart', cwd = '/shop') =>
  state.write(id, shortSession(id, input, 'Done.', cwd).events)
const ids = (index: StoredSessions) => index.list().map(({ id }) => id)
const folder = (id: string) => join(state.sessionsDir, id)

test.each(['meta.json', 'lock', 'cwd', 'view.json'])('a pipe in the place of %s keeps nobody waiting', async (name) => {
  store('s_one')
  execFileSync('mkfifo', [state.file('s_one', name)])
  const index = await refreshed()
  expect(index.list().map(({ id, live, pinned }) => ({ id, live, pinned }))).toEqual([
    { id: 's_one', live: false, pinned: false },
  ])
})

describe('a session that cannot be read', () => {
  const kinds: [string, (id: string) => void, string][] = [
    [
      'a circle of links',
      (id) => {
        mkdirSync(folder(id))
        symlinkSync('transcript.jsonl', state.file(id))
      },
      'its links lead in a circle (ELOOP)',
    ],
    [
      'a folder in place of its records',
      (id) => void mkdirSync(state.file(id), { recursive: true }),
      'its transcript.jsonl is no file',
    ],
    ['a file in place of its folder', (id) => writeFileSync(folder(id), ''), 'it is no folder'],
    [
      'no records beside its other files',
      (id) => {
        mkdirSync(folder(id))
        writeFileSync(state.file(id, 'audit.jsonl'), '{}\n')
      },
      'its transcript.jsonl is missing',
    ],
  ]

  test.each(kinds)('for %s is told, and the others are listed', async (_what, make, why) => {
    make('s_bad')
    store('s_cart')
    const index = await refreshed()
    expect(ids(index)).toEqual(['s_cart'])
    expect(index.unreadable()).toEqual([{ id: 's_bad', why }])
    rmSync(folder('s_bad'), { recursive: true })
    await index.refresh()
    expect(index.unreadable()).toEqual([])
  })

  test('because it belongs to somebody else is such a one, also when it was listed before', async () => {
    for (const id of ['s_cart', 's_folder', 's_file']) store(id)
    await asOrdinaryUser(state.stateFolder, async () => {
      const index = await refreshed()
      expect(ids(index)).toHaveLength(3)
      chmodSync(folder('s_folder'), 0)
      chmodSync(state.file('s_file'), 0)
      await index.refresh()
      expect(ids(index)).toEqual(['s_cart'])
      const why = 'permission denied (EACCES)'
      expect(index.unreadable()).toEqual(
        expect.arrayContaining([
          { id: 's_folder', why },
          { id: 's_file', why },
        ]),
      )
      chmodSync(folder('s_folder'), 0o700)
      await index.refresh()
      expect(index.unreadable()).toEqual([{ id: 's_file', why }])
      chmodSync(state.sessionsDir, 0)
      await index.refresh()
      expect(index.unreadable()).toEqual([{ id: '', why }])
      chmodSync(state.sessionsDir, 0o700)
    })
  })

  test('is none while it is being made, and none is what somebody else left there', async () => {
    mkdirSync(folder('s_empty'))
    mkdirSync(folder('s_locked'))
    writeFileSync(state.file('s_locked', 'lock'), '')
    writeFileSync(folder('.DS_Store'), '')
    writeFileSync(folder('notes.txt'), '')
    expect((await refreshed()).unreadable()).toEqual([])
  })
})

test('where nothing was said stands last, unless a person set something on it', async () => {
  store('s_old')
  for (const id of ['s_empty', 's_named', 's_pinned', 's_tagged']) {
    const to = teller(id)
    startSession(to, { cwd: '/shop' })
    state.write(
      id,
      to.events.map((event) => ({ ...event, time: event.time.replace('2026', '2027') })),
    )
  }
  const index = await refreshed()
  index.rename('s_named', 'A name')
  index.pin('s_pinned', true)
  index.tag('s_tagged', ['later'])
  expect(ids(index)).toEqual(['s_pinned', 's_named', 's_tagged', 's_old', 's_empty'])
})

test('a time that is none is not taken for one', async () => {
  const [start, ...rest] = shortSession('s_odd', 'fix the cart', 'Done.').events
  const odd = (time: string) => ({ ...start, time }) as (typeof rest)[number]
  state.write('s_odd', [odd('garbage'), ...rest, odd('zzzz-99-99T99')])
  state.write('s_none', [odd('2026-99-99T12:00:00Z')])
  const index = await refreshed()
  expect(index.get('s_odd')).toMatchObject({ startedAt: rest[0]?.time, updatedAt: rest.at(-1)?.time })
  expect(index.get('s_none')).toMatchObject({ startedAt: '', updatedAt: '' })
})

test('one that is gone, or written anew, leaves the index of the others working', async () => {
  for (const id of ['s_cart', 's_gone', 's_anew']) store(id)
  const index = await refreshed()
  rmSync(folder('s_gone'), { recursive: true })
  store('s_anew', 'something else')
  store('s_new', 'a new one')
  expect(await index.refresh()).toBe(3)
  expect(ids(index).sort()).toEqual(['s_anew', 's_cart', 's_new'])
  expect(index.search('cart').map(({ session }) => session.id)).toEqual(['s_cart'])
})

describe('searching', () => {
  test('says how many there are beyond the limit', async () => {
    for (let n = 0; n < 60; n++) store(`s_${n}`, `zanzibar ${n}`)
    const index = await refreshed()
    expect(index.find('zanz').hits).toHaveLength(50)
    expect(index.find('zanz').more).toBe(10)
    expect(index.find('zanz', { limit: 3 })).toMatchObject({ more: 57 })
    expect(index.find('zanz', { limit: 60 })).toMatchObject({ more: 0 })
  })

  test('finds emoji in what was said', async () => {
    store('s_party', 'ship it🎉 then rest')
    store('s_other', 'ship it')
    const { hits } = (await refreshed()).find('🎉')
    expect(hits.map(({ session, snippet }) => [session.id, snippet])).toEqual([
      ['s_party', { text: 'ship it🎉 then rest', marks: [[7, 9]] }],
    ])
  })
})

describe('the trash', () => {
  test('is listed by title and time, also by an index that never saw it', async () => {
    store('s_cart')
    store('s_zod', 'port to zod')
    const index = await refreshed()
    index.remove('s_cart')
    index.remove('s_zod')
    const titles = (one: StoredSessions) =>
      one
        .trashed()
        .map(({ name, session }) => `${name} ${session?.title}`)
        .sort()
    expect(titles(index)).toEqual(['s_cart Fix the cart', 's_zod Port to zod'])
    await index.rebuild()
    expect(titles(index)).toEqual(['s_cart Fix the cart', 's_zod Port to zod'])
    rmSync(join(state.stateFolder, 'trash', 's_zod', 'transcript.jsonl'))
    expect(index.trashed().find(({ name }) => name === 's_zod')).toMatchObject({ session: null })
  })

  test('gives back both of two that had one id, one after the other', async () => {
    store('s_cart', 'the first')
    const index = await refreshed()
    index.remove('s_cart')
    store('s_cart', 'the second')
    await index.refresh()
    index.remove('s_cart')
    expect(
      index
        .trashed()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['s_cart', 's_cart.2'])
    index.restore('s_cart.2')
    await index.refresh()
    expect(index.get('s_cart')?.title).toBe('The first')
    expect(() => index.restore('s_cart')).toThrow('There is another session s_cart')
    renameSync(folder('s_cart'), folder('s_away'))
    index.restore('s_cart')
    await index.refresh()
    expect(index.get('s_cart')?.title).toBe('The second')
  })
})

test('settings for which there is half the room are refused as by a full disk, and leave nothing of themselves', async ({
  skip,
}) => {
  mkdirSync(folder('s_cart'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', folder('s_cart')], { stdio: 'ignore' })
  } catch {
    return skip('mounting a small tmpfs is not permitted here')
  }
  try {
    store('s_cart')
    const index = await refreshed()
    const tags = Array.from({ length: 2_000 }, (_, i) => `tag-${i}`)
    expect(() => index.tag('s_cart', tags)).toThrow(expect.objectContaining({ code: 'ENOSPC' }))
    expect(readdirSync(folder('s_cart'))).toEqual(['transcript.jsonl'])
  } finally {
    execFileSync('umount', ['-l', folder('s_cart')])
  }
})
