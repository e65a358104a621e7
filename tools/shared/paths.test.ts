import { link, mkdir, realpath, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ToolTestContext, toolContext } from '../../fixtures/tool-context.ts'
import { asOrdinaryUser } from '../../fixtures/unprivileged.ts'
import { expectSamePlace, isInside, pathNeed, resolvePath } from './paths.ts'

let world: ToolTestContext
let cwd: string
beforeEach(async () => {
  world = await toolContext({ files: { 'src/a.ts': 'a' } })
  cwd = world.cwd
})
afterEach(() => world.cleanup())

const inside = (name: string, exists = true) => ({ path: join(cwd, name), name, shown: name, inside: true, exists })
const outside = (path: string, exists = true) => ({ path, name: path, shown: path, inside: false, exists })

describe('a path is resolved', () => {
  it.each(['src/a.ts', './src/a.ts', 'src//a.ts', 'src/../src/a.ts'])('from the workspace: %s', async (given) => {
    expect(await resolvePath(given, cwd)).toEqual(inside('src/a.ts'))
  })

  it('from an absolute path', async () => {
    expect(await resolvePath(join(cwd, 'src/a.ts'), cwd)).toEqual(inside('src/a.ts'))
    expect(await resolvePath('/', cwd)).toEqual(outside('/'))
  })

  it('to the workspace itself', async () => {
    expect(await resolvePath('.', cwd)).toEqual({ path: cwd, name: '.', shown: '.', inside: true, exists: true })
  })

  it('where nothing is yet', async () => {
    expect(await resolvePath('src/new/deep/b.ts', cwd)).toEqual(inside('src/new/deep/b.ts', false))
  })

  it('above the workspace, and to a sibling whose name begins alike', async () => {
    await mkdir(`${cwd}_evil`)
    expect(await resolvePath('../workspace_evil', cwd)).toEqual(outside(`${cwd}_evil`))
    expect(await resolvePath('..', cwd)).toEqual(outside(dirname(cwd)))
  })

  it('in the home folder', async () => {
    const home = await realpath(homedir())
    const name = 'sluice-test-does-not-exist/x'
    expect(await resolvePath(`~/${name}`, cwd)).toEqual({
      path: join(home, name),
      name: join(home, name),
      shown: `~/${name}`,
      inside: false,
      exists: false,
    })
    expect((await resolvePath('~', cwd)).shown).toBe('~')
    expect((await resolvePath('~x', cwd)).name).toBe('~x')
  })

  it('through symbolic links to their target', async () => {
    await symlink('src', join(cwd, 'linked'))
    expect(await resolvePath('linked/a.ts', cwd)).toEqual(inside('src/a.ts'))
    expect(await resolvePath('linked/new.ts', cwd)).toEqual(inside('src/new.ts', false))
  })

  it('through links that leave the workspace, also where nothing is yet', async () => {
    const elsewhere = join(dirname(cwd), 'elsewhere')
    await mkdir(elsewhere)
    await symlink(elsewhere, join(cwd, 'out'))
    expect(await resolvePath('out/new/x', cwd)).toEqual(outside(join(elsewhere, 'new/x'), false))
  })

  it('through dangling links, one after the other, relative to where they really lie', async () => {
    await mkdir(join(cwd, 'deep'))
    await symlink('../gone/x', join(cwd, 'deep/one'))
    await symlink('deep', join(cwd, 'alias'))
    await symlink('alias/one', join(cwd, 'two'))
    expect(await resolvePath('two', cwd)).toEqual(inside('gone/x', false))
    await symlink('/nowhere/at/all', join(cwd, 'three'))
    expect(await resolvePath('three', cwd)).toEqual(outside('/nowhere/at/all', false))
  })

  it('and keeps names that differ in case only, where the file system does', async () => {
    await writeFile(join(cwd, 'Name'), '')
    const other = await resolvePath('NAME', cwd)
    // One of two file systems: the name on disk, or a second file that does not exist.
    expect([inside('Name'), inside('NAME', false)]).toContainEqual(other)
    if (!other.exists) {
      await link(join(cwd, 'Name'), join(cwd, 'NAME'))
      expect(await resolvePath('NAME', cwd)).toEqual(inside('NAME'))
      expect(await resolvePath('Name', cwd)).toEqual(inside('Name'))
    }
  })
})

describe('a path is refused', () => {
  it.each<[string, string, string]>([
    ['empty', '', '`path` is empty'],
    ['with a NUL byte', 'a\0b', 'NUL byte'],
    ['as an address', 'file:///etc/passwd', 'not a file:// address'],
    ['too long', 'a/'.repeat(3000), 'longer than 4096 bytes'],
    ['with a name too long', `src/${'n'.repeat(300)}`, 'a name longer than 255 bytes'],
    ['with half a character', 'a\ud800', 'not well-formed'],
    ['below a file', 'src/a.ts/b', 'a part of the path is a file'],
  ])('%s', async (_, given, message) => {
    await expect(resolvePath(given, cwd)).rejects.toThrow(message)
  })

  it('when its links go round in a circle', async () => {
    await symlink('b', join(cwd, 'a'))
    await symlink('a', join(cwd, 'b'))
    await expect(resolvePath('a', cwd)).rejects.toThrow('go round in a circle')
    await expect(resolvePath('a/x', cwd)).rejects.toThrow('go round in a circle')
  })

  it('when a dangling link becomes longer and longer', async () => {
    await symlink('grow/x', join(cwd, 'grow'))
    await expect(resolvePath('grow', cwd)).rejects.toThrow(/circle|Too many symbolic links|too long/)
  })

  it('when a folder on the way may not be searched', async () => {
    await mkdir(join(cwd, 'locked/in'), { recursive: true })
    await asOrdinaryUser(dirname(cwd), async () => {
      const { chmod } = await import('node:fs/promises')
      await chmod(join(cwd, 'locked'), 0o000)
      await expect(resolvePath('locked/in/x', cwd)).rejects.toThrow('permission denied by the file system')
      await chmod(join(cwd, 'locked'), 0o755)
    })
  })
})

it('notices that a permitted path leads elsewhere by now', async () => {
  const at = await resolvePath('later/x', cwd)
  await expectSamePlace(at)
  await symlink('src', join(cwd, 'later'))
  await expect(expectSamePlace(at)).rejects.toThrow(
    `later/x now leads to ${join(cwd, 'src/x')}, which is not what was permitted`,
  )
})

it('states its need', async () => {
  expect(pathNeed(await resolvePath('src/a.ts', cwd), 'write')).toEqual({
    type: 'path',
    access: 'write',
    path: join(cwd, 'src/a.ts'),
    shown: 'src/a.ts',
    inside: true,
  })
})

it.each<[string, string, boolean]>([
  ['/tmp/proj', '/tmp/proj', true],
  ['/tmp/proj/a', '/tmp/proj', true],
  ['/tmp/proj_evil', '/tmp/proj', false],
  ['/tmp', '/tmp/proj', false],
  ['/x', '/', true],
])('%s inside %s is %s', (path, root, expected) => {
  expect(isInside(path, root)).toBe(expected)
})
