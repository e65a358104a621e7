import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createCannedModel, say } from '../../fixtures/canned-model.ts'
import { filesBelow, openRewinding, removeRewindFolders, rewindPlace } from '../../fixtures/rewind-world.ts'
import { systemDigest } from '../adapters/system/index.ts'
import type { Rewind } from '../protocol/index.ts'
import { checkLaws } from './laws.ts'

vi.setConfig({ testTimeout: 120_000 })

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  removeRewindFolders()
})

const script = resolve(import.meta.dirname, '..', '..', 'fixtures', 'killed-rewind.ts')
const made = Object.fromEntries([0, 1, 2, 3, 4, 5].map((n) => [`new/f${n}`, `${n}\n`]))
const asMade = { 'kept.txt': 'changed\n', ...made }

/** A rewind in another process, killed with so many of the six files left; and the session that goes on with it. */
async function killedWith(left: number) {
  const at = rewindPlace()
  writeFileSync(join(at.cwd, 'kept.txt'), 'as it was\n')
  const child = spawnSync(process.execPath, [script, at.cwd, at.state, `${left}`], { encoding: 'utf8' })
  expect({ signal: child.signal, text: child.stderr }).toMatchObject({ signal: 'SIGKILL' })
  const world = openRewinding(at, createCannedModel([say('and on')]), { resume: true })
  closing.push(world.close)
  await vi.waitFor(() => expect(world.events.some(({ type }) => type === 'rewound')).toBe(true), { timeout: 20_000 })
  await vi.waitFor(() => expect(world.checkpoints.pending()).toBe(null), { timeout: 20_000 })
  const found = world.events.find((event) => event.type === 'rewound')
  if (found?.type !== 'rewound') throw new Error('a rewind')
  return { ...world, at, rewound: found.rewound }
}

async function go(rewind: Rewind, turnId: string | null) {
  const preview = await rewind.preview(turnId)
  if (typeof preview === 'string') throw new Error(preview)
  const able = preview.files.filter(({ state }) => state === 'restore').map(({ path }) => path)
  const outcome = await rewind.apply({ preview, conversation: true, restore: able })
  return { outcome, able: able.length }
}

describe('a rewind whose process was killed', () => {
  it('in the middle is told when the session goes on, and undone', async () => {
    const { session, at, rewound, records, turn } = await killedWith(3)
    expect(Object.keys(filesBelow(at.cwd))).toHaveLength(4)
    expect(rewound).toMatchObject({ conversation: false, turns: 0, cutOff: 4 })
    expect(rewound.files.map(({ how }) => how)).toEqual(['deleted', 'deleted', 'deleted', 'failed'])
    expect(await go(session.rewind, null)).toMatchObject({ outcome: { ok: true }, able: 3 })
    expect(filesBelow(at.cwd)).toEqual(asMade)
    await turn('and on')
    await session.close()
    expect(checkLaws(records(), systemDigest).breaks).toEqual([])
  })

  it('in the middle can be finished', async () => {
    const { session, at } = await killedWith(3)
    const [turn] = await session.rewind.turns()
    expect(await go(session.rewind, turn?.turnId ?? '')).toMatchObject({ outcome: { ok: true }, able: 4 })
    expect(filesBelow(at.cwd)).toEqual({ 'kept.txt': 'as it was\n' })
    expect(existsSync(join(at.cwd, 'new'))).toBe(false)
    await go(session.rewind, null)
    await go(session.rewind, null)
    expect(filesBelow(at.cwd)).toEqual(asMade)
  })

  it('before the first file has done nothing, which is said', async () => {
    const { session, at, rewound } = await killedWith(6)
    expect(filesBelow(at.cwd)).toEqual(asMade)
    expect(rewound).toMatchObject({ conversation: false, cutOff: 7 })
    expect(session.rewind.undoable()).toBe(null)
  })
})
