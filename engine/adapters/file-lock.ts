/** A lock between processes: a file that only one of them can create, left behind by nobody for long. */
import { open, readFile, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { isAlive } from './process-identity.ts'

/**
 * Runs `work` while this process alone holds `path`. A lock of a process that has died, and any lock older than a minute,
 * is broken. Rejects after `patienceMs` with an Error that says who holds it.
 */
export async function withLock<T>(path: string, work: () => Promise<T>, patienceMs = 10_000): Promise<T> {
  const deadline = performance.now() + patienceMs
  let pause = 5
  while (!(await create(path))) {
    await breakIfStale(path)
    if (performance.now() > deadline) throw new Error(`${path} is held by ${await holder(path)}`)
    await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())))
    pause = Math.min(pause * 1.5, 100)
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

/** Our work under the lock takes milliseconds. */
const oldestMs = 60_000
/** The time between creating a lock file and writing the holder into it. */
const unsignedMs = 5_000

type Holder = { pid: number; host: string }

async function create(path: string): Promise<boolean> {
  try {
    const handle = await open(path, 'wx', 0o600)
    try {
      await handle.writeFile(JSON.stringify({ pid: process.pid, host: hostname() } satisfies Holder))
    } finally {
      await handle.close()
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Only one process breaks a lock at a time, and looks again before it does: a fresh lock is never taken for the stale one. */
async function breakIfStale(path: string): Promise<void> {
  if (!(await isStale(path))) return
  const breaker = `${path}.break`
  if (!(await create(breaker))) {
    const age = await ageOf(breaker)
    if (age !== null && age > oldestMs) await rm(breaker, { force: true })
    return
  }
  try {
    if (await isStale(path)) await rm(path, { force: true })
  } finally {
    await rm(breaker, { force: true })
  }
}

async function isStale(path: string): Promise<boolean> {
  const age = await ageOf(path)
  if (age === null) return false
  if (age > oldestMs) return true
  const held = await readHolder(path)
  if (held === null) return age > unsignedMs
  return held.host === hostname() && !isAlive(held.pid)
}

async function ageOf(path: string): Promise<number | null> {
  try {
    return Date.now() - (await stat(path)).mtimeMs
  } catch {
    return null
  }
}

async function readHolder(path: string): Promise<Holder | null> {
  try {
    const held = JSON.parse(await readFile(path, 'utf8'))
    return Number.isInteger(held?.pid) && typeof held?.host === 'string' ? held : null
  } catch {
    return null
  }
}

async function holder(path: string): Promise<string> {
  const held = await readHolder(path)
  return held === null ? 'another process' : `process ${held.pid} on ${held.host}`
}
