import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bashCalls } from '../../fixtures/bash-calls.ts'
import { type CalledTool, callTool } from '../../fixtures/tool-context.ts'
import { killAllNow, stopAllCommands, trackedCommands } from './processes.ts'
import { bashTool } from './tool.ts'

const { workspace, run } = bashCalls()

/** What a finished call says of processes. */
function left({ metadata = {} }: CalledTool): { pid: number; artifact: string; running: number[] } {
  const { pid, artifact, stillRunning } = metadata
  return { pid: Number(pid), artifact: String(artifact), running: stillRunning as number[] }
}

/** True for a process that runs; one that has ended and was not yet waited for does not. */
function isAlive(pid: number): boolean {
  try {
    const state = execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    return state !== '' && !state.startsWith('Z')
  } catch {
    return false
  }
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 20_000
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited too long: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function readPid(file: string): number {
  return existsSync(file) ? Number(readFileSync(file, 'utf8').trim()) : 0
}

/** Longer than anything takes that works; only what waits for `sleep 30` reaches it. */
const hang = 15_000

describe('processes that a command leaves behind', () => {
  test('D01: a command that leaves a child with its pipes returns at once and names the child', async () => {
    const started = performance.now()
    const result = await run({ command: 'sleep 30 & echo done' })
    expect(performance.now() - started).toBeLessThan(hang)
    const [pid = 0] = left(result).running
    expect(result.content).toMatch(/^done\n/)
    expect(result.content).toContain(`[still running in the background: ${pid} sleep; it ends when the session closes`)
    expect(result.ok).toBe(true)
    expect(isAlive(pid)).toBe(true)
    await stopAllCommands('session_test')
    expect(isAlive(pid)).toBe(false)
  })

  test('D01: what a left child prints later goes to the file that the result names, and does not kill it', async () => {
    const result = await run({ command: '(sleep 0.5; echo later; sleep 0.2; echo still; sleep 30) & echo now' })
    const { artifact } = left(result)
    expect(result.content).toContain(`what it prints from now on goes to ${artifact}`)
    await until(() => readFileSync(artifact, 'utf8') === 'now\nlater\nstill\n', 'the words of the left child')
    const [pid = 0] = left(result).running
    expect(isAlive(pid)).toBe(true)
  })

  test('D01: a silent child is noticed too', async () => {
    const result = await run({ command: 'sleep 30 >/dev/null 2>&1 & echo done' })
    expect(left(result).running).toHaveLength(1)
  })

  test('D04: an abort ends the grandchildren too', async () => {
    const controller = new AbortController()
    const { cwd, context } = await workspace({ signal: controller.signal })
    const command = "bash -c 'sleep 987 & echo $! > a; sleep 987 & echo $! > b; wait'"
    const called = callTool(bashTool, { command }, context)
    await until(() => readPid(join(cwd, 'a')) > 0 && readPid(join(cwd, 'b')) > 0, 'both grandchildren')
    controller.abort()
    const result = await called
    expect({ ok: result.ok, error: result.error, left: left(result).running }).toEqual({
      ok: false,
      error: 'USER_ABORTED',
      left: [],
    })
    expect(result.summary).toMatch(/^killed by abort · /)
    expect([isAlive(readPid(join(cwd, 'a'))), isAlive(readPid(join(cwd, 'b')))]).toEqual([false, false])
  })

  test('D04: one that ignores TERM is killed two seconds later', async () => {
    const result = await run({ command: `trap '' TERM; echo stubborn; sleep 987 & wait; sleep 987`, timeout_ms: 300 })
    expect(result.content).toMatch(/^stubborn\n\n\[killed by timeout after 0.3 s · /)
    expect({ error: result.error, signal: result.metadata?.signal, timedOut: result.metadata?.timedOut }).toEqual({
      error: 'TOOL_TIMEOUT',
      signal: 'SIGKILL',
      timedOut: true,
    })
    expect(left(result).running).toEqual([])
  })

  test('D04: leaving this program without a chance to wait ends everything at once', async () => {
    const result = await run({ command: `trap '' TERM; sleep 987 & (trap '' TERM; sleep 987) & echo ok` })
    const pids = left(result).running
    expect(pids.length).toBeGreaterThanOrEqual(2)
    killAllNow()
    await until(() => !pids.some(isAlive), 'the end of the children')
    expect(trackedCommands()).toEqual([])
  })

  test.skipIf(!hasProgram('setsid'))(
    'D05: children that leave the session and the tree are found and ended (skipped where there is no setsid)',
    async () => {
      const { cwd, context } = await workspace()
      const command = `setsid bash -c 'setsid sleep 986 >/dev/null 2>&1 & echo $! > inner' & wait; setsid sleep 986 & echo $! > outer; echo ok`
      const result = await callTool(bashTool, { command }, context)
      await until(() => readPid(join(cwd, 'inner')) > 0, 'the inner child')
      expect(result.content).toMatch(/^ok\n/)
      const pids = left(result).running
      expect(pids).toHaveLength(2)
      await stopAllCommands()
      expect(pids.map(isAlive)).toEqual([false, false])
    },
  )

  test.skipIf(!hasProgram('setsid'))('D05: a timeout ends a child that left the group', async () => {
    const { cwd, context } = await workspace()
    const command = 'setsid sleep 986 & echo $! > pid; wait'
    const result = await callTool(bashTool, { command, timeout_ms: 2_000 }, context)
    expect(result.error).toBe('TOOL_TIMEOUT')
    expect(isAlive(readPid(join(cwd, 'pid')))).toBe(false)
  })
})

describe('in the background', () => {
  test('a server goes on, its pid, its log and its first output are given, and closing the session ends it', async () => {
    const { cwd, context } = await workspace()
    const result = await callTool(
      bashTool,
      { command: 'echo listening; sleep 0.7; echo served; sleep 986', background: true },
      context,
    )
    const { pid, artifact, running } = left(result)
    expect(result.summary).toBe(`running in the background · pid ${pid}`)
    expect(result.content).toContain('listening\n')
    expect(result.content).toContain(
      `[it goes on until it ends by itself or the session closes; its output goes to ${artifact}]`,
    )
    expect({ ok: result.ok, exitCode: result.metadata?.exitCode }).toEqual({ ok: true, exitCode: null })
    expect(running).toContain(pid)
    expect(result.blocks[0]).toEqual({
      type: 'command',
      command: 'echo listening; sleep 0.7; echo served; sleep 986',
      cwd,
      background: true,
    })
    await until(() => readFileSync(artifact, 'utf8') === 'listening\nserved\n', 'the log')
    await stopAllCommands('another session')
    expect(isAlive(pid)).toBe(true)
    await stopAllCommands('session_test')
    expect(isAlive(pid)).toBe(false)
  })

  test('one that fails at once is reported like any other command', async () => {
    const result = await run({ command: 'echo no port; exit 1', background: true })
    expect(result.summary).toMatch(/^exit 1 · /)
    expect(result.content).toMatch(/^no port\n/)
    expect(result.ok).toBe(false)
  })

  test('an abort of the turn later on leaves it running', async () => {
    const controller = new AbortController()
    const result = await run({ command: 'sleep 986', background: true }, { signal: controller.signal })
    controller.abort()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(isAlive(left(result).pid)).toBe(true)
  })
})

function hasProgram(name: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
