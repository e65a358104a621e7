import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox, installCommand, locateProgram, neededPrograms, unsupported } from './index.ts'

let root: string
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-needs-')))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A folder with executables of these names. */
function programs(folder: string, ...names: string[]): string {
  const path = join(root, folder)
  mkdirSync(path, { recursive: true })
  for (const name of names) {
    writeFileSync(join(path, name), '#!/bin/sh\n')
    chmodSync(join(path, name), 0o755)
  }
  return path
}

describe('a program that the sandbox needs', () => {
  it('is the first executable of its name', () => {
    const [empty, first, second] = [programs('empty'), programs('first', 'socat'), programs('second', 'socat')]
    const path = ['relative/folder', empty, first, second].join(delimiter)
    expect(locateProgram('socat', path, [])).toBe(join(first, 'socat'))
    expect(locateProgram('bwrap', path, [])).toBeUndefined()
    expect(locateProgram('socat', undefined, [])).toBeUndefined()
  })

  it('is never one that a sandboxed command may have written, directly or behind a link', () => {
    const workspace = programs('workspace/bin', 'socat')
    const linked = programs('linked')
    symlinkSync(join(workspace, 'socat'), join(linked, 'socat'))
    const system = programs('system', 'socat')
    const path = [workspace, linked, system].join(delimiter)
    expect(locateProgram('socat', path, [join(root, 'workspace')])).toBe(join(system, 'socat'))
  })

  it.each([
    ['apt-get', 'sudo apt-get install -y bubblewrap socat ripgrep'],
    ['dnf', 'sudo dnf install -y bubblewrap socat ripgrep'],
    ['pacman', 'sudo pacman -S --needed bubblewrap socat ripgrep'],
    ['brew', 'brew install bubblewrap socat ripgrep'],
  ])('is installed by %s where that is found', (manager, command) => {
    expect(installCommand(['bwrap', 'socat', 'rg'], programs(`with-${manager}`, manager), false)).toBe(command)
  })

  it('is installed without sudo by root', () => {
    expect(installCommand(['bwrap'], programs('with-apt-get', 'apt-get'), true)).toBe('apt-get install -y bubblewrap')
  })

  it('is named for every likely package manager where none is known', () => {
    expect(installCommand(['socat'], programs('none'), false, 'linux')).toBe(
      'apt-get install -y socat, or dnf install -y socat, or pacman -S --needed socat',
    )
    expect(installCommand(['git'], programs('none'), false, 'darwin')).toBe('brew install git')
  })
})

describe('a machine without what it needs', () => {
  const options = (path: string) => ({
    required: false,
    place: { cwd: join(root, 'workspace'), home: root },
    readable: [],
    ripgrep: async () => undefined,
    env: { PATH: path },
  })

  it.skipIf(unsupported(process.platform) !== null)(
    'says what is missing and how to get it, before and after the start',
    async () => {
      const sandbox = createSandbox(options(programs('with-apt-get', 'apt-get')))
      const state = sandbox.state()
      expect(state).toEqual({
        on: false,
        reason:
          process.platform === 'darwin'
            ? 'sandbox-exec is not installed'
            : 'bubblewrap (bwrap) and socat are not installed',
        fix: expect.stringMatching(/^Install (it|them): .*apt-get install -y /),
      })
      expect(await sandbox.start()).toEqual(state)
      await sandbox.close()
    },
  )

  it('without a search program does not start, since it could not tell what to guard', async () => {
    const path = programs('all-but-rg', ...neededPrograms('linux'), ...neededPrograms('darwin'), 'dnf')
    const sandbox = createSandbox(options(path))
    expect(await sandbox.start()).toMatchObject({
      on: false,
      reason: 'ripgrep (rg) is not installed',
      fix: expect.stringMatching(/^Install it: .*dnf install -y ripgrep$/),
    })
    await expect(
      sandbox.wrap({
        argv: ['/bin/sh', '-c', 'true'],
        cwd: join(root, 'workspace'),
        signal: new AbortController().signal,
        askHost: async () => ({ allow: false, reason: '' }),
      }),
    ).rejects.toThrow('The sandbox was not started')
    await sandbox.close()
  })

  it('is told that other systems have none', () => {
    expect(unsupported('win32')).toEqual({
      reason: 'there is no sandbox for this system (win32)',
      fix: 'Run sluice inside WSL 2.',
    })
    expect([unsupported('linux'), unsupported('darwin')]).toEqual([null, null])
  })
})
