import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ownHolder } from '../session-lock.ts'
import { isLive, liveHolder, takeSessionLock } from './index.ts'

let folder: string
let child: ChildProcess | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-session-lock-'))
})
afterEach(async () => {
  if (child && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  child = undefined
  rmSync(folder, { recursive: true, force: true })
})

const here = import.meta.resolve('./index.ts')

/** Another process that takes the lock, says what came of it, and waits for its input to end. */
async function other(then = ''): Promise<{ child: ChildProcess; said: string }> {
  const code = `
    import { takeSessionLock } from ${JSON.stringify(here)}
    const attempt = takeSessionLock(${JSON.stringify(folder)})
    process.stdout.write(attempt.type + '\\n')
    ${then}
    process.stdin.resume().on('end', () => process.exit(0))`
  child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [said] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  return { child, said: said.toString().trim() }
}

const backdate = (path: string, ms: number) => {
  const then = new Date(Date.now() - ms)
  utimesSync(path, then, then)
}
const signed = (holder: object) => writeFileSync(join(folder, 'lock'), JSON.stringify(holder))

describe('the lock of a session', () => {
  it('that somebody took over is theirs, and is not kept fresh by the one who had it', () => {
    const first = takeSessionLock(folder)
    if (first.type !== 'taken') throw new Error(first.type)
    signed({ ...ownHolder(), host: 'elsewhere' })
    backdate(join(folder, 'lock'), 10 * 60_000)
    first.lock.freshen()
    expect(isLive(folder)).toBe(false)
    first.lock.release()
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it('is made again where it was deleted, and another process does not get it', async () => {
    const first = takeSessionLock(folder)
    if (first.type !== 'taken') throw new Error(first.type)
    rmSync(folder, { recursive: true })
    // The folder is not there yet.
    first.lock.freshen()
    expect(isLive(folder)).toBe(false)
    mkdirSync(folder)
    first.lock.freshen()
    expect(liveHolder(folder)).toEqual(ownHolder())
    expect((await other()).said).toBe('held')
    first.lock.release()
    expect(isLive(folder)).toBe(false)
    first.lock.freshen()
    expect(readdirSync(folder)).toEqual([])
  })

  it('is one process’s alone, private, and gone when it is given back', () => {
    const first = takeSessionLock(folder)
    expect(first.type).toBe('taken')
    expect(statSync(join(folder, 'lock')).mode & 0o777).toBe(0o600)
    expect(isLive(folder)).toBe(true)
    expect(takeSessionLock(folder)).toEqual({ type: 'held', holder: ownHolder() })
    if (first.type === 'taken') {
      first.lock.release()
      first.lock.release()
    }
    expect(isLive(folder)).toBe(false)
    expect(readdirSync(folder)).toEqual([])
  })

  it('of many sessions in one process is each by itself, without a warning', async () => {
    const warnings: unknown[] = []
    const warned = (warning: unknown) => void warnings.push(warning)
    process.on('warning', warned)
    const attempts = Array.from({ length: 15 }, (_, i) => takeSessionLock(join(folder, `s_${i}`)))
    expect(attempts.map(({ type }) => type)).toEqual(attempts.map(() => 'taken'))
    for (const attempt of attempts) if (attempt.type === 'taken') attempt.lock.release()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', warned)
    expect(warnings).toEqual([])
    expect(attempts.some((_, i) => isLive(join(folder, `s_${i}`)))).toBe(false)
  })

  it('makes the folder, private', () => {
    const session = join(folder, 'sessions', 's_1')
    expect(takeSessionLock(session).type).toBe('taken')
    expect(statSync(session).mode & 0o777).toBe(0o700)
  })

  it('of a living process is respected and names it; once that was killed, the next one has it', async () => {
    const holder = await other()
    expect(holder.said).toBe('taken')
    expect(takeSessionLock(folder)).toMatchObject({ type: 'held', holder: { pid: holder.child.pid, host: hostname() } })
    expect(liveHolder(folder)?.pid).toBe(holder.child.pid)
    holder.child.kill('SIGKILL')
    await once(holder.child, 'exit')
    expect(isLive(folder)).toBe(false)
    expect(takeSessionLock(folder).type).toBe('taken')
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it('is given back by a process that ends, whatever way it ends by itself', async () => {
    const { child: one } = await other('process.exitCode = 3; setTimeout(() => process.exit(), 1)')
    await once(one, 'exit')
    expect(readdirSync(folder)).toEqual([])
  })

  it('of a process whose pid another one has by now is stale', () => {
    // This very process, as if it had begun at another time.
    signed({ ...ownHolder(), pid: process.ppid, started: 'at another time' })
    expect(isLive(folder)).toBe(false)
    expect(takeSessionLock(folder).type).toBe('taken')
  })

  it('of a process that cannot be looked at is respected as long as it is kept fresh', () => {
    signed({ ...ownHolder(), host: 'elsewhere.example' })
    expect(takeSessionLock(folder)).toMatchObject({ type: 'held', holder: { host: 'elsewhere.example' } })
    signed({ ...ownHolder(), space: 'pid:[1]' })
    expect(isLive(folder)).toBe(true)
    backdate(join(folder, 'lock'), 10 * 60_000)
    expect(isLive(folder)).toBe(false)
    expect(takeSessionLock(folder).type).toBe('taken')
  })

  it('that nobody signed is not believed for long', () => {
    writeFileSync(join(folder, 'lock'), '')
    expect(takeSessionLock(folder)).toEqual({ type: 'held', holder: null })
    expect(isLive(folder)).toBe(false)
    backdate(join(folder, 'lock'), 60_000)
    expect(takeSessionLock(folder).type).toBe('taken')
  })

  it('that somebody took over is not taken away from them', () => {
    const mine = takeSessionLock(folder)
    signed({ ...ownHolder(), pid: process.ppid })
    if (mine.type === 'taken') mine.lock.release()
    expect(JSON.parse(readFileSync(join(folder, 'lock'), 'utf8'))).toMatchObject({ pid: process.ppid })
  })

  it('fails with a reason where nothing can be written', () => {
    writeFileSync(join(folder, 'file'), '')
    expect(takeSessionLock(join(folder, 'file'))).toMatchObject({
      type: 'failed',
      problem: expect.stringMatching(/EEXIST|ENOTDIR/),
    })
  })

  it('is had by exactly one of many that come at once, also where a dead one lies', async () => {
    signed({ ...ownHolder(), pid: 2 ** 22 + 1, started: 'long ago' })
    const code = `
      import { takeSessionLock } from ${JSON.stringify(here)}
      process.stdin.once('data', () => {
        process.stdout.write(takeSessionLock(${JSON.stringify(folder)}).type + '\\n')
        process.stdin.on('end', () => process.exit(0))
      })
      process.stdout.write('ready\\n')`
    const many = Array.from({ length: 6 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] }),
    )
    await Promise.all(many.map((one) => once(one.stdout, 'data')))
    const answers = many.map((one) => once(one.stdout, 'data'))
    for (const one of many) one.stdin.write('go\n')
    const said = (await Promise.all(answers)).map(([bytes]) => String(bytes).trim())
    expect(said.filter((word) => word === 'taken')).toHaveLength(1)
    expect(said.filter((word) => word === 'held')).toHaveLength(5)
    for (const one of many) one.stdin.end()
    await Promise.all(many.map((one) => once(one, 'exit')))
  })
})
