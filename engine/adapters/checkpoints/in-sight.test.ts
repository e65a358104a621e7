import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  checkpointWorld,
  everything,
  removeCheckpointFolders,
  undoEffects as undo,
} from '../../../fixtures/checkpoint-world.ts'
import { asOrdinaryUser } from '../../../fixtures/unprivileged.ts'
import { systemClock } from '../system/index.ts'
import { halfWrittenName } from './half-written.ts'
import { mostLoose } from './loose.ts'

vi.setConfig({ testTimeout: 120_000 })
afterEach(removeCheckpointFolders)

/** A command in a folder that a first one has looked at; what it left, what is left when it is undone, and what was said. */
async function undone(prepare: string, line: string) {
  const at = checkpointWorld()
  at.sh(prepare)
  const before = everything(at.workspace)
  await at.call(() => undefined, null, 't0')
  await at.call(() => at.sh(line))
  const done = (await at.checkpoints.effects()).filter(({ turnId }) => turnId === 't1')
  const gaps = done.flatMap((one) => one.gaps)
  const failed = await undo(at, new Set(['t1']))
  return { at, before, after: everything(at.workspace), gaps, failed }
}

const secrets =
  "printf '.env\\nlocal/\\n*.log\\n' > .gitignore; echo S=1 > .env; echo k > kept.txt; mkdir local; echo x > local/x; echo l > a.log"

describe('a file that was there before, and came in sight by the command', () => {
  it.each([
    ['stops being ignored', secrets, 'echo > .gitignore'],
    ['stops being ignored when the rules are deleted', secrets, 'rm .gitignore'],
    [
      'stops being ignored by another branch',
      `git init -q; git config user.email a@b; git config user.name a; git commit -q --allow-empty -m 0; git branch bare; ${secrets}; git add .; git commit -qm 1`,
      'git checkout -q bare',
    ],
    ['belonged to a repository of its own', 'git init -q n; echo a > n/a', 'mv n/.git ..'],
  ])('that %s stays when the command is undone', async (_, prepare, line) => {
    const { after, before, failed } = await undone(prepare, line)
    const files = (all: Record<string, string>) => Object.entries(all).filter(([path]) => !path.includes('.git/'))
    expect(failed).toEqual([])
    expect(files(after)).toEqual(files(before))
  })

  it('and was changed as well stays as it is, which is said', async () => {
    const { after, gaps } = await undone(secrets, 'echo > .gitignore; echo S=2 > .env; echo y > local/y')
    expect(gaps).toEqual(['1 ignored file was changed (.env)'])
    expect(after['.env']).toBe(`644 ${Buffer.from('S=2\n').toString('hex')}`)
    expect(Object.keys(after).filter((path) => path.startsWith('local/'))).toEqual(['local/', 'local/x'])
  })

  it.each([
    ['an ignored file', 'mv .env env.old'],
    ['an ignored folder', 'mv local kept'],
    ['one whose name was used again', 'mv .env env.old; echo S=2 > .env'],
    ['one that has another name elsewhere', 'ln .env ../elsewhere.env; mv .env env.old'],
    ['one that took the place of another file', 'mv .env kept.txt'],
    ['several of them', 'mkdir kept; mv .env kept/env; mv a.log kept/a.txt; mv local kept/l'],
  ])('%s that was moved goes back to its old name', async (_, line) => {
    const { after, before, failed, gaps } = await undone(secrets, line)
    expect({ after, failed, gaps }).toEqual({ after: before, failed: [], gaps: [] })
  })

  it.each(['a', 'b'])('one of two names of an ignored file goes back too: %s', async (name) => {
    const { after, before, failed } = await undone(
      'echo local/ > .gitignore; mkdir local; echo x > local/a; ln local/a local/b',
      `mv local/${name} out`,
    )
    expect({ after, failed }).toEqual({ after: before, failed: [] })
  })

  it.each(['', '; ln -s vendor node_modules'])(
    'a folder of a tool that was moved stays where it is, and is not said to be deleted%s',
    async (more) => {
      const { after, gaps, at } = await undone(
        'mkdir -p node_modules/m; echo m > node_modules/m/i.js',
        `mv node_modules vendor${more}`,
      )
      expect(after).toEqual({ 'vendor/': 'folder', 'vendor/m/': 'folder', 'vendor/m/i.js': '644 6d0a' })
      expect(gaps).toEqual(['node_modules/ is called vendor/ now; a rewind leaves it so'])
      expect(at.problems).toEqual([])
    },
  )

  it.each([
    // As it looks where names in capitals mean the same file.
    ['a file', 'echo x > readme', 'ln readme README || mv readme README', 'readme', 'README'],
    [
      'an ignored file',
      'echo "*.log" > .gitignore; echo x > a.log',
      'ln a.log A.LOG || mv a.log A.LOG',
      'a.log',
      'A.LOG',
    ],
  ])('%s that is only spelled otherwise now is not deleted', async (_, prepare, line, from, to) => {
    const { after, gaps, failed } = await undone(prepare, line)
    expect({ file: after[to], gaps, failed }).toEqual({
      file: '644 780a',
      gaps: [`${from} is called ${to} now; a rewind leaves it so`],
      failed: [],
    })
  })

  it('a folder of a tool that is removed and made anew is told, whatever its number is then', async () => {
    const { gaps } = await undone('mkdir node_modules', 'rmdir node_modules; mkdir node_modules')
    expect(gaps).toEqual(['1 ignored file was changed (node_modules/)'])
  })

  it('a file whose name is not UTF-8 stays under the name that it was given', async () => {
    const at = checkpointWorld()
    at.sh("echo x > $'n\\xff'")
    await at.call(() => at.sh("mv $'n\\xff' plain"))
    expect(await undo(at, new Set(['t1']))).toEqual([])
    expect(everything(at.workspace)).toEqual({ plain: '644 780a' })
    const [{ gaps } = { gaps: [] }] = await at.checkpoints.effects()
    expect(gaps).toEqual(['n\\xff is called plain now; a rewind leaves it so'])
    expect(at.problems).toEqual([])
  })

  it('an index of git that names files outside is not followed', async () => {
    const at = checkpointWorld()
    at.sh("git init -q; printf '*.log\\n..\\n' > .gitignore; echo 1 > a; echo x > ../out.log; git add a")
    const data = readFileSync(at.at('.git/index'))
    const name = '../out.log'
    const entry = Buffer.concat([data.subarray(12, 72), Buffer.from([0, name.length]), Buffer.from(name)])
    const index = Buffer.concat([
      data.subarray(0, 8),
      Buffer.from([0, 0, 0, 1]),
      entry,
      Buffer.alloc(8 - (entry.length % 8)),
    ])
    at.put('.git/index', Buffer.concat([index, createHash('sha1').update(index).digest()]))
    await at.call(() => at.sh('echo 2 > a'))
    expect(await undo(at, new Set(['t1']))).toEqual([])
    expect(readFileSync(at.at('a'), 'utf8')).toBe('1\n')
    expect(at.problems).toEqual([])
  })

  it('what is made after such a folder is gone is undone as ever', async () => {
    const { after } = await undone(
      'mkdir node_modules; echo m > node_modules/m',
      'rm -r node_modules; mkdir a; echo > a/b',
    )
    expect(after).toEqual({})
  })

  it('is not deleted either where there were too many to look at', async () => {
    const { after, before, gaps } = await undone(
      `echo 'many/' > .gitignore; mkdir -p many/deep; for n in $(seq ${mostLoose}); do : > many/$n; done; echo x > many/deep/x`,
      'echo > .gitignore; echo new > new',
    )
    expect(Object.keys(after)).toEqual(Object.keys(before))
    expect(gaps).toContainEqual(expect.stringMatching(/^\d+ files were there before, and only came in sight \(many/))
  })
})

describe('a folder that a link takes the place of', () => {
  it.each([
    ['its copy', 'cp -r d e; rm -r d; ln -s e d; echo y > d/p/x'],
    ['where it was moved to', 'mv d ../elsewhere; ln -s ../elsewhere d; echo y > d/p/x'],
  ])('comes back, and the rest of the command is undone too, when the link leads to %s', async (_, line) => {
    const { after, before, failed, gaps } = await undone(
      'mkdir -p d/p; echo x > d/p/x; echo k > k',
      `${line}; echo 2 > k`,
    )
    expect({ after, failed, gaps }).toEqual({ after: before, failed: [], gaps: [] })
  })
})

it('a file that git tracks although it is ignored comes back in a worktree too', async () => {
  const { after, before, gaps } = await undone(
    'git init -q ../main; cd ../main; git config user.email a@b; git config user.name a; echo keep > k.log; echo "*.log" > .gitignore; git add -f .; git commit -qm 1; git worktree add -q ../work',
    'echo gone > k.log',
  )
  expect({ after, gaps }).toEqual({ after: before, gaps: [] })
})

describe('a part of a repository', () => {
  const above = 'git init -q ..; printf "state\\n.env\\nwork/out/\\n*.log\\n" > ../.gitignore'

  it('has the ignore rules of the whole: secrets and build outputs are not copied', async () => {
    const { at, after, failed, gaps } = await undone(
      `${above}; echo S=1 > .env; mkdir out src; echo o > out/o; echo a > src/a`,
      'echo S=2 > .env; echo 2 > out/o; echo 2 > src/a; echo n > src/n; rmdir none 2>/dev/null; mkdir -p e/f',
    )
    expect(gaps).toEqual(['2 ignored files were changed (.env, out/o)'])
    expect(failed).toEqual([])
    const shown = Object.entries(after).map(([path, what]) => (what === 'folder' ? path : `${path} ${what.slice(4)}`))
    expect(shown).toEqual(['.env 533d320a', 'out/', 'out/o 320a', 'src/', 'src/a 610a'])
    const kept = at.sh(`grep -rl S= ${at.stateFolder} || true`).toString()
    expect(kept).toBe('')
  })

  it('keeps what git tracks although it is ignored', async () => {
    const { after, before, gaps } = await undone(`${above}; echo keep > k.log; git add -f k.log`, 'echo gone > k.log')
    expect({ after, gaps }).toEqual({ after: before, gaps: [] })
  })

  it.each([
    [
      'that is ignored as a whole is kept as if it stood alone',
      'git init -q ..; echo work > ../.gitignore; echo 1 > a',
    ],
    ['in which all was ignored at first', `${above}; echo S > .env; mkdir out; echo o > out/o`],
    ['that was empty at first', above],
  ])('%s', async (_, prepare) => {
    const { after, before, failed, gaps } = await undone(
      prepare,
      'echo 2 > a; chmod 640 a; mkdir -p m/n; echo 1 > m/n/o',
    )
    expect({ after, failed, gaps }).toEqual({ after: before, failed: [], gaps: [] })
  })

  it.skipIf(process.getuid?.() !== 0)('has none of those of a repository that somebody else made above', async () => {
    const { after, before } = await undone(
      'git init -q ..; echo "*.txt" > ../.gitignore; chown 65534 ../.git; echo 1 > a.txt',
      'echo 2 > a.txt',
    )
    expect(after).toEqual(before)
  })

  it('tells what became of ignored files where there is no other', async () => {
    const { gaps } = await undone(`${above}; echo S > .env; mkdir out; echo o > out/o`, 'rm .env; echo 2 > out/o')
    expect(gaps).toEqual(['2 ignored files were changed or deleted (.env, out/o)'])
  })
})

describe('what git keeps its objects in', () => {
  const prepare =
    'git init -q; git config user.email a@b; git config user.name a; echo 1 > t; git add .; git commit -qm 1; git init -q --bare srv/remote.git; git remote add origin ./srv/remote.git'

  it('keeps the commits that a command pushed, which is said', async () => {
    const { at, failed, gaps } = await undone(prepare, 'git push -q origin HEAD:refs/heads/pushed; echo 2 > t')
    expect(failed).toEqual([])
    expect(at.sh('git -C srv/remote.git fsck && git -C srv/remote.git log --format=%s pushed').toString()).toBe('1\n')
    expect(readFileSync(at.at('t'), 'utf8')).toBe('1\n')
    expect(gaps).toEqual([
      expect.stringMatching(/^4 files in repositories of their own were made \(srv\/remote\.git\//),
    ])
  })

  it.each([
    ['a bare repository', 'git init -q --bare .'],
    ['a folder in one', 'git init -q --bare ..'],
  ])('is not watched when it is worked in: %s', async (_, line) => {
    const { at, gaps } = await undone(line, 'echo x > made')
    expect(gaps).toEqual([expect.stringMatching(/work belongs to git itself, and a rewind never touches that\.$/)])
    expect(existsSync(at.at('made'))).toBe(true)
  })

  it.each([
    ['in a folder of files', 'mkdir s; echo a > s/a'],
    ['in a part of a repository', 'git init -q ..; mkdir s; echo a > s/a'],
    ['where nothing was', ''],
  ])('says that one was made: %s', async (_, prepare) => {
    const { gaps, after } = await undone(prepare, 'git init -q s')
    expect(gaps).toEqual(['1 file in a repository of its own was made (s/.git/)'])
    expect(after['s/.git/HEAD']).toBeDefined()
  })

  it('says that one was made of the folder itself', async () => {
    const { at, gaps } = await undone('echo a > a', 'git init -q')
    expect(at.problems).toEqual([])
    expect(gaps).toEqual(['git’s own folder (.git) was made; a rewind does not remove it'])
  })

  it('says that it is gone', async () => {
    const { gaps } = await undone('git init -q; git init -q n; echo a > n/a', 'rm -rf .git n/.git')
    expect(gaps).toEqual([
      '1 file in a repository of its own was deleted (n/.git/)',
      'git’s own folder (.git) was removed or cannot be read any more; a rewind does not bring it back',
    ])
  })
})

it('what a killed rewind had half written goes when the next process settles it, and nothing else does', () => {
  const at = checkpointWorld()
  const absent = { kind: 'absent' } as const
  const file = { path: at.at('d/f1'), before: absent, after: absent, additions: 0, deletions: 0 }
  const effects = { turnId: 'r1', callId: 'r1', tool: 'rewind', time: systemClock.timestamp(), files: [file], gaps: [] }
  const rewound = { id: 'r1', toTurnId: 't1', input: 'x', conversation: true, turns: 1, files: [], kept: [] }
  expect(at.checkpoints.intend({ effects, rewound, folders: {} })).toBe(undefined)
  const left = basename(halfWrittenName(file.path))
  const others = ['.f1.0123456789abcdef.tmp', basename(halfWrittenName(at.at('d/f2'))), 'f1']
  for (const name of [left, ...others]) at.put(`d/${name}`, 'half')
  checkpointWorld({ folder: at.folder }).checkpoints.settled()
  expect(readdirSync(at.at('d')).sort()).toEqual(others.sort())
})

it('files whose names are not UTF-8 are told, though they are not kept', async () => {
  const at = checkpointWorld()
  at.sh("echo a > $'n\\xffa'; echo b > $'n\\xffb'; mkdir $'d\\xfe'; echo c > $'d\\xfe/c'; echo ok > ok")
  await at.call(() => at.sh("echo zz > $'n\\xffa'; rm $'n\\xffb'; echo 2 > $'n\\xffc'; rm -r $'d\\xfe'; echo 2 > ok"))
  const [{ files, gaps } = { files: [], gaps: [] }] = await at.checkpoints.effects()
  expect(files.map(({ path }) => path)).toEqual([at.at('ok')])
  expect(gaps).toEqual([
    '4 files whose names are not UTF-8 were made, changed or deleted (n\\xffb, d\\xfe/c, n\\xffa, …)',
  ])
  at.sh('rm -r ./*')
})

it.each([
  ['a file that is no program', 'chmod 600 s'],
  ['a program', 'chmod 700 p'],
  ['several, one of which is changed as well', 'chmod 640 s; chmod 775 p; echo 2 >> s'],
  ['one that was like no other', 'chmod 644 o'],
])('permissions alone come back too: %s', async (_, line) => {
  const { after, before, failed } = await undone('echo s > s; echo p > p; chmod 755 p; echo o > o; chmod 604 o', line)
  expect({ after, failed }).toEqual({ after: before, failed: [] })
})

it('a change that keeps size and time is found, also in the second in which the file was made', async () => {
  const dated = 'touch -d 2020-01-01 t'
  const { after, before } = await undone(`echo 22 > t; ${dated}`, `echo 33 > t; ${dated}`)
  expect(after).toEqual(before)
})

it('of more files than can be kept those with an earlier content come first, and it is said at once when some are lost', async () => {
  const make = (from: number, to: number) => `mkdir -p m; for n in $(seq ${from} ${to}); do echo $n > m/$n; done`
  const few = await undone(`${make(1, 10)}; echo 1 > z`, `${make(11, 5_020)}; rm m/1; echo 2 > z`)
  expect(few.failed).toEqual([])
  expect([few.after['m/1'], few.after.z]).toEqual([few.before['m/1'], few.before.z])
  expect(few.gaps).toEqual(['12 of 5012 changed files, which are not kept'])
  expect(few.at.problems).toEqual([])
  const many = await undone(make(1, 5_001), 'rm -r m')
  expect(many.at.problems).toEqual([expect.stringMatching(/^Some earlier contents are too many or too large/)])
})

it('a file that a command made unreadable is said to be no choice, since what it holds cannot be kept', async () => {
  const at = checkpointWorld()
  at.put('a', '1')
  const to = await at.checkpoints.look(at.at('a'), true)
  await asOrdinaryUser(at.root, async () => {
    chmodSync(at.at('a'), 0)
    const now = await at.checkpoints.look(at.at('a'), true)
    const said = await at.checkpoints.obstacles([{ path: at.at('a'), now, to }])
    const undone = { since: systemClock.timestamp() }
    const problem = 'it is a file that cannot be read now'
    expect([...said.values()]).toEqual([problem])
    expect(await at.checkpoints.restore(at.at('a'), now, to, undone)).toEqual({ ok: false, problem })
  })
})
