import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asOrdinaryUser } from '../../fixtures/unprivileged.ts'
import { openAppender } from './append-line.ts'
import { createTeller } from './record-problem.ts'

let folder: string
let mounted: string | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-append-'))
})
afterEach(() => {
  if (mounted) execFileSync('umount', [mounted])
  mounted = undefined
  rmSync(folder, { recursive: true, force: true })
})

/** A small disk; undefined where none may be mounted. */
function smallDisk(): string | undefined {
  const at = join(folder, 'disk')
  mkdirSync(at)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', at], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  mounted = at
  return at
}

const read = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { n: number })

describe('an appender', () => {
  it('writes one whole line per record, whatever is in it', () => {
    const path = join(folder, 'a.jsonl')
    const file = openAppender(path)
    const records = [
      { text: 'two\nlines\u2028more' },
      { text: '\ud800 lone' },
      { text: '\0' },
      { text: 'ä'.repeat(2 ** 20) },
    ]
    for (const record of records) expect(file.append(record)).toBeUndefined()
    file.close()
    expect(read(path)).toEqual(records)
  })

  it.for([false, true])(
    'on a full disk keeps what is there, and writes what waited once there is room (shared: %s)',
    (shared, test) => {
      const disk = smallDisk()
      if (disk === undefined) return test.skip('mounting a small tmpfs is not permitted here')
      const path = join(disk, 'a.jsonl')
      const file = openAppender(path, { shared })
      const text = 'x'.repeat(3000)
      let n = 0
      let problem: string | undefined
      while (problem === undefined) problem = file.append({ n: n++, text })
      expect(problem).toMatch(/a\.jsonl could not be written: ENOSPC/)
      expect(file.append({ n: n++, text })).toBeDefined()
      expect(file.waiting).toBe(2)
      const before = readFileSync(path, 'utf8')
      // Whole lines only, unless others append too: then half a line must stay where it is.
      if (!shared) expect(before.endsWith('\n')).toBe(true)
      expect(
        before
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line).n),
      ).toEqual(Array.from({ length: n - 2 }, (_, i) => i))

      execFileSync('mount', ['-o', 'remount,size=1m', disk])
      expect(file.append({ n: n++ })).toBeUndefined()
      expect([file.waiting, file.lost]).toEqual([0, 0])
      file.close()
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
      const whole = lines.flatMap((line) => {
        try {
          return [JSON.parse(line).n as number]
        } catch {
          return []
        }
      })
      expect(whole).toEqual(Array.from({ length: n }, (_, i) => i))
      if (!shared) expect(lines).toHaveLength(n)
    },
  )

  it('gives up the oldest that wait when they become too many', () => {
    writeFileSync(join(folder, 'file'), '')
    const file = openAppender(join(folder, 'file', 'a.jsonl'))
    const text = 'x'.repeat(5_000_000)
    for (let n = 0; n < 8; n++) expect(file.append({ n, text })).toBeDefined()
    expect([file.waiting, file.lost]).toEqual([6, 2])
    unlinkSync(join(folder, 'file'))
    file.sync()
    file.close()
    expect(read(join(folder, 'file', 'a.jsonl')).map(({ n }) => n)).toEqual([2, 3, 4, 5, 6, 7])
  })

  it('in a folder that may not be written says so, and goes on once it may', async () => {
    const closed = join(folder, 'closed')
    mkdirSync(closed, { mode: 0o755 })
    await asOrdinaryUser(folder, async () => {
      chmodSync(closed, 0o555)
      const file = openAppender(join(closed, 'a.jsonl'))
      expect(file.append({ n: 1 })).toContain('EACCES')
      chmodSync(closed, 0o755)
      expect(file.append({ n: 2 })).toBeUndefined()
      file.close()
      expect(read(join(closed, 'a.jsonl'))).toEqual([{ n: 1 }, { n: 2 }])
      expect(statSync(join(closed, 'a.jsonl')).mode & 0o777).toBe(0o600)
    })
  })

  it('whose file is deleted while it is open writes it again, with all that was in it', async () => {
    const path = join(folder, 'session', 'a.jsonl')
    const said: string[] = []
    const file = openAppender(path)
    const append = createTeller(file, 'The transcript is', (text) => said.push(text))
    append({ n: 1 })
    append({ n: 2 })
    rmSync(join(folder, 'session'), { recursive: true })
    append({ n: 3 })
    append({ n: 4 })
    await Promise.resolve()
    file.close()
    expect(read(path)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect([file.unsaved(), said]).toEqual([
      null,
      ['The transcript is written anew: the file was deleted while the session was open. Nothing is missing.'],
    ])
  })

  it('whose deleted file cannot be made again keeps what was in it until it can', () => {
    const path = join(folder, 'session', 'a.jsonl')
    const file = openAppender(path)
    file.append({ n: 1 })
    rmSync(join(folder, 'session'), { recursive: true })
    writeFileSync(join(folder, 'session'), 'in the way')
    expect(file.append({ n: 2 })).toBeDefined()
    expect(file.unsaved()).toMatchObject({ records: 1, none: true })
    unlinkSync(join(folder, 'session'))
    file.close()
    expect(read(path)).toEqual([{ n: 1 }, { n: 2 }])
    expect(file.unsaved()).toBeNull()
  })

  it.each([
    ['from before the last records gets what it lacks', '{"n":1}\n', '{"n":1}\n{"n":2}\n{"n":3}\n'],
    ['with half a record at its end gets the rest of it', '{"n":1}\n{"n"', '{"n":1}\n{"n":2}\n{"n":3}\n'],
    ['that is whole is gone on with', '{"n":1}\n{"n":2}\n', '{"n":1}\n{"n":2}\n{"n":3}\n'],
    ['that is another file stays as it is', '{"m":1}\n', '{"m":1}\n{"n":3}\n'],
  ])('whose file was deleted and put back: a copy %s', (_, copy, whole) => {
    const path = join(folder, 'a.jsonl')
    const file = openAppender(path)
    file.append({ n: 1 })
    file.append({ n: 2 })
    unlinkSync(path)
    writeFileSync(path, copy)
    file.append({ n: 3 })
    file.close()
    expect(readFileSync(path, 'utf8')).toBe(whole)
  })

  it('says that its file was deleted before it is there again, so that nobody takes it in between', () => {
    const path = join(folder, 'session', 'a.jsonl')
    const there: boolean[][] = []
    const onDeleted = () => there.push([existsSync(join(folder, 'session')), existsSync(path)])
    const file = openAppender(path, { onDeleted })
    file.append({ n: 1 })
    rmSync(join(folder, 'session'), { recursive: true })
    file.append({ n: 2 })
    file.append({ n: 3 })
    file.close()
    expect(there).toEqual([[true, false]])
  })

  it('whose file others write too begins it anew when it was deleted', () => {
    const path = join(folder, 'a.jsonl')
    const file = openAppender(path, { shared: true })
    file.append({ n: 1 })
    unlinkSync(path)
    file.append({ n: 2 })
    file.close()
    expect(read(path)).toEqual([{ n: 2 }])
  })

  it('whose descriptor is no good any more, as when a disk came back, opens the file again', () => {
    const path = join(folder, 'a.jsonl')
    const file = openAppender(path)
    // The system gives the lowest number that is free.
    const next = openSync(folder, 'r')
    closeSync(next)
    file.append({ n: 1 })
    closeSync(next)
    expect(file.append({ n: 2 })).toBeDefined()
    expect(file.unsaved()).toMatchObject({ records: 1, none: false })
    expect(file.append({ n: 3 })).toBeUndefined()
    file.close()
    expect(read(path)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  it('leaves every byte that it finds, and begins on a line of its own', () => {
    const path = join(folder, 'a.jsonl')
    writeFileSync(path, '{"n":1}\n\0\0{"n":2,"te')
    const file = openAppender(path)
    file.append({ n: 3 })
    file.close()
    expect(readFileSync(path, 'utf8')).toBe('{"n":1}\n\0\0{"n":2,"te\n{"n":3}\n')
  })
})

describe('what a person hears of it', () => {
  it('comes once at the beginning and once at the end, and never in the middle of a write', async () => {
    writeFileSync(join(folder, 'file'), '')
    const said: string[] = []
    const file = openAppender(join(folder, 'file', 'a.jsonl'))
    const append = createTeller(file, 'The transcript is', (text) => {
      said.push(text)
      // A front end puts what it hears into the same records.
      append({ notice: text })
    })
    append({ n: 1 })
    append({ n: 2 })
    expect(said).toEqual([])
    await new Promise((resolve) => setImmediate(resolve))
    unlinkSync(join(folder, 'file'))
    append({ n: 3 })
    await new Promise((resolve) => setImmediate(resolve))
    file.close()
    expect(said).toEqual([
      expect.stringMatching(
        /^The transcript is not being saved: .*file\/a\.jsonl could not be written: .*The session goes on/,
      ),
      'The transcript is being saved again; nothing is missing.',
    ])
    expect(read(join(folder, 'file', 'a.jsonl')).map((record) => Object.keys(record)[0])).toEqual([
      'n',
      'n',
      'notice',
      'n',
      'notice',
    ])
  })
})
