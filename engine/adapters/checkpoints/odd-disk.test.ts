import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import {
  everything,
  removeCheckpointFolders,
  undoEffects,
  checkpointWorld as world,
} from '../../../fixtures/checkpoint-world.ts'
import { mostLoose } from './loose.ts'

vi.setConfig({ testTimeout: 120_000 })

const mounted: string[] = []
afterEach(() => {
  for (const at of mounted.splice(0)) execFileSync('umount', [at])
  removeCheckpointFolders()
})

/** The state folder on a disk of its own; undefined where none may be mounted. */
function smallState() {
  const at = world()
  mkdirSync(at.stateFolder, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', at.stateFolder], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  mounted.push(at.stateFolder)
  const filler = join(at.stateFolder, 'filler')
  const fill = () => {
    const fd = openSync(filler, 'w')
    try {
      for (;;) writeSync(fd, Buffer.alloc(4096))
    } catch {
      // Full.
    } finally {
      closeSync(fd)
    }
  }
  return { ...at, fill, free: () => rmSync(filler) }
}

it('a full disk is told once, whatever it stops: snapshots of commands, contents of edits, the list of both', async (test) => {
  const at = smallState()
  if (at === undefined) return test.skip('mounting a small tmpfs is not permitted here')
  const text = (word: string) => `${word}\n`.repeat(3000)
  at.put('a', text('a'))
  at.put('b', text('b'))
  await at.call(() => writeFileSync(at.at('a'), text('c')))
  await at.checkpoints.effects()
  at.fill()
  for (const n of [1, 2]) {
    at.put(`new${n}`, text(`new ${n}`))
    await at.call(() => writeFileSync(at.at('a'), text(`d${n}`)))
    await at.call(() => writeFileSync(at.at('b'), text(`e${n}`)), [at.at('b')])
    await at.checkpoints.effects()
  }
  expect(at.problems).toEqual([
    `The disk is full: what is changed now cannot be undone by a rewind. Free some space where ${at.stateFolder} is; what is changed after that can.`,
  ])
  at.free()
  await at.call(() => writeFileSync(at.at('b'), text('f')))
  const effects = await at.checkpoints.effects()
  const full = ['the disk was full, so that what this command changed is not kept']
  expect(effects.map(({ callId, gaps }) => [callId, gaps])).toEqual([
    ['c0', []],
    ['c1', full],
    ['c2', []],
    ['c3', full],
    ['c4', []],
    ['c5', []],
  ])
  expect(effects.at(-1)?.files).toMatchObject([{ path: at.at('b'), before: { kept: true } }])
  expect(at.problems).toHaveLength(1)
  await at.checkpoints.close()
})

it('a file that only came in sight stays also where no time of birth is kept', async (test) => {
  const at = world()
  try {
    execFileSync('mount', ['-t', 'ramfs', 'ramfs', at.workspace], { stdio: 'ignore' })
  } catch {
    return test.skip('mounting a ramfs is not permitted here')
  }
  mounted.push(at.workspace)
  at.sh(
    `echo 'many/' > .gitignore; mkdir -p many/deep; for n in $(seq ${mostLoose}); do : > many/$n; done; echo x > many/deep/x`,
  )
  expect(statSync(at.at('many/deep/x')).birthtimeMs).toBe(0)
  const before = Object.keys(everything(at.workspace))
  await at.call(() => undefined, null, 't0')
  await at.call(() => at.sh('echo > .gitignore; echo new > new'))
  expect(await undoEffects(at, new Set(['t1']))).toEqual([])
  expect(Object.keys(everything(at.workspace))).toEqual(before)
})
