import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { checkpointWorld, removeCheckpointFolders } from '../../../fixtures/checkpoint-world.ts'
import { systemClock } from '../system/index.ts'
import { openBlobs, sha256 } from './blobs.ts'
import { createCheckpoints } from './index.ts'
import { openModes } from './modes.ts'

vi.setConfig({ testTimeout: 120_000 })
afterEach(removeCheckpointFolders)

it('a file whose earlier content was lost is said to be no choice', async () => {
  const at = checkpointWorld()
  at.put('a', '1')
  await at.call(() => at.put('a', '2'), [at.at('a')])
  const [{ files } = { files: [] }] = await at.checkpoints.effects()
  rmSync(join(at.folder, 'contents'), { recursive: true })
  const plans = files.map(({ path, before, after }) => ({ path, now: after ?? before, to: before }))
  const said = await at.checkpoints.obstacles(plans)
  expect([...said.values()]).toEqual(['its earlier content is not there any more'])
})

it('a content that was half written is written anew', async () => {
  const at = checkpointWorld()
  const blobs = openBlobs(at.folder)
  const bytes = Buffer.from('whole')
  const hash = sha256(bytes)
  mkdirSync(at.folder, { recursive: true })
  writeFileSync(join(at.folder, hash), '')
  expect(await blobs.keep(hash, bytes)).toBe(true)
  expect(await blobs.read(hash)).toEqual(bytes)
})

/** The system's git, which writes down what it is asked, and fails the first time that it is asked what `failing` names. */
function watchedGit(root: string, failing: string): { path: string; asked(): string[] } {
  const folder = join(root, 'bin')
  mkdirSync(folder)
  const script = [
    '#!/bin/bash',
    `cd '${folder}'/.; for word; do case $word in ls-files|update-index|write-tree|diff-files|diff-tree|ls-tree|cat-file|check-ignore) break;; esac; done`,
    'echo "$word" >> asked; cd "$OLDPWD"',
    `if [ "$word" = '${failing}' ] && mkdir '${folder}/failed' 2>/dev/null; then exit 1; fi`,
    'exec /usr/bin/git "$@"',
  ]
  writeFileSync(join(folder, 'git'), script.join('\n'), { mode: 0o755 })
  const asked = () => {
    const words = readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n')
    rmSync(join(folder, 'asked'))
    return words
  }
  return { path: folder, asked }
}

it('a command that changes nothing costs git three looks before it and three behind it', async () => {
  const git = watchedGit(checkpointWorld().root, '')
  const at = checkpointWorld({ path: git.path })
  at.put('d/a', '1')
  await at.call(() => undefined)
  await at.checkpoints.effects()
  git.asked()
  await at.call(() => undefined)
  await at.checkpoints.effects()
  const looks = ['diff-files', 'ls-files', 'ls-files']
  // Two of them run at once.
  expect(git.asked().sort()).toEqual([...looks, ...looks].sort())
  await at.call(() => at.put('d/a', '2'))
  expect((await at.checkpoints.effects()).at(-1)?.files).toMatchObject([{ path: at.at('d/a'), additions: 1 }])
})

it('a git that failed once takes nothing from a command of another session of the folder', async () => {
  const at = checkpointWorld()
  at.put('a', '1')
  const git = watchedGit(at.root, 'write-tree')
  const { workspace, stateFolder } = at
  const folder = join(stateFolder, 'sessions', 's2', 'checkpoints')
  const onProblem = (text: string) => at.problems.push(text)
  const other = createCheckpoints({
    ...{ workspace, stateFolder, folder, onProblem, sessionId: 's2', clock: systemClock, path: git.path },
  })
  const signal = new AbortController().signal
  const watch = await at.checkpoints.begin({ turnId: 't1', callId: 'c1', tool: 'x', writes: null, signal })
  at.put('a', '2')
  const theirs = await other.begin({ turnId: 't1', callId: 'c2', tool: 'x', writes: null, signal })
  watch.end()
  expect((await at.checkpoints.effects())[0]?.files).toMatchObject([{ path: at.at('a'), before: { kept: true } }])
  theirs.end()
  await other.close()
  expect(at.problems).toEqual([])
})

it('permissions are replaced as a whole: half of them would count as none', () => {
  const at = checkpointWorld()
  const file = at.at('modes.json')
  const modes = openModes(file)
  modes.note('a', 0o600)
  modes.save()
  linkSync(file, at.at('before'))
  modes.note('b', 0o640)
  modes.save()
  expect(readFileSync(at.at('before'), 'utf8')).toBe('{"a":384}')
  expect([...openModes(file).known()]).toEqual([
    ['a', 0o600],
    ['b', 0o640],
  ])
})
