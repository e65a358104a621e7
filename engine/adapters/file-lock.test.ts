import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withLock } from './file-lock.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-lock-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('only one of many holds the lock at a time, and nothing is left behind', async () => {
  const lock = join(folder, 'l')
  let inside = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++inside)
    await new Promise((resolve) => setTimeout(resolve, 2))
    inside--
  }
  await Promise.all(Array.from({ length: 12 }, () => withLock(lock, work)))
  expect(most).toBe(1)
  expect(await readdir(folder)).toEqual([])
})

test('the lock is given back when the work fails', async () => {
  const lock = join(folder, 'l')
  await expect(withLock(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await withLock(lock, async () => 1)).toBe(1)
})

test('a lock of a living process is respected, and its holder named', async () => {
  const lock = join(folder, 'l')
  await writeFile(lock, JSON.stringify({ pid: process.pid, host: hostname() }))
  await expect(withLock(lock, async () => 1, 50)).rejects.toThrow(`process ${process.pid} on ${hostname()}`)
})

test('a lock of another machine is respected until it is old', async () => {
  const lock = join(folder, 'l')
  await writeFile(lock, JSON.stringify({ pid: 1, host: 'elsewhere.example' }))
  await expect(withLock(lock, async () => 1, 50)).rejects.toThrow('elsewhere.example')
  const past = new Date(Date.now() - 120_000)
  await utimes(lock, past, past)
  expect(await withLock(lock, async () => 1)).toBe(1)
})

test('a lock without a holder is broken once nobody can be about to sign it', async () => {
  const lock = join(folder, 'l')
  await writeFile(lock, '')
  await expect(withLock(lock, async () => 1, 50)).rejects.toThrow('another process')
  const past = new Date(Date.now() - 10_000)
  await utimes(lock, past, past)
  expect(await withLock(lock, async () => 1)).toBe(1)
})

test('many who find the same stale lock still enter one by one', async () => {
  const lock = join(folder, 'l')
  await writeFile(lock, '')
  const past = new Date(Date.now() - 120_000)
  await utimes(lock, past, past)
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 8 }, () =>
      withLock(lock, async () => {
        most = Math.max(most, ++inside)
        await new Promise((resolve) => setTimeout(resolve, 3))
        inside--
      }),
    ),
  )
  expect(most).toBe(1)
})
