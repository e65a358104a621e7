import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { parseArgs } from '../cli/args.ts'
import { findPaths, type Paths } from '../paths.ts'
import { forkSession } from './fork-session.ts'
import { createRulesPort } from './rules-port.ts'
import { composeSession, type FolderTerms, type Runtime } from './session.ts'
import { composeOptions, requireModel, setUp } from './setup.ts'

let root: string
let cwd: string
let paths: Paths
const open = new Set<Runtime>()
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-resumed-')))
  cwd = join(root, 'shop')
  mkdirSync(cwd)
  vi.stubEnv('SLUICE_HOME', join(root, 'home'))
  paths = findPaths()
})
afterEach(async () => {
  await Promise.all([...open].map((runtime) => runtime.close()))
  open.clear()
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})

/** A session of its own, the stored one of that id, or one beside those with `terms`, as the product composes it. */
async function compose(resume?: string, terms?: FolderTerms) {
  const flags = ['--cwd', cwd, '--model', 'scripted:hello', ...(resume === undefined ? [] : ['--resume', resume])]
  const options = parseArgs(flags)
  const setup = await setUp(options)
  const runtime = composeSession({
    ...composeOptions(setup, options, requireModel(setup)),
    ...(terms ? { terms } : {}),
    onEvent: () => {},
    onProblem: (text) => {
      throw new Error(text)
    },
  })
  open.add(runtime)
  return { ...runtime, id: setup.id, port: createRulesPort(runtime, paths) }
}

type Composed = Awaited<ReturnType<typeof compose>>

async function say({ session }: Composed, words: string): Promise<void> {
  for await (const event of session.query(words)) if (event.type === 'error') throw new Error(event.error.message)
}

const rulesOf = ({ terms }: Pick<Runtime, 'terms'>) => terms.rules.rules().map(({ text, scope }) => `${scope} ${text}`)

async function takeAway({ port }: Composed, text: string): Promise<void> {
  const row = port.list().find((one) => one.text === text)
  if (row === undefined) throw new Error(`no rule ${text}`)
  await port.revoke(row)
}

/** A stored session that was given a rule, and does not run any more. */
async function withRule(): Promise<string> {
  const first = await compose()
  await say(first, 'hi')
  await first.port.add('bash(ls *)', 'allow', 'session')
  await say(first, 'again')
  await first.close()
  return first.id
}

it('a rule that is taken away in the view counts no more at once, nor in the session when it is resumed', async () => {
  const id = await withRule()
  const second = await compose(id)
  expect(rulesOf(second)).toEqual(['session bash(ls *)'])
  await takeAway(second, 'bash(ls *)')
  expect(rulesOf(second)).toEqual([])
  await second.close()

  const third = await compose(id)
  expect(rulesOf(third)).toEqual([])
  await third.port.add('bash(ls *)', 'allow', 'session')
  await third.close()
  expect(rulesOf(await compose(id))).toEqual(['session bash(ls *)'])
})

it('a rule that is taken away in another session of the folder stays away in the one that was given it', async () => {
  const id = await withRule()
  const first = await compose(id)
  const beside = await compose(undefined, first.terms)
  expect(rulesOf(beside)).toEqual(['session bash(ls *)'])
  await takeAway(beside, 'bash(ls *)')
  await first.close()
  await beside.close()
  expect(rulesOf(await compose(id))).toEqual([])
})

it('a fork from before a rule was taken away brings it back neither for itself nor for those it runs beside', async () => {
  const id = await withRule()
  const first = await compose(id)
  await takeAway(first, 'bash(ls *)')
  await say(first, 'and on')
  const turns = await first.session.rewind.turns()
  const again = turns.find(({ input }) => input === 'again')
  const fork = await forkSession(paths, id, again?.turnId ?? '')
  expect(fork.input).toBe('again')
  await compose(fork.id, first.terms)
  expect(rulesOf(first)).toEqual([])
})

it('ask and deny rules for the session come back with it as the others do', async () => {
  const id = await withRule()
  const first = await compose(id)
  await first.port.add('bash(ls -R *)', 'deny', 'session')
  await first.port.add('bash(make)', 'ask', 'session')
  await first.close()
  const second = await compose(id)
  expect(second.terms.rules.rules().map(({ verdict, text }) => `${verdict} ${text}`)).toEqual([
    'allow bash(ls *)',
    'deny bash(ls -R *)',
    'ask bash(make)',
  ])
  await takeAway(second, 'bash(ls -R *)')
  await second.close()
  expect(rulesOf(await compose(id))).toEqual(['session bash(ls *)', 'session bash(make)'])
})
