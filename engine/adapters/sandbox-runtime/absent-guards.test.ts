import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { instructionNames } from '../instructions/index.ts'
import { absentGuards } from './absent-guards.ts'

let root: string
let place: { cwd: string; home: string }
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-absent-')))
  place = { cwd: join(root, 'home/shop'), home: join(root, 'home') }
  mkdirSync(place.cwd, { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const all = ['.sluice', 'AGENTS.md', 'CLAUDE.md', '.mcp.json', '.claude', '.vscode', '.idea']

describe('names that are kept free', () => {
  it('are those that something would obey at once, and that are not there', () => {
    writeFileSync(join(place.cwd, 'AGENTS.md'), 'rules')
    mkdirSync(join(place.cwd, '.vscode'))
    writeFileSync(join(place.cwd, '.vscode/settings.json'), '{}')
    symlinkSync('nowhere', join(place.cwd, '.mcp.json'))
    mkdirSync(join(place.cwd, '.claude'))
    const shown = ['.sluice', 'CLAUDE.md', '.claude', '.idea']
    const unwritable = shown.map((name) => join(place.cwd, name))
    expect(absentGuards(place, 'linux')).toEqual({ unwritable, shown })
    expect(absentGuards(place, 'darwin')).toEqual({ unwritable, shown: [] })
  })

  it('have the instructions that sluice reads each turn among them', () => {
    expect(absentGuards(place, 'linux').shown).toEqual(expect.arrayContaining([...instructionNames]))
  })

  it.each(['home', ''])('are more where the home folder can be written (the workspace is /%s)', (folder) => {
    writeFileSync(join(place.home, '.bashrc'), '')
    const { shown, unwritable } = absentGuards({ cwd: join(root, folder), home: place.home }, 'linux')
    expect(shown).toEqual(all)
    const atHome = unwritable.filter((path) => !all.includes(path.slice(path.lastIndexOf('/') + 1)))
    expect(atHome).toEqual(
      '.bash_profile .bash_login .profile .zshrc .zshenv .zprofile .zlogin .gitconfig .ripgreprc .ssh .config'
        .split(' ')
        .map((name) => join(place.home, name)),
    )
  })
})
