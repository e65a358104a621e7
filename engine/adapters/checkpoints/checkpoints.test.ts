import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  everything,
  removeCheckpointFolders,
  undoEffects as undo,
  checkpointWorld as world,
} from '../../../fixtures/checkpoint-world.ts'
import { planFile, stepsByPath } from '../../session/rewind-plan.ts'
import { systemClock } from '../system/index.ts'
import { copyCheckpoints, createCheckpoints } from './index.ts'

vi.setConfig({ testTimeout: 120_000 })

afterEach(removeCheckpointFolders)

describe('what a command changed', () => {
  it('is known for new, changed and deleted files, permissions, links, binary data and CRLF', async () => {
    const one = world()
    const { put, sh, call, at, workspace, checkpoints } = one
    put('a.txt', 'one\ntwo\n')
    put('crlf.txt', 'one\r\ntwo\r\n')
    put('sub/gone.txt', 'gone\n')
    put('run.sh', 'echo\n')
    put('data.bin', new Uint8Array([0, 255, 13, 10, 0]))
    put('secret', 'key\n')
    chmodSync(at('secret'), 0o600)
    symlinkSync('a.txt', at('link'))
    const before = everything(workspace)
    await call(() => {
      sh('echo three >> a.txt; printf "x\\r\\n" >> crlf.txt; rm -r sub; chmod +x run.sh; rm secret')
      sh('printf "\\001" >> data.bin; ln -sfn run.sh link; mkdir -p new/deep; echo n > new/deep/n; rm -f a.txt.bak')
    })
    const [effects] = await checkpoints.effects()
    expect(
      effects?.files.map(({ path, additions, deletions }) => [path.slice(workspace.length + 1), additions, deletions]),
    ).toEqual([
      ['a.txt', 1, 0],
      ['crlf.txt', 1, 0],
      ['data.bin', 0, 0],
      ['link', 0, 0],
      ['new/deep/n', 1, 0],
      ['run.sh', 0, 0],
      ['secret', 0, 1],
      ['sub/gone.txt', 0, 1],
    ])
    const after = everything(workspace)
    expect(await undo(one, new Set(['t1']), 'r1')).toEqual([])
    expect(everything(workspace)).toEqual(before)
    expect(existsSync(at('new'))).toBe(false)
    expect(await undo(one, new Set(['r1']))).toEqual([])
    expect(everything(workspace)).toEqual(after)
  })

  it('is known where a file became a folder and a folder a file', async () => {
    const one = world()
    const { put, sh, call, workspace } = one
    put('file', 'f\n')
    put('folder/in', 'i\n')
    const before = everything(workspace)
    await call(() => sh('rm file; mkdir file; echo x > file/x; rm -r folder; echo now > folder'))
    expect(await undo(one, new Set(['t1']))).toEqual([])
    expect(everything(workspace)).toEqual(before)
  })

  it('is told apart from what the person changed between the commands', async () => {
    const one = world()
    const { put, sh, call, at } = one
    put('a', '1\n')
    put('b', '1\n')
    await call(() => sh('echo 2 >> a; echo 2 >> b'))
    await one.checkpoints.effects()
    writeFileSync(at('a'), 'mine\n')
    await call(() => sh('echo 3 >> a'))
    expect(await undo(one, new Set(['t1']))).toEqual([
      `${at('a')} conflict somebody else changed it too, between these changes`,
    ])
    expect([readFileSync(at('a'), 'utf8'), readFileSync(at('b'), 'utf8')]).toEqual(['mine\n3\n', '1\n'])
  })

  it('leaves out, and says so: large files, repositories inside, folders that tools make, what is ignored', async () => {
    const { put, sh, call, checkpoints, workspace } = world()
    put('.gitignore', '*.log\n')
    put('node_modules/m/index.js', 'm\n')
    put('sub/.git/HEAD', 'ref: refs/heads/main\n')
    mkdirSync(join(workspace, 'sub/.git/objects'), { recursive: true })
    mkdirSync(join(workspace, 'sub/.git/refs'), { recursive: true })
    put('sub/in', 'in\n')
    await call(() =>
      sh('head -c 6000000 /dev/zero > large; echo l > a.log; echo m >> node_modules/m/index.js; echo i >> sub/in'),
    )
    expect(await checkpoints.effects()).toMatchObject([
      {
        files: [],
        gaps: [
          '1 ignored file was made (a.log)',
          '1 file over 5 MB or not readable was made (large)',
          '1 file in a repository of its own was changed (sub/in)',
        ],
      },
    ])
  })

  it('counts a file that git tracks although it is ignored', async () => {
    const { put, sh, call, checkpoints, workspace } = world()
    put('.gitignore', '*.log\n')
    put('kept.log', 'l\n')
    sh('git init -q; git add -f kept.log .gitignore')
    await call(() => sh('echo more >> kept.log'))
    expect((await checkpoints.effects())[0]?.files.map(({ path }) => path)).toEqual([join(workspace, 'kept.log')])
  })

  it('is not captured without git, in a folder that takes too long, and after a cut; each is said, and nothing waits', async () => {
    const without = world({ path: '/nowhere' })
    await without.call(() => without.sh('echo x > x'))
    expect(without.problems).toEqual([
      'What commands change is not kept for a rewind: git is not installed. Edits are.',
    ])
    const text = 'looking at all files took too long, so that what this command changed is not kept'
    const slow = world({ budgetMs: { wait: 0, work: 5_000 } })
    await slow.call(() => slow.sh('echo x > x'))
    expect((await slow.checkpoints.effects()).map(({ gaps }) => gaps)).toEqual([[text]])
    const wide = world({ budgetMs: { wait: 5_000, work: 0 } })
    await wide.call(() => wide.sh('echo x > x'))
    await wide.call(() => wide.sh('echo x > x'))
    expect(wide.problems).toHaveLength(1)
    expect(wide.problems[0]).toMatch(/^What commands change is not kept for a rewind here: .*Edits are\.$/)
    const cut = world()
    await cut.checkpoints.begin({
      turnId: 't',
      callId: 'c',
      tool: 'x',
      writes: null,
      signal: new AbortController().signal,
    })
    const again = createCheckpoints({ ...cut, sessionId: 's1', clock: systemClock, onProblem: () => undefined })
    expect((await again.effects()).map(({ gaps }) => gaps)).toEqual([
      ['sluice was cut off while this ran: what it changed may be more than is known'],
    ])
  })

  it('is not mixed up with what another session of this process does meanwhile', async () => {
    const one = world()
    const other = createCheckpoints({
      ...one,
      folder: join(one.root, 'other'),
      sessionId: 's2',
      clock: systemClock,
      onProblem: () => undefined,
    })
    const signal = new AbortController().signal
    const begin = (writes: string[] | null) => other.begin({ turnId: 't2', callId: 'c', tool: 'x', writes, signal })
    const watch = await one.checkpoints.begin({ turnId: 't1', callId: 'c', tool: 'x', writes: null, signal })
    const edit = await begin([one.at('theirs')])
    one.put('theirs', '1\n')
    edit.end()
    await other.effects()
    one.put('ours', '1\n')
    watch.end()
    expect(await one.checkpoints.effects()).toMatchObject([
      { files: [{ path: one.at('ours') }], gaps: ['files that another session edited while this command ran'] },
    ])
    const second = await one.checkpoints.begin({ turnId: 't1', callId: 'd', tool: 'x', writes: null, signal })
    const command = await begin(null)
    command.end()
    second.end()
    const gap = 'which of two commands that ran at once, in two sessions, changed what'
    expect((await one.checkpoints.effects()).at(-1)?.gaps).toEqual([gap])
    expect((await other.effects()).at(-1)?.gaps).toEqual([gap])
    await other.close()
  })

  it('is captured in a session that goes on, with what an earlier one has read already', async () => {
    const one = world()
    one.put('a', '1\n')
    await one.call(() => one.sh('echo 2 >> a'))
    await one.checkpoints.close()
    const again = createCheckpoints({ ...one, sessionId: 's2', clock: systemClock, onProblem: () => undefined })
    const signal = new AbortController().signal
    const watch = await again.begin({ turnId: 't2', callId: 'c', tool: 'x', writes: null, signal })
    one.sh('echo 3 >> a')
    watch.end()
    expect((await again.effects()).map(({ turnId, files }) => [turnId, files.length])).toEqual([
      ['t1', 1],
      ['t2', 1],
    ])
  })
})

it('what is only a cache goes: the index of a session with it, a folder that nobody works in after a month', async () => {
  const one = world()
  const forgotten = join(one.stateFolder, 'checkpoints', 'forgotten')
  mkdirSync(forgotten, { recursive: true })
  utimesSync(forgotten, new Date(0), new Date(0))
  await one.call(() => one.sh('echo x > x'))
  await one.checkpoints.close()
  const [kept, ...more] = readdirSync(join(one.stateFolder, 'checkpoints')).filter((name) => !name.startsWith('.'))
  expect(more).toEqual([])
  const inside = readdirSync(join(one.stateFolder, 'checkpoints', kept ?? ''))
  expect(inside.filter((name) => name.startsWith('index'))).toEqual(['index'])
})

describe('what an edit changed', () => {
  it('is kept per call before it runs, once per content, private to the owner', async () => {
    const one = world()
    const { put, call, at, folder, checkpoints } = one
    put('a', '1\n')
    await call(() => writeFileSync(at('a'), '2\n'), [at('a')])
    await call(() => writeFileSync(at('a'), '1\n'), [at('a')])
    await call(() => undefined, [at('a')])
    expect((await checkpoints.effects()).map(({ callId, files }) => [callId, files.length])).toEqual([
      ['c0', 1],
      ['c1', 1],
    ])
    expect(readdirSync(join(folder, 'contents'))).toHaveLength(2)
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const stat = statSync(join(folder, name))
      expect([name, (stat.mode & 0o777).toString(8)]).toEqual([name, stat.isDirectory() ? '700' : '600'])
    }
  })

  it('stays known when the process dies while it runs', async () => {
    const one = world()
    one.put('a', '1\n')
    const signal = new AbortController().signal
    await one.checkpoints.begin({ turnId: 't', callId: 'c', tool: 'x', writes: [one.at('a')], signal })
    writeFileSync(one.at('a'), 'half')
    const again = createCheckpoints({ ...one, sessionId: 's1', clock: systemClock, onProblem: () => undefined })
    const [steps] = stepsByPath(await again.effects())
    if (!steps) throw new Error('no steps')
    expect(planFile(steps, await again.look(steps.path))).toMatchObject({
      verdict: 'conflict',
      why: 'sluice was cut off while it was changed',
    })
    writeFileSync(one.at('a'), '1\n')
    expect(planFile(steps, await again.look(steps.path))).toMatchObject({ verdict: 'already' })
  })

  it('goes to a fork with the contents', async () => {
    const one = world()
    one.put('a', '1\n')
    await one.call(() => writeFileSync(one.at('a'), '2\n'), [one.at('a')])
    await one.call(() => writeFileSync(one.at('a'), '3\n'), [one.at('a')], 't2')
    await one.checkpoints.effects()
    const folder = join(one.stateFolder, 'sessions', 's2', 'checkpoints')
    copyCheckpoints(one.folder, folder, new Set(['t1']))
    const fork = createCheckpoints({ ...one, folder, sessionId: 's2', clock: systemClock, onProblem: () => undefined })
    const effects = await fork.effects()
    expect(effects.map(({ turnId }) => turnId)).toEqual(['t1'])
    const before = effects[0]?.files[0]?.before
    const bytes = before?.kind === 'file' ? await fork.content(before.hash) : null
    expect(bytes && Buffer.from(bytes).toString()).toBe('1\n')
  })
})

describe('restoring', () => {
  it('never goes over what changed meanwhile, nor through a folder that has become a link', async () => {
    const one = world()
    const { put, call, at, checkpoints, sh, root } = one
    put('d/a', '1\n')
    await call(() => writeFileSync(at('d/a'), '2\n'), [at('d/a')])
    const [effects] = await checkpoints.effects()
    const file = effects?.files[0]
    if (!file?.after) throw new Error('no effect')
    writeFileSync(at('d/a'), 'mine\n')
    const result = () =>
      checkpoints.restore(file.path, file.after ?? file.before, file.before, { since: '2020-01-01T00:00:00Z' })
    expect(await result()).toEqual({ ok: false, problem: 'it was changed just now' })
    mkdirSync(join(root, 'elsewhere'))
    writeFileSync(join(root, 'elsewhere', 'a'), '2\n')
    sh(`rm -r d; ln -s ${join(root, 'elsewhere')} d`)
    expect(await result()).toEqual({ ok: false, problem: 'its folder leads somewhere else now' })
    expect(readFileSync(join(root, 'elsewhere', 'a'), 'utf8')).toBe('2\n')
  })

  it('keeps the other names of a file', async () => {
    const one = world()
    const { put, call, at, sh, workspace } = one
    put('a', '1\n')
    sh('ln a b')
    await call(() => sh('echo 2 > a'))
    expect(await undo(one, new Set(['t1']))).toEqual([])
    expect(everything(workspace)).toEqual({ a: '644 310a', b: '644 310a' })
    expect(statSync(at('a')).nlink).toBe(2)
  })

  it.each([
    ['stays when it is older than the change', '2999-01-01T00:00:00Z', true],
    ['goes when it came with the change', '2020-01-01T00:00:00Z', false],
  ])('an empty folder %s', async (_, since, stays) => {
    const { put, at, checkpoints, workspace } = world()
    put('folder/new', '1\n')
    const now = await checkpoints.look(at('folder/new'))
    expect(await checkpoints.restore(at('folder/new'), now, { kind: 'absent' }, { since })).toEqual({ ok: true })
    expect([existsSync(at('folder')), existsSync(workspace)]).toEqual([stays, true])
  })
})

describe('a hostile folder', () => {
  it('makes git run nothing, and its own repository stays as it is to the byte', async () => {
    const one = world()
    const { put, sh, call, at, workspace, checkpoints, root } = one
    const pwn = join(root, 'pwn')
    put('a.txt', 'one\n')
    sh('git init -q; git config user.email a@b; git config user.name a; git add a.txt; git commit -qm one')
    put('script.sh', `#!/bin/sh\ntouch ${pwn}\ncat\n`)
    chmodSync(at('script.sh'), 0o755)
    for (const [key, value] of [
      ['core.fsmonitor', at('script.sh')],
      ['core.hooksPath', at('hooks')],
      ['filter.evil.clean', at('script.sh')],
      ['filter.evil.smudge', at('script.sh')],
      ['filter.evil.process', at('script.sh')],
      ['filter.evil.required', 'true'],
      ['diff.evil.textconv', at('script.sh')],
      ['diff.evil.command', at('script.sh')],
      ['diff.external', at('script.sh')],
      ['core.pager', at('script.sh')],
      ['core.sshCommand', at('script.sh')],
      ['gpg.program', at('script.sh')],
      ['core.autocrlf', 'true'],
    ]) {
      sh(`git config ${key} '${value}'`)
    }
    for (const hook of ['post-index-change', 'pre-commit', 'post-checkout', 'reference-transaction']) {
      for (const folder of ['hooks', '.git/hooks']) {
        put(`${folder}/${hook}`, `#!/bin/sh\ntouch ${pwn}\n`)
        chmodSync(at(`${folder}/${hook}`), 0o755)
      }
    }
    put('.gitattributes', '* filter=evil diff=evil text eol=crlf ident working-tree-encoding=UTF-16\n')
    // A bare repository among the files, and one of its own that watches: neither is the folder's.
    sh('git init -q --bare vendor/x.git')
    sh(`git -C vendor/x.git config core.fsmonitor '${at('script.sh')}'`)
    sh(`git init -q nested; git -C nested config core.fsmonitor '${at('script.sh')}'; echo n > nested/n`)
    rmSync(pwn, { force: true })
    const theirs = everything(at('.git'))
    const before = everything(workspace)
    await call(() => {
      writeFileSync(at('a.txt'), 'two\r\n$Id$\n')
      writeFileSync(at('vendor/x.git/description'), 'theirs\n')
    })
    before['vendor/x.git/description'] = `644 ${Buffer.from('theirs\n').toString('hex')}`
    const effects = await checkpoints.effects()
    expect(effects[0]?.files.map(({ path }) => path)).toEqual([at('a.txt')])
    expect(effects[0]?.gaps).toEqual(['1 file in a repository of its own was changed (vendor/x.git/description)'])
    expect(await undo(one, new Set(['t1']))).toEqual([])
    expect(everything(workspace)).toEqual(before)
    expect(everything(at('.git'))).toEqual(theirs)
    expect(existsSync(pwn)).toBe(false)
  })

  it('cannot bring its own git along', async () => {
    const one = world({ path: '/nowhere' })
    const bin = one.at('bin')
    one.put('bin/git', `#!/bin/sh\ntouch ${join(one.root, 'pwn')}\n`)
    chmodSync(one.at('bin/git'), 0o755)
    const own = createCheckpoints({
      ...one,
      sessionId: 's1',
      clock: systemClock,
      path: `${bin}:relative`,
      onProblem: () => undefined,
    })
    expect(own.unavailable()).toMatch(/git is not installed/)
    expect(existsSync(join(one.root, 'pwn'))).toBe(false)
  })

  it('leaves index, refs, stash and hooks of the person alone while edits are staged', async () => {
    const one = world()
    const { put, sh, call, at } = one
    put('a', '1\n')
    sh('git init -q; git config user.email a@b; git config user.name a; git add .; git commit -qm one')
    sh('echo stashed >> a; git stash -q; echo staged > b; git add b; echo 2 >> a')
    const state = () => [everything(at('.git')), sh('git status --porcelain=2; git stash list').toString()]
    const before = state()
    await call(() => sh('echo c > c'))
    expect(await undo(one, new Set(['t1']))).toEqual([])
    expect(state()).toEqual(before)
  })
})

/** One thing that happens to the folder. */
const step = fc.record({
  by: fc.constantFrom('edit', 'command') as fc.Arbitrary<'edit' | 'command'>,
  path: fc.constantFrom('a', 'b', 'd/a', 'd/e/f', 'ü ñ', 'x y'),
  what: fc.oneof(
    fc.uint8Array({ maxLength: 12 }).map((bytes) => ({ bytes })),
    fc.constantFrom('one\n', 'one\r\ntwo\r\n', '', 'no newline').map((text) => ({ bytes: Buffer.from(text) })),
    fc.constant({ remove: true as const }),
    fc.constantFrom(0o755, 0o644).map((mode) => ({ mode })),
    fc.constantFrom('a', '/nowhere').map((link) => ({ link })),
  ),
})

it('any run of edits and commands, gone back and undone, gives the exact bytes and permissions', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 7 }),
      fc.array(step, { maxLength: 3 }),
      async (steps, first) => {
        const one = world()
        for (const { path, what } of first) change(one.at(path), what)
        const before = everything(one.workspace)
        for (const { by, path, what } of steps) {
          await one.call(() => change(one.at(path), what), by === 'edit' ? [one.at(path)] : null)
          // What follows a command has waited until that is known; a test must not be faster than the file system's clock.
          await one.checkpoints.effects()
        }
        const after = everything(one.workspace)
        expect(await undo(one, new Set(['t1']), 'r1')).toEqual([])
        expect(everything(one.workspace)).toEqual(before)
        expect(await undo(one, new Set(['r1']))).toEqual([])
        expect(everything(one.workspace)).toEqual(after)
        await one.checkpoints.close()
      },
    ),
    { numRuns: 25 },
  )
})

function change(
  path: string,
  what: { bytes: Uint8Array } | { remove: true } | { mode: number } | { link: string },
): void {
  const parent = join(path, '..')
  if ('bytes' in what || 'link' in what) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() || 'link' in what) rmSync(path, { force: true })
    mkdirSync(parent, { recursive: true })
    if ('bytes' in what) writeFileSync(path, what.bytes)
    else symlinkSync(what.link, path)
  } else if ('remove' in what) rmSync(path, { force: true })
  else if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) chmodSync(path, what.mode)
}
