import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PermissionNeed } from '@sluice/engine/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  everything,
  removeCheckpointFolders,
  undoEffects as undo,
  checkpointWorld as world,
} from '../../../fixtures/checkpoint-world.ts'
import { systemClock } from '../system/index.ts'
import { findGit, gitFolders } from './git.ts'
import { mostLoose } from './loose.ts'

vi.setConfig({ testTimeout: 120_000 })
afterEach(removeCheckpointFolders)

const command = (...argv: string[]): PermissionNeed => ({
  ...{ type: 'command', argv, plain: true, hazards: [], writes: [], text: argv.join(' ') },
})

describe('what a command did that a rewind cannot undo is said', () => {
  const one = (line: string, prepare: (at: ReturnType<typeof world>) => void) => async () => {
    const at = world()
    prepare(at)
    await at.call(() => at.sh(line))
    return { at, gaps: (await at.checkpoints.effects()).flatMap(({ gaps }) => gaps) }
  }

  it.each([
    [
      'ignored files that it deleted',
      'rm x.log; rm -rf ignored',
      '3 ignored files were deleted (x.log, ignored/a, ignored/deep/b)',
    ],
    ['ignored files that it changed', 'echo more >> x.log', '1 ignored file was changed (x.log)'],
    [
      'ignored files of all kinds',
      'echo >> x.log; echo > y.log; rm ignored/a',
      '3 ignored files were made, changed or deleted (ignored/a, x.log, y.log)',
    ],
    ['a folder of a tool', 'rm -r node_modules', '1 ignored file was deleted (node_modules/)'],
    ['a large file that it deleted', 'rm big', '1 file over 5 MB or not readable was deleted (big)'],
    ['a large file that it changed', 'printf x >> big', '1 file over 5 MB or not readable was changed (big)'],
    ['a repository inside', 'rm sub/in', '1 file in a repository of its own was deleted (sub/in)'],
  ])('%s', async (_, line, gap) => {
    const { gaps, at } = await one(line, ({ put, sh }) => {
      put('.gitignore', '*.log\nignored/\n')
      put('x.log', 'x\n')
      put('ignored/a', 'a\n')
      put('ignored/deep/b', 'b\n')
      put('node_modules/m/index.js', 'm\n')
      put('big', new Uint8Array(6_000_000))
      sh('git init -q sub; echo in > sub/in')
    })()
    expect(gaps).toEqual([gap])
    expect(at.problems).toEqual(
      line.includes('rm') ? [expect.stringMatching(/^A rewind cannot bring this back: /)] : [],
    )
  })

  it('nothing is said of what stayed as it was', async () => {
    const { gaps } = await one('echo x > x', ({ put, sh }) => {
      put('.gitignore', '*.log\n')
      put('x.log', 'x\n')
      put('big', new Uint8Array(6_000_000))
      sh('git init -q; git init -q sub; echo in > sub/in')
    })()
    expect(gaps).toEqual([])
  })

  it('that there are too many ignored files to compare', async () => {
    const { gaps } = await one('rm ignored/0', ({ put }) => {
      put('.gitignore', 'ignored/\n')
      for (let n = 0; n <= mostLoose; n++) put(`ignored/${n}`, '')
    })()
    expect(gaps.at(-1)).toBe('what changed among ignored files: there are too many to compare')
  })

  it('a file that grew over the limit is no loss: its earlier content is kept', async () => {
    const { at, gaps } = await one('head -c 6000000 /dev/zero >> grows', ({ put }) => put('grows', 'small\n'))()
    expect(gaps).toEqual([])
    expect(await undo(at, new Set(['t1']))).toEqual([])
    expect(readFileSync(at.at('grows'), 'utf8')).toBe('small\n')
  })

  it.each([
    [
      'a commit',
      'git commit -qam two',
      /^HEAD moved from main \(\w{7}\) to main \(\w{7}\); a rewind does not move it back$/,
    ],
    ['another branch', 'git checkout -q topic', /^HEAD moved from main \(\w{7}\) to topic \(\w{7}\); a rewind/],
    ['a detached HEAD', 'git checkout -q --detach', /^HEAD moved from main \(\w{7}\) to \w{7}; a rewind/],
    ['a tag', 'git tag v1', /^branches or tags of git changed \(tags\/v1\); a rewind does not change them back$/],
    ['a deleted branch', 'git branch -D packed', /^branches or tags of git changed \(packed\)/],
    ['a commit in a folder above', 'git -C .. commit -qam two', /^HEAD moved from main/],
  ])('%s', async (what, line, expected) => {
    const at = world()
    const top = what.endsWith('above') ? at.root : at.workspace
    const git = (text: string) => execFileSync('/bin/bash', ['-c', text], { cwd: top, stdio: 'pipe' })
    at.put('a', '1\n')
    writeFileSync(join(top, '.gitignore'), 'state\n')
    git('git init -q -b main; git config user.email a@b; git config user.name a; git add .; git commit -qm one')
    git('git branch topic; git branch packed; git pack-refs --all')
    at.put('a', '2\n')
    await at.call(() => at.sh(line))
    const [effects] = await at.checkpoints.effects()
    expect(effects?.gaps).toEqual([expect.stringMatching(expected)])
    expect(at.problems).toEqual([`${effects?.gaps[0]}.`])
  })
})

describe('outside the folder', () => {
  const named = async (line: string, ...needs: PermissionNeed[]) => {
    const at = world()
    writeFileSync(join(at.root, 'top.txt'), 'top\n')
    mkdirSync(join(at.root, 'lib'))
    await at.call(() => at.sh(line), null, 't1', { needs })
    return { at, top: join(at.root, 'top.txt'), effects: await at.checkpoints.effects() }
  }

  it.each([
    ['a redirection', 'echo 2 > ../top.txt', { ...command('echo', '2'), writes: ['../top.txt'] } as PermissionNeed],
    ['a deletion', 'rm ../top.txt', command('rm', '../top.txt')],
    ['an edit in place', 'sed -i s/top/2/ ../top.txt', command('sed', '-i', 's/top/2/', '../top.txt')],
  ])('%s of a file that the command names can be undone', async (_, line, need) => {
    const { at, top, effects } = await named(line, need)
    expect(effects.map(({ files, gaps }) => [files.map(({ path }) => path), gaps])).toEqual([[[top], []]])
    expect((effects[0]?.files[0]?.additions ?? 0) + (effects[0]?.files[0]?.deletions ?? 0)).toBeGreaterThan(0)
    expect(await undo(at, new Set(['t1']))).toEqual([])
    expect(readFileSync(top, 'utf8')).toBe('top\n')
  })

  it('behind a cd, words are read from there', async () => {
    const { top, effects } = await named('cd .. && rm top.txt', command('cd', '..'), command('rm', 'top.txt'))
    expect(effects[0]?.files.map(({ path }) => path)).toEqual([top])
  })

  it('what other programs were given is not copied, and a change of it is said', async () => {
    const { at, top, effects } = await named('cat ../top.txt; echo 2 > ../top.txt', command('program', '../top.txt'))
    expect(effects.map(({ files, gaps }) => [files, gaps])).toEqual([
      [[], [`what it changed outside the folder (${top})`]],
    ])
    expect(existsSync(join(at.folder, 'contents'))).toBe(false)
  })

  it('what is only read is not copied', async () => {
    const reads = [
      command('cp', '../top.txt', 'copy'),
      command('sed', '-n', 'p', '../top.txt'),
      command('cat', '../top.txt'),
    ]
    const { at, effects } = await named('cp ../top.txt copy; sed -n p ../top.txt', ...reads)
    expect(effects.map(({ files, gaps }) => [files.map(({ path }) => path), gaps])).toEqual([[[at.at('copy')], []]])
  })

  it.each([
    ['a program that may do anything', command('make'), true],
    ['one that reads', command('ls', '-la'), false],
    ['git that reads', command('git', 'log'), false],
    ['git that writes', command('git', 'checkout', '.'), true],
  ])('%s, started there', async (_, need, told) => {
    const { at, effects } = await named('true', command('cd', '..'), need)
    const gaps = told ? [[`what it did outside the folder, in ${at.root}`]] : []
    expect(effects.map((one) => one.gaps)).toEqual(gaps)
  })

  it('a folder is not copied, and that it changed is said', async () => {
    const { at, effects } = await named('touch ../lib/x', command('touch', '../lib/x'), command('rm', '-r', '../lib'))
    expect(effects[0]?.gaps).toEqual([`what it changed outside the folder (${join(at.root, 'lib')})`])
  })

  it('a command that names nothing there leaves no trace', async () => {
    const { effects } = await named('true', command('ls', '..', '/etc', '-la'))
    expect(effects).toEqual([])
  })
})

describe('folders', () => {
  it.each([
    ['a folder that was moved', 'mv src srcmoved'],
    ['a moved folder with an empty one in it', 'mkdir src/empty/more; mv src a; mv a b'],
    ['empty folders that were made', 'mkdir -p x/y/z; echo n > x/n; rm x/n; echo 2 > src/f'],
    ['an empty folder that was removed', 'rmdir src/empty; echo 2 > src/f'],
    ['a file that became a folder', 'rm nonl.txt; mkdir nonl.txt; echo z > nonl.txt/z'],
    ['a file that an older folder took the place of', 'rm nonl.txt; mv src nonl.txt'],
    ['a folder that became a file', 'rm -r src; echo now > src'],
    ['a folder that became a link', 'mv src other; ln -s other src'],
  ])('%s: going back and forth gives what was there, empty folders and all', async (_, line) => {
    const at = world()
    at.put('src/f', 'f\n')
    at.put('src/deep/g', 'g\n')
    at.put('nonl.txt', 'no newline')
    mkdirSync(at.at('src/empty'))
    const before = everything(at.workspace)
    await at.call(() => at.sh(line))
    await at.checkpoints.effects()
    const after = everything(at.workspace)
    expect(await undo(at, new Set(['t1']), 'r1')).toEqual([])
    expect(everything(at.workspace)).toEqual(before)
    expect(await undo(at, new Set(['r1']), 'r2')).toEqual([])
    expect(everything(at.workspace)).toEqual(after)
    expect(await undo(at, new Set(['r2']))).toEqual([])
    expect(everything(at.workspace)).toEqual(before)
  })

  it('one in which somebody put a file since stays', async () => {
    const at = world()
    await at.call(() => at.sh('mkdir -p made/deep; echo x > made/deep/x'))
    await at.checkpoints.effects()
    at.put('made/mine', 'm\n')
    expect(await undo(at, new Set(['t1']))).toEqual([])
    expect(everything(at.workspace)).toEqual({ 'made/': 'folder', 'made/mine': '644 6d0a' })
  })
})

describe('what would be refused is known before it is tried', () => {
  const absent = { kind: 'absent' } as const
  const folder = { kind: 'other', what: 'a folder' } as const

  it('a folder that became a link, a file in the place of a folder, a folder with other files in the place of a file', async () => {
    const at = world()
    at.put('file', 'f\n')
    at.put('full/mine', 'm\n')
    at.put('mine/x', 'x\n')
    symlinkSync('full', at.at('link'))
    const to = await at.checkpoints.look(at.at('file'), true)
    const plans = [
      { path: at.at('link/x'), now: absent, to },
      { path: at.at('file/deep/x'), now: absent, to },
      { path: at.at('full'), now: folder, to },
      { path: at.at('mine'), now: folder, to },
      { path: at.at('mine/x'), now: to, to: absent },
      { path: at.at('new/x'), now: absent, to },
    ]
    expect(await at.checkpoints.obstacles(plans)).toEqual(
      new Map([
        [at.at('link/x'), 'its folder leads somewhere else now'],
        [at.at('file/deep/x'), 'a file stands where its folder was'],
        [at.at('full'), 'a folder with other files stands there now'],
      ]),
    )
    const going = [...plans, { path: at.at('link'), now: { kind: 'link', target: 'full' } as const, to: absent }]
    expect([...(await at.checkpoints.obstacles(going)).keys()]).not.toContain(at.at('link/x'))
  })
})

describe('lines', () => {
  it('of hundreds of files are counted, and where they are not that is known', async () => {
    const at = world()
    for (let n = 0; n < 507; n++) at.put(`f${n}`, 'one\ntwo\n')
    const long = Array.from({ length: 60_000 }, (_, n) => `${n}\n`).join('')
    at.put('long', long)
    await at.call(() => {
      at.sh('for f in f*; do echo three >> $f; done; rm f1')
      at.put('long', `x\n${long}`)
      at.put('new', long)
    })
    const [effects] = await at.checkpoints.effects()
    const counts = new Map(effects?.files.map((file) => [file.path.slice(at.workspace.length + 1), file]))
    expect(counts.get('new')).toMatchObject({ additions: 60_000, deletions: 0 })
    expect(counts.get('f1')).toMatchObject({ additions: 0, deletions: 2 })
    expect(counts.get('long')).toMatchObject({ additions: 0, uncounted: true })
    const others = effects?.files.filter(({ path }) => /\/f\d+$/.test(path)) ?? []
    expect(others).toHaveLength(507)
    expect(others.filter((file) => !file.uncounted && file.additions + file.deletions === 0)).toEqual([])
  })
})

describe('the first look at a folder', () => {
  it('is waited for longer than the next ones, which the person is told of, and a command that was not captured is said at once', async () => {
    const at = world({ budgetMs: { wait: 0, first: 60_000, work: 60_000 } })
    for (let n = 0; n < 300; n++) at.put(`f${n}`, 'f\n')
    await at.call(() => at.sh('rm f0'))
    expect((await at.checkpoints.effects()).map(({ files, gaps }) => [files.length, gaps])).toEqual([[1, []]])
    await at.call(() => at.sh('rm f1'), null, 't2')
    expect(at.problems).toEqual([
      'What this command changes is not kept for a rewind: looking at all files takes too long.',
    ])
  })

  it('says why a call waits, once it waits longer than a moment', async () => {
    const waits: string[] = []
    const clock = {
      ...systemClock,
      after: (ms: number, work: () => void) => {
        // A moment passes at once here, and nothing else does.
        if (ms === 700) work()
        return systemClock.after(60_000, work)
      },
    }
    const own = world({ clock })
    own.put('a', '1\n')
    await own.call(() => own.sh('echo 2 > a'), null, 't1', { waiting: (why) => waits.push(why) })
    expect(waits).toEqual(['the files of this folder are kept first, so that a rewind can bring them back …'])
    expect((await own.checkpoints.effects())[0]?.files).toHaveLength(1)
    await own.checkpoints.close()
  })

  it('keeps no edit waiting, nor what is known of it', async () => {
    const bin = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-slow-git-')))
    const program = findGit(gitFolders(process.env.PATH), bin)
    // A git that begins when it is let.
    const script = `#!/bin/sh\nwhile [ ! -e ${bin}/go ]; do sleep 0.05; done\nexec ${program} "$@"\n`
    writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
    const at = world({ path: bin, budgetMs: { wait: 600_000, work: 600_000 } })
    at.put('a', '1\n')
    at.checkpoints.expect()
    await at.call(() => at.put('a', '2\n'), [at.at('a')])
    await at.call(() => at.put('a', '3\n'), [at.at('a')])
    expect(await at.checkpoints.effects()).toHaveLength(2)
    writeFileSync(join(bin, 'go'), '')
    await at.call(() => at.sh('echo 4 > a'))
    expect(await at.checkpoints.effects()).toHaveLength(3)
    await at.checkpoints.close()
    rmSync(bin, { recursive: true, force: true })
  })

  it('is over at once when nobody needs it any more', async () => {
    const at = world({ budgetMs: { wait: 600_000, work: 600_000 } })
    for (let n = 0; n < 500; n++) at.put(`f${n}`, 'f\n')
    at.checkpoints.expect()
    await at.checkpoints.close()
    expect(await at.checkpoints.effects()).toEqual([])
  })
})

it('a rewind that is intended is known to the next process until it is settled', () => {
  const at = world()
  const effects = { turnId: 'r1', callId: 'r1', tool: 'rewind', time: systemClock.timestamp(), files: [], gaps: [] }
  const rewound = { id: 'r1', toTurnId: 't1', input: 'x', conversation: true, turns: 1, files: [], kept: [] }
  expect(at.checkpoints.pending()).toBe(null)
  expect(at.checkpoints.intend({ effects, rewound, folders: {} })).toBe(undefined)
  const next = world({ folder: at.folder })
  expect(next.checkpoints.pending()).toEqual({ effects, rewound, folders: {} })
  next.checkpoints.settled()
  expect(at.checkpoints.pending()).toBe(null)
  rmSync(at.folder, { recursive: true, force: true })
  writeFileSync(at.folder, 'no folder')
  expect(at.checkpoints.intend({ effects, rewound, folders: {} })).toMatch(/EEXIST|ENOTDIR/)
})
