import { execFileSync } from 'node:child_process'
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ToolFailure } from '@sluice/engine/ports'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ToolTestContext, toolContext } from '../../fixtures/tool-context.ts'
import { asOrdinaryUser } from '../../fixtures/unprivileged.ts'
import { atomicWrite } from './atomic-write.ts'
import { sha256 } from './file-version.ts'

let world: ToolTestContext
beforeEach(async () => {
  world = await toolContext()
})
afterEach(() => world.cleanup())

const at = (name: string) => join(world.cwd, name)
const bytes = (text: string) => Buffer.from(text)
const put = (name: string, old: string | null, fresh: string) =>
  atomicWrite(at(name), bytes(fresh), { expectedHash: old === null ? null : sha256(old), shown: name })
const failure = (promise: Promise<unknown>): Promise<ToolFailure> =>
  promise.then(
    () => {
      throw new Error('It did not fail.')
    },
    (error) => {
      if (error instanceof ToolFailure) return error
      throw error
    },
  )
const leftovers = async (folder: string) => (await readdir(folder)).filter((name) => name.startsWith('.sluice-'))

describe('an atomic write', () => {
  it('replaces the file by a new one and leaves nothing else behind', async () => {
    await writeFile(at('f'), 'old')
    const before = await stat(at('f'))
    expect(await put('f', 'old', 'new')).toEqual({ how: 'replace', path: at('f'), mode: before.mode & 0o7777 })
    expect(await readFile(at('f'), 'utf8')).toBe('new')
    expect((await stat(at('f'))).ino).not.toBe(before.ino)
    expect(await readdir(world.cwd)).toEqual(['f'])
  })

  it('creates a file with its folders', async () => {
    expect(await put('a/b/f', null, 'new')).toMatchObject({ how: 'create', path: at('a/b/f') })
    expect(await readFile(at('a/b/f'), 'utf8')).toBe('new')
    expect(await readdir(at('a/b'))).toEqual(['f'])
  })

  it('writes an empty file, and megabytes', async () => {
    await put('f', null, '')
    const big = 'x'.repeat(3_000_000)
    await put('f', '', big)
    expect(await readFile(at('f'), 'utf8')).toBe(big)
  })

  it.each([0o600, 0o640, 0o755, 0o666, 0o4755])('keeps mode %o', async (mode) => {
    await writeFile(at('f'), 'old')
    await chmod(at('f'), mode)
    expect((await put('f', 'old', 'new')).mode).toBe(mode)
    expect((await stat(at('f'))).mode & 0o7777).toBe(mode)
  })

  it.skipIf(process.getuid?.() !== 0)('keeps the owner (only root may give files away)', async () => {
    await writeFile(at('f'), 'old')
    await chown(at('f'), 65534, 65534)
    await put('f', 'old', 'new')
    expect(await stat(at('f'))).toMatchObject({ uid: 65534, gid: 65534 })
  })

  it('writes the target of a symbolic link, also of a dangling one', async () => {
    await writeFile(at('real'), 'old')
    await symlink('real', at('link'))
    await symlink('sub/gone', at('dangling'))
    await put('link', 'old', 'new')
    await put('dangling', null, 'fresh')
    expect([await readlink(at('link')), await readlink(at('dangling'))]).toEqual(['real', 'sub/gone'])
    expect(await readFile(at('real'), 'utf8')).toBe('new')
    expect(await readFile(at('sub/gone'), 'utf8')).toBe('fresh')
  })

  it('keeps hard links by writing in place', async () => {
    await writeFile(at('f'), 'old and longer')
    await link(at('f'), at('g'))
    await mkdir(at('tmp'))
    const before = process.env.TMPDIR
    process.env.TMPDIR = at('tmp')
    const written = await put('f', 'old and longer', 'new')
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    expect(written).toMatchObject({ how: 'in-place' })
    expect(await readFile(at('g'), 'utf8')).toBe('new')
    expect((await lstat(at('f'))).nlink).toBe(2)
    expect(await readdir(at('tmp'))).toEqual([])
  })

  it('writes in place where the folder takes no new files', async () => {
    await mkdir(at('d'))
    await writeFile(at('d/f'), 'old')
    await chmod(at('d'), 0o555)
    const result = await asOrdinaryUser(dirname(world.cwd), () => put('d/f', 'old', 'new'))
    await chmod(at('d'), 0o755)
    expect(result).toMatchObject({ how: 'in-place' })
    expect(await readFile(at('d/f'), 'utf8')).toBe('new')
  })
})

describe('an atomic write is refused and leaves the file', () => {
  it.each<[string, string | null, string | null, string]>([
    ['when it changed', 'other', 'old', 'f has changed on disk since it was read'],
    ['when it is gone', null, 'old', 'f has been deleted since it was read'],
    ['when it appeared', 'other', null, 'f has been created by someone else'],
  ])('%s', async (_, onDisk, expected, message) => {
    if (onDisk !== null) await writeFile(at('f'), onDisk)
    const error = await failure(put('f', expected, 'new'))
    expect(error.message).toContain(message)
    expect(error.metadata).toMatchObject({ stale: true })
    expect(await readdir(world.cwd)).toEqual(onDisk === null ? [] : ['f'])
    if (onDisk !== null) expect(await readFile(at('f'), 'utf8')).toBe(onDisk)
  })

  it('when it changes while it is written, in either way of writing', async () => {
    await writeFile(at('f'), 'old')
    let calls = 0
    // The version is hashed a first time at the start; someone else writes right after that.
    const digest = {
      sha256: (data: Uint8Array) => {
        const hash = sha256(data)
        if (calls++ === 0) execFileSync('sh', ['-c', 'printf user > f'], { cwd: world.cwd })
        return hash
      },
    }
    const options = { expectedHash: sha256('old'), digest, shown: 'f' }
    expect((await failure(atomicWrite(at('f'), bytes('new'), options))).metadata).toMatchObject({ stale: true })
    expect(await readFile(at('f'), 'utf8')).toBe('user')
    await writeFile(at('f'), 'old')
    await link(at('f'), at('g'))
    calls = 0
    expect((await failure(atomicWrite(at('f'), bytes('new'), options))).metadata).toMatchObject({ stale: true })
    expect(await readFile(at('f'), 'utf8')).toBe('user')
    expect(await leftovers(world.cwd)).toEqual([])
  })

  it.each<[string, (path: string) => unknown, string]>([
    ['a folder', (path) => mkdir(path), 'f is a folder, not a file'],
    ['a pipe', (path) => execFileSync('mkfifo', [path]), 'f is a named pipe, not a file'],
  ])('when it is %s', async (_, make, message) => {
    await make(at('f'))
    expect((await failure(put('f', 'old', 'new'))).message).toContain(message)
  })

  it('when a folder of its path is a file', async () => {
    await writeFile(at('f'), 'old')
    expect((await failure(put('f/g', null, 'new'))).message).toContain('a part of the path is a file')
  })

  it('when it is write-protected', async () => {
    await writeFile(at('f'), 'old')
    await chmod(at('f'), 0o444)
    const error = await asOrdinaryUser(dirname(world.cwd), () => failure(put('f', 'old', 'new')))
    expect(error.message).toBe(
      'Cannot write f: permission denied by the file system. Ask the user to change the permissions, or use another file.',
    )
    expect(await readFile(at('f'), 'utf8')).toBe('old')
  })

  it('when a new file is not allowed in its folder', async () => {
    await mkdir(at('d'))
    await chmod(at('d'), 0o555)
    const error = await asOrdinaryUser(dirname(world.cwd), () => failure(put('d/f', null, 'new')))
    await chmod(at('d'), 0o755)
    expect(error.message).toContain('permission denied')
    expect(await readdir(at('d'))).toEqual([])
  })
})

describe('on a file system of its own', () => {
  let mounted = ''
  const mount = async (options: string): Promise<boolean> => {
    await mkdir(at('mnt'))
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'none', at('mnt')], { stdio: 'ignore' })
      mounted = at('mnt')
      return true
    } catch {
      return false
    }
  }
  afterEach(() => {
    if (mounted !== '') execFileSync('umount', [mounted])
    mounted = ''
  })

  it('a full disk keeps the old content', async (test) => {
    if (!(await mount('size=256k'))) test.skip('mounting a small tmpfs is not permitted here')
    const old = 'o'.repeat(100_000)
    await writeFile(at('mnt/f'), old)
    const error = await failure(put('mnt/f', old, 'n'.repeat(1_000_000)))
    expect(error.message).toBe(
      'Cannot write mnt/f: no space left on the device. Nothing was changed; free some space first.',
    )
    expect(await readFile(at('mnt/f'), 'utf8')).toBe(old)
    expect(await readdir(at('mnt'))).toEqual(['f'])
  })

  it('a disk that fills up while writing in place gets the old content back', async (test) => {
    if (!(await mount('size=256k'))) test.skip('mounting a small tmpfs is not permitted here')
    const old = 'o'.repeat(100_000)
    await writeFile(at('mnt/f'), old)
    await link(at('mnt/f'), at('mnt/g'))
    expect((await failure(put('mnt/f', old, 'n'.repeat(1_000_000)))).message).toContain('no space left on the device')
    expect(await readFile(at('mnt/g'), 'utf8')).toBe(old)
  })

  it('a read-only file system says so', async (test) => {
    if (!(await mount('size=256k'))) test.skip('mounting a small tmpfs is not permitted here')
    await writeFile(at('mnt/f'), 'old')
    execFileSync('mount', ['-o', 'remount,ro', at('mnt')])
    const messages = [await failure(put('mnt/f', 'old', 'new')), await failure(put('mnt/n', null, 'new'))]
    expect(messages.map((error) => error.message)).toEqual([
      'Cannot write mnt/f: the file system is mounted read-only. Write somewhere else.',
      'Cannot write mnt/n: the file system is mounted read-only. Write somewhere else.',
    ])
    expect(await readFile(at('mnt/f'), 'utf8')).toBe('old')
  })

  it('a file that is a mount of its own is written in place', async (test) => {
    await writeFile(at('f'), 'old')
    await writeFile(at('shadow'), 'old')
    try {
      execFileSync('mount', ['--bind', at('shadow'), at('f')], { stdio: 'ignore' })
    } catch {
      test.skip('bind mounts are not permitted here')
    }
    mounted = at('f')
    expect(await put('f', 'old', 'new')).toMatchObject({ how: 'in-place' })
    expect(await readFile(at('shadow'), 'utf8')).toBe('new')
    expect(await leftovers(world.cwd)).toEqual([])
  })
})
