import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventBody } from '@sluice/engine/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseArgs } from '../cli/args.ts'
import { findPaths, type Paths } from '../paths.ts'
import { composeSession } from './session.ts'
import { composeOptions, requireModel, setUp } from './setup.ts'
import { findStored } from './stored.ts'

let root: string
let cwd: string
let paths: Paths
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-stored-')))
  cwd = join(root, 'shop')
  mkdirSync(cwd)
  vi.stubEnv('SLUICE_HOME', join(root, 'home'))
  paths = findPaths()
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})

let clock = 0

/** A session as another process left it; each one is younger than the one before. */
function store(id: string, bodies: EventBody[], folder = cwd): void {
  const at = join(paths.sessionsDir, id)
  mkdirSync(at, { recursive: true, mode: 0o700 })
  const start: EventBody = { type: 'session_start', cwd: folder, model: 'scripted:hello', mode: 'plan', version: '0' }
  const lines = [start, ...bodies].map((body, i) =>
    JSON.stringify({ v: 1, seq: i + 1, time: '2026-01-01T00:00:00Z', sessionId: id, turnId: 't1', ...body }),
  )
  const path = join(at, 'transcript.jsonl')
  writeFileSync(path, `${lines.join('\n')}\n`)
  clock += 1000
  utimesSync(path, clock, clock)
}

const turn: EventBody[] = [
  { type: 'turn_start', input: 'hi' },
  { type: 'message', message: { role: 'assistant', content: 'hello' } },
  { type: 'turn_end', reason: 'final_answer', durationMs: 1, replies: 1, calls: 0 },
]
const find = (wanted: string, folder = cwd) => {
  const stored = findStored(wanted, paths, folder)
  stored.lock?.release()
  return stored
}

describe('finding a stored session', () => {
  it('by id, by its beginning, or as the last one of the folder', () => {
    store('s_aaa', turn)
    store('s_bbb', turn)
    store('s_ccc', turn, join(root, 'elsewhere'))
    expect(find('s_a').id).toBe('s_aaa')
    expect(find('s_ccc').id).toBe('s_ccc')
    expect(find('').id).toBe('s_bbb')
    expect(() => find('s_')).toThrow('"s_" fits 3 sessions')
    expect(() => find('x')).toThrow('There is no session "x"')
    expect(() => find('', root)).toThrow(`There is no earlier session in ${root}.`)
  })

  it('as the one that was used last, also where its files were copied in another order', () => {
    const said = (time: string) => turn.map((body) => ({ ...body, time }))
    store('s_first', said('2026-01-01T00:00:00Z'))
    store('s_last', said('2026-03-01T00:00:00Z'))
    store('s_second', said('2026-02-01T00:00:00Z'))
    store('s_untimed', said('then'))
    const copied = (id: string, minute: number) => {
      const at = new Date(Date.UTC(2026, 5, 1, 12, minute))
      utimesSync(join(paths.sessionsDir, id, 'transcript.jsonl'), at, at)
    }
    copied('s_last', 1)
    copied('s_second', 2)
    copied('s_first', 3)
    expect(find('').id).toBe('s_last')
    // One that tells no time is as old as its file.
    copied('s_untimed', 4)
    expect(find('').id).toBe('s_untimed')
  })

  it('locks it, and gives it back where it is not taken', () => {
    store('s_aaa', turn)
    const stored = findStored('s_aaa', paths, cwd)
    expect(() => find('s_aaa')).toThrow('The session s_aaa is open in this sluice already.')
    expect(() => find('')).toThrow('s_aaa')
    stored.lock?.release()
    expect(find('s_aaa').id).toBe('s_aaa')
  })

  it('finds one that has moved where it works now, and not where it did', () => {
    const moved = join(root, 'moved')
    store('s_aaa', [...turn, { type: 'session_start', cwd: moved, model: 'm', mode: 'default', version: '0' }])
    writeFileSync(join(paths.sessionsDir, 's_aaa', 'cwd'), moved)
    expect(find('', moved).id).toBe('s_aaa')
    expect(() => find('')).toThrow('There is no earlier session')
  })

  it('believes the records where what stands beside them is wrong', () => {
    store('s_aaa', turn)
    writeFileSync(join(paths.sessionsDir, 's_aaa', 'cwd'), root)
    expect(() => find('', root)).toThrow('There is no earlier session')
  })

  it('passes over those in which nothing was said, as long as there is another one', () => {
    store('s_empty', [])
    expect(find('').id).toBe('s_empty')
    store('s_said', turn)
    for (const id of ['s_later', 's_named', 's_draft'])
      store(id, [{ type: 'notice', level: 'warn', code: 'x', text: 'turn_start' }])
    expect(find('').id).toBe('s_said')
    writeFileSync(join(paths.sessionsDir, 's_named', 'meta.json'), '{"title": "A name"}')
    expect(find('').id).toBe('s_named')
    writeFileSync(join(paths.sessionsDir, 's_draft', 'view.json'), '{"v": 1, "draft": {"text": "half"}}')
    expect(find('').id).toBe('s_draft')
  })

  it('passes over those that cannot be read, and says so; named, such a one is refused', () => {
    store('s_said', turn)
    mkdirSync(join(paths.sessionsDir, 's_odd', 'transcript.jsonl'), { recursive: true })
    mkdirSync(join(paths.sessionsDir, 's_loop'))
    symlinkSync('transcript.jsonl', join(paths.sessionsDir, 's_loop', 'transcript.jsonl'))
    const stored = find('')
    expect(stored.id).toBe('s_said')
    expect(stored.warnings).toEqual([expect.stringMatching(/^2 sessions cannot be read: s_\w+, .*; s_\w+, .*\.$/)])
    expect(() => find('s_od')).toThrow('The session s_odd cannot be read: its transcript.jsonl is no file.')
    expect(() => find('', root)).toThrow(/There is no earlier session in .*\. 2 sessions cannot be read/)
  })

  it('names the next one when the last is open elsewhere', () => {
    store('s_older', turn)
    store('s_empty', [])
    store('s_last', turn)
    const stored = findStored('', paths, cwd)
    expect(() => find('')).toThrow(
      expect.objectContaining({
        message: 'The session s_last is open in this sluice already.',
        fix: expect.stringContaining('sluice --resume s_older (hi).'),
      }),
    )
    stored.lock?.release()
  })

  it.each([
    ['renamed', 'old-shop'],
    ['put elsewhere', 'attic/shop'],
  ])('knows the folder by the old place when it was %s', (_how, old) => {
    store('s_moved', turn, join(root, old))
    const fix = expect.stringMatching(
      /Has the folder moved\? The session s_moved \(hi\) worked in .* --resume s_moved$/,
    )
    expect(() => find('')).toThrow(expect.objectContaining({ fix }))
    mkdirSync(join(root, old), { recursive: true })
    expect(() => find('')).toThrow(expect.objectContaining({ fix: 'Start a new one without --continue or --resume.' }))
  })

  it('says what was lost, shortened and left out', () => {
    const call = { id: 'c', name: 'bash', input: {} }
    const twice: EventBody = { type: 'message', message: { role: 'assistant', content: '', toolCalls: [call, call] } }
    const long: EventBody = {
      ...{ type: 'tool_result', call, blocks: [] },
      result: {
        ok: true,
        summary: '',
        content: `[redacted: token] ${'x'.repeat(400_000)}`,
        metadata: { durationMs: 1 },
      },
    }
    store('s_aaa', [{ type: 'turn_start', input: 'hi' }, twice, long])
    const path = join(paths.sessionsDir, 's_aaa', 'transcript.jsonl')
    writeFileSync(path, `${readFileSync(path, 'utf8')}no record\n{"v":1,"se`)
    expect(find('s_aaa').warnings).toEqual([
      `1 damaged line of the transcript of s_aaa was skipped; the bytes are still in ${path}.`,
      `The last record of s_aaa was cut off and is lost; its bytes are still in ${path}.`,
      '1 reply of s_aaa had calls that no model would take back; they were left out.',
      '1 result of s_aaa had to be shortened for the model.',
      'Secrets were kept out of the record of s_aaa: token. The model sees a mark in their place.',
    ])
  })
})

describe('a new session', () => {
  async function composed() {
    const options = parseArgs(['--cwd', cwd, '--model', 'scripted:hello'])
    const setup = await setUp(options)
    const runtime = composeSession({
      ...composeOptions(setup, options, requireModel(setup)),
      onEvent: () => {},
      onProblem: () => {},
    })
    return { ...runtime, folder: join(paths.sessionsDir, setup.id) }
  }

  it('in which nothing was said leaves nothing behind', async () => {
    const { session, close, folder } = await composed()
    session.setMode('plan')
    expect(existsSync(join(folder, 'transcript.jsonl'))).toBe(true)
    await close()
    expect(existsSync(folder)).toBe(false)
  })

  it('whose files were deleted has its lock again as soon as its records are there', async () => {
    const { session, close, folder } = await composed()
    for await (const _ of session.query('hi'));
    rmSync(folder, { recursive: true })
    session.setMode('plan')
    expect(existsSync(join(folder, 'transcript.jsonl'))).toBe(true)
    expect(existsSync(join(folder, 'lock'))).toBe(true)
    await close()
  })

  it.each<[string, (one: Awaited<ReturnType<typeof composed>>) => Promise<void> | void]>([
    [
      'something was said in it',
      async ({ session }) => {
        for await (const _ of session.query('hi'));
      },
    ],
    ['it was given a name', ({ session }) => session.setTitle('A name')],
    ['a draft was left in it', ({ folder }) => writeFileSync(join(folder, 'view.json'), '{"v": 1}')],
    ['there is anything else in its folder', ({ folder }) => writeFileSync(join(folder, 'other'), '')],
  ])('stays when %s', async (_why, use) => {
    const one = await composed()
    await use(one)
    await one.close()
    expect(existsSync(join(one.folder, 'transcript.jsonl'))).toBe(true)
  })

  it('stays when it is empty and was there before', async () => {
    store('s_empty', [])
    const stored = findStored('s_empty', paths, cwd)
    stored.lock?.release()
    expect(existsSync(join(paths.sessionsDir, 's_empty'))).toBe(true)
  })
})

describe('a session that is gone on with', () => {
  it('has its mode, its model and the rules that were given for it, and says where it works now', async () => {
    const rule = { text: 'bash(ls *)', scope: 'session' as const }
    store('s_aaa', [
      ...turn,
      {
        type: 'approval_decision',
        id: 'a',
        callId: 'c',
        decidedBy: 'person',
        decision: { type: 'allow', digest: 'd', rule },
      },
    ])
    const other = join(root, 'other')
    mkdirSync(other)
    const options = parseArgs(['--resume', 's_aaa', '--cwd', other, '--model', 'scripted:hello'])
    const setup = await setUp(options)
    expect(setup.warnings).toEqual([expect.stringContaining(`worked in ${cwd} before and goes on in ${other}`)])
    const runtime = composeSession({
      ...composeOptions(setup, options, requireModel(setup)),
      onEvent: () => {},
      onProblem: (text) => {
        throw new Error(text)
      },
    })
    expect(runtime.session.mode).toBe('plan')
    expect(runtime.terms.rules.rules()).toContainEqual({ text: 'bash(ls *)', verdict: 'allow', scope: 'session' })
    expect(readFileSync(join(paths.sessionsDir, 's_aaa', 'cwd'), 'utf8')).toBe(other)
    expect(() => find('s_aaa')).toThrow('open in this sluice already')
    await runtime.close()
    expect(find('', other).id).toBe('s_aaa')
  })

  it('asks a person in which folder, and takes no other answer', async () => {
    store('s_aaa', turn, join(root, 'gone'))
    const options = parseArgs(['--resume', 's_aaa', '--model', 'scripted:hello'])
    const asked: unknown[] = []
    const setup = await setUp({ ...options }, async (question) => {
      asked.push(question)
      return 'here'
    })
    setup.lock?.release()
    expect(asked).toEqual([{ id: 's_aaa', stored: join(root, 'gone'), gone: true, here: setup.cwd }])
    for (let again = 0; again < 2; again++)
      await expect(setUp({ ...options }, async () => 'stored')).rejects.toThrow(
        `The folder ${join(root, 'gone')} does not exist.`,
      )
  })
})
