import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { callMark } from './environment.ts'
import { findProcesses, findProcessesNow, parsePs } from './process-table.ts'

const started: number[] = []

afterEach(() => {
  for (const pid of started.splice(0)) {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // Ended by itself.
    }
  }
})

function start(script: string, mark: string) {
  const child = spawn('bash', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, [callMark]: mark },
  })
  started.push(child.pid ?? 0)
  return child
}

test('finds marked processes, their group and their descendants, and nothing else', async () => {
  const child = start('sleep 985 & echo $!; wait', 'mark-of-this-test')
  const [line] = await once(child.stdout, 'data')
  const expected = [child.pid, Number(String(line).trim())].sort()
  const nobody = { callId: 'another mark', group: undefined, known: [] }
  const pids = (entries: { pid: number }[] = []) => entries.map((entry) => entry.pid).sort()

  expect(pids(await findProcesses({ ...nobody, group: child.pid }))).toEqual(expected)
  expect(pids(findProcessesNow({ ...nobody, group: child.pid }))).toEqual(expected)
  expect(await findProcesses(nobody)).toEqual([])
  if (process.platform === 'linux') {
    expect(pids(await findProcesses({ ...nobody, callId: 'mark-of-this-test' }))).toEqual(expected)
  }
  const shell = (await findProcesses({ ...nobody, group: child.pid }))?.find((entry) => entry.pid === child.pid)
  expect(pids(await findProcesses({ ...nobody, known: shell ? [shell] : [] }))).toEqual(expected)
  expect(await findProcesses({ ...nobody, known: shell ? [{ ...shell, started: 'another time' }] : [] })).toEqual([])
})

test('rows of ps are read, without zombies', () => {
  const rows = parsePs(
    [
      '    1     0     0 Ss   Mon Nov 30 09:16:22 2026 /sbin/init',
      `  412     1   400 S    Tue Dec  1 10:00:00 2026 /usr/bin/node server.js HOME=/x ${callMark}=abc TERM=dumb`,
      '  413   412   400 Z    Tue Dec  1 10:00:01 2026 (node)',
      'garbage',
    ].join('\n'),
  )
  expect(rows.map(({ marked, ...row }) => ({ ...row, abc: marked('abc'), ab: marked('ab') }))).toEqual([
    { pid: 1, parent: 0, group: 0, started: 'Mon Nov 30 09:16:22 2026', name: 'init', abc: false, ab: false },
    { pid: 412, parent: 1, group: 400, started: 'Tue Dec  1 10:00:00 2026', name: 'node', abc: true, ab: false },
  ])
})

test('the ps of this machine prints rows in that form', () => {
  const columns = 'pid=,ppid=,pgid=,state=,lstart=,command='
  const output = execFileSync('ps', ['-axww', '-o', columns], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  const own = parsePs(output).find((row) => row.pid === process.pid)
  expect(own).toMatchObject({ pid: process.pid, parent: process.ppid })
})
