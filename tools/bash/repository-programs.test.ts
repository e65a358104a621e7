import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { commandNeeds } from './needs.ts'
import { dangerousKeys, programKeys, withRepositoryPrograms } from './repository-programs.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-repository-')))
})

const config = (path: string, text: string) => {
  mkdirSync(join(folder, path), { recursive: true })
  writeFileSync(join(folder, path, 'config'), text)
}
const hazards = async (command: string) =>
  withRepositoryPrograms(await commandNeeds(command, folder), folder).flatMap((need) => need.hazards)
const external = '[diff]\n\texternal = ./x\n'
const said = "the repository's own configuration makes git run programs (diff.external)"

describe('git commands in a repository whose configuration names programs', () => {
  it('have a hazard; other commands and other repositories have none', async () => {
    config('.git', external)
    config('plain/.git', '[core]\n\tbare = false\n')
    expect(await hazards('git diff')).toEqual([said])
    expect(await hazards('/usr/bin/git status --short')).toEqual([said])
    expect(await hazards('true && git log | cat')).toEqual([said])
    expect(await hazards('echo git diff')).toEqual([])
    expect(await hazards('git -C plain status')).toEqual([])
  })

  it('are found from a folder below, by -C, and for worktrees', async () => {
    config('sub/.git', external)
    mkdirSync(join(folder, 'sub', 'deep'))
    expect(programKeys(join(folder, 'sub', 'deep'))).toEqual(['diff.external'])
    expect(await hazards('git -C sub -C deep diff')).toContain(said)
    config('main/.git', external)
    mkdirSync(join(folder, 'main', '.git', 'worktrees', 'w'), { recursive: true })
    writeFileSync(join(folder, 'main', '.git', 'worktrees', 'w', 'commondir'), '../..\n')
    mkdirSync(join(folder, 'w'))
    writeFileSync(join(folder, 'w', '.git'), `gitdir: ${join(folder, 'main', '.git', 'worktrees', 'w')}\n`)
    expect(programKeys(join(folder, 'w'))).toEqual(['diff.external'])
  })
})

describe('what names a program', () => {
  it.each([
    ['[diff "x"]\ncommand = ./x', 'diff.x.command'],
    ['[diff "x"] textconv = ./x', 'diff.x.textconv'],
    ['[DIFF]EXTERNAL=./x', 'diff.external'],
    ['[diff.Name]\nTextConv = y', 'diff.name.textconv'],
    ['[a] [diff] external = x', 'diff.external'],
    ['[filter "q"]\n\tclean = sh -c "touch x; cat"', 'filter.q.clean'],
    ['[filter "lfs"]\n\tsmudge = git-lfs smudge; touch x', 'filter.lfs.smudge'],
    ['[include]\npath = ../evil', 'include.path'],
    ['[includeIf "gitdir:/x"]\npath = ../evil', 'includeif.gitdir:/x.path'],
    ['[core]\nsshCommand = ./x', 'core.sshcommand'],
    ['[core]\nworktree = /etc', 'core.worktree'],
    ['[credential]\nhelper = "!touch x"', 'credential.helper'],
    ['[remote "o"]\nurl = ext::sh -c x', 'remote.o.url'],
    ['[gpg]\nprogram = ./x', 'gpg.program'],
    ['[core\nbroken', 'something that cannot be read'],
  ])('%j', (text, key) => {
    expect(dangerousKeys(text)).toContain(key)
  })

  it.each([
    '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\thooksPath = .husky/_\n\tfsmonitor = ./x\n',
    '[remote "origin"]\n\turl = git@example.org:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
    '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n[user]\n\tname = Ada\n',
    '[filter "lfs"]\n\tprocess = git-lfs filter-process\n\tclean = git-lfs clean -- %f\n\trequired = true\n',
    '# [diff]\n; external = x\n[credential]\n\thelper = store\n[alias]\n\tst = status\n',
    '[diff]\n\ttool = vimdiff\n\tcolorMoved = zebra\n',
  ])('not %j', (text) => {
    expect(dangerousKeys(text)).toEqual([])
  })

  it('is seen wherever git itself sees it', () => {
    const piece = fc.constantFrom(
      '[diff]',
      '[ diff ]',
      '[diff "a b"]',
      '[diff "a\\"b"]',
      '[diff.x]',
      '[core]',
      '[filter "q"]',
      'external',
      'command',
      'textconv',
      'clean',
      ' = ',
      '=',
      './x',
      '"y z"',
      ' ',
      '\t',
      '\n',
      '\n',
      '\n',
      '\\\n',
      '\r\n',
      '# c\n',
      '; c\n',
      '\\',
      '"',
      'a-1',
    )
    const file = join(folder, 'random')
    fc.assert(
      fc.property(fc.array(piece, { minLength: 2, maxLength: 14 }), (pieces) => {
        const text = pieces.join('')
        writeFileSync(file, text)
        let listed: string
        try {
          listed = execFileSync('git', ['config', '--list', '--name-only', '-z', '--file', file], {
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'ignore'],
          })
        } catch {
          return
        }
        const runs = listed
          .split('\0')
          .filter((key) => /^(diff\.external|diff\..+\.(command|textconv)|filter\..+\.clean)$/s.test(key))
        if (runs.length > 0) expect(dangerousKeys(text), JSON.stringify(text)).not.toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})
