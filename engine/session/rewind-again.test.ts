import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ask, createCannedModel, say } from '../../fixtures/canned-model.ts'
import { filesBelow, openRewinding, removeRewindFolders, rewindPlace } from '../../fixtures/rewind-world.ts'
import type { Rewind } from '../protocol/index.ts'

vi.setConfig({ testTimeout: 120_000 })

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  removeRewindFolders()
})

/** One turn for each command. */
async function after(files: Record<string, string>, ...commands: string[]) {
  const at = rewindPlace()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(at.cwd, name, '..'), { recursive: true })
    writeFileSync(join(at.cwd, name), text)
  }
  const replies = commands.flatMap((command, n) => [ask(`b${n}`, ['bash', { command }]), say(`done ${n}`)])
  const world = openRewinding(at, createCannedModel([...replies, say('more'), say('more')]))
  closing.push(world.close)
  for (const command of commands) await world.turn(command)
  const { rewind } = world.session
  const turnIds = (await rewind.turns()).map(({ turnId }) => turnId)
  return { ...world, at, rewind, turnIds, path: (name: string) => join(at.cwd, name) }
}

async function look(rewind: Rewind, turnId: string | null) {
  const preview = await rewind.preview(turnId)
  if (typeof preview === 'string') throw new Error(preview)
  return preview
}

async function go(rewind: Rewind, turnId: string | null, what: 'both' | 'conversation' | 'files' = 'both') {
  const preview = await look(rewind, turnId)
  const able = preview.files.filter(({ state }) => state === 'restore').map(({ path }) => path)
  const restore = what === 'conversation' ? [] : able
  return rewind.apply({ preview, conversation: what !== 'files', restore })
}

describe('rewinds are undone one after the other', () => {
  it('the last one first, each in what it did, also in a session that was resumed', async () => {
    const { rewind, turnIds, at, session, close } = await after({}, 'echo 1 > a', 'echo 2 > b', 'echo 3 > c')
    const [first = '', second = '', third = ''] = turnIds
    await go(rewind, third, 'conversation')
    await go(rewind, second, 'files')
    expect(filesBelow(at.cwd)).toEqual({ a: '1\n' })
    await go(rewind, first)
    expect(filesBelow(at.cwd)).toEqual({})
    expect((await rewind.turns()).map(({ turnId }) => turnId)).toEqual([])
    await session.close()
    await close()
    const again = openRewinding(at, createCannedModel([]), { resume: true })
    closing.push(again.close)
    const seen = async () => [filesBelow(at.cwd), (await again.session.rewind.turns()).map(({ turnId }) => turnId)]
    expect(await go(again.session.rewind, null)).toMatchObject({ ok: true })
    expect(await seen()).toEqual([{ a: '1\n' }, [first, second]])
    expect(await go(again.session.rewind, null)).toMatchObject({ ok: true })
    expect(await seen()).toEqual([{ a: '1\n', b: '2\n', c: '3\n' }, [first, second]])
    expect(await go(again.session.rewind, null)).toMatchObject({ ok: true })
    expect(await seen()).toEqual([{ a: '1\n', b: '2\n', c: '3\n' }, turnIds])
    expect(await again.session.rewind.preview(null)).toBe('There is no rewind to undo.')
  })

  it('one of which nothing is left gives way to the one before it', async () => {
    const { rewind, turnIds, at, path } = await after({}, 'echo 1 > a', 'echo 2 > b')
    await go(rewind, turnIds[1] ?? '', 'conversation')
    await go(rewind, turnIds[0] ?? '', 'files')
    writeFileSync(path('a'), '1\n')
    writeFileSync(path('b'), '2\n')
    expect(await go(rewind, null)).toMatchObject({ ok: true, rewound: { files: [] } })
    expect(await go(rewind, null)).toMatchObject({ ok: true, rewound: { turns: 1 } })
    expect((await rewind.turns()).map(({ turnId }) => turnId)).toEqual(turnIds)
    expect(filesBelow(at.cwd)).toEqual({ a: '1\n', b: '2\n' })
  })
})

describe('files and folders that took each other’s place', () => {
  it.each([
    ['a file that became a folder', 'rm nonl.txt; mkdir nonl.txt; echo z > nonl.txt/z'],
    ['a folder that was moved', 'mv src srcmoved'],
    ['a folder that became a file', 'rm -r src; echo now > src'],
    ['a folder that became a link', 'mv src other; ln -s other src'],
    ['a file that a folder took the place of', 'rm nonl.txt; mv src nonl.txt'],
  ])('%s: the rewind, its undo, and the rewind once more', async (_, command) => {
    const files = { 'nonl.txt': 'no newline', 'src/f': 'f\n', 'src/deep/g': 'g\n' }
    const { rewind, turnIds, at, path } = await after(files, command)
    const changed = filesBelow(at.cwd)
    for (const turnId of [turnIds[0] ?? '', null, turnIds[0] ?? '']) {
      const outcome = await go(rewind, turnId)
      expect(outcome).toMatchObject({ ok: true })
      expect(outcome.ok && outcome.rewound.files.filter(({ how }) => how === 'failed')).toEqual([])
      expect(filesBelow(at.cwd)).toEqual(turnId === null ? changed : files)
    }
    expect(['srcmoved', 'other'].filter((name) => existsSync(path(name)))).toEqual([])
  })
})

it('what would be refused is said in the preview, and is no choice', async () => {
  const { rewind, turnIds, at, path } = await after({ 'd/x': '1\n', 'e/y': '1\n' }, 'echo 2 > d/x; echo 2 > e/y')
  rmSync(path('d'), { recursive: true })
  mkdirSync(path('elsewhere'))
  writeFileSync(path('elsewhere/x'), '2\n')
  symlinkSync('elsewhere', path('d'))
  const preview = await look(rewind, turnIds[0] ?? '')
  expect(preview.files.map(({ shown, state, why }) => [shown, state, why])).toEqual([
    ['d/x', 'lost', 'its folder leads somewhere else now'],
    ['e/y', 'restore', ''],
  ])
  const restore = preview.files.map((file) => file.path)
  expect(await rewind.apply({ preview, conversation: false, restore })).toMatchObject({
    ok: true,
    rewound: { files: [{ path: 'e/y', how: 'written' }], kept: ['d/x'] },
  })
  expect(filesBelow(at.cwd)).toMatchObject({ 'elsewhere/x': '2\n', 'e/y': '1\n' })
})

it('what a turn did that was not captured is in its preview', async () => {
  const files = { '.gitignore': '*.log\n', 'x.log': 'x\n', a: '1\n' }
  const { rewind, turnIds, problems } = await after(files, 'rm x.log; echo 2 > a')
  expect((await look(rewind, turnIds[0] ?? '')).gaps).toEqual(['1 ignored file was deleted (x.log)'])
  expect(problems).toEqual(['A rewind cannot bring this back: 1 ignored file was deleted (x.log).'])
})
