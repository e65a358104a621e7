import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { stillRuns, systemProcesses } from './index.ts'

let leader: ChildProcess | undefined
afterEach(() => {
  try {
    process.kill(-(leader?.pid ?? 0), 'SIGKILL')
  } catch {
    // It has ended.
  }
})

/** A shell that leads a group of its own and has told something. */
async function shell(command: string) {
  leader = spawn('/bin/sh', ['-c', command], { detached: true, stdio: ['pipe', 'pipe', 'ignore'] })
  await once(leader.stdout as NodeJS.ReadableStream, 'data')
  const found = systemProcesses.identify(leader.pid ?? 0)
  if (found === null) throw new Error('it has ended')
  return found
}

async function ended(): Promise<void> {
  if (leader?.exitCode === null && leader.signalCode === null) await once(leader, 'exit')
}

test('a process is found as long as it runs, and is not the one that has its pid later', async () => {
  const found = await shell('echo; sleep 600')
  expect(stillRuns(found)).toBe(true)
  expect(stillRuns({ ...found, started: 'at another time' })).toBe(false)
  expect(stillRuns({ ...found, host: 'elsewhere.example' })).toBe(false)
  expect(stillRuns({ ...found, space: 'pid:[1]' })).toBe(false)
  process.kill(-found.group, 'SIGKILL')
  await ended()
  // The others of the group end a moment later.
  await vi.waitFor(() => expect(stillRuns(found)).toBe(false), 10_000)
})

test('what a process left in its group is found when that has ended', async () => {
  const found = await shell('sleep 600 & echo; read line')
  leader?.stdin?.end()
  await ended()
  expect(stillRuns(found)).toBe(true)
})

test('one that has ended cannot be named', async () => {
  leader = spawn('/bin/sh', ['-c', 'exit 0'], { detached: true, stdio: 'ignore' })
  await ended()
  expect(systemProcesses.identify(leader.pid ?? 0)).toBeNull()
})
