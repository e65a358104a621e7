import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkLaws, createJudge, createSession } from '@sluice/engine'
import { createArtifacts } from '@sluice/engine/adapters/artifacts'
import { createAuditLog } from '@sluice/engine/adapters/audit-log'
import { systemClock, systemDigest } from '@sluice/engine/adapters/system'
import { createTracer } from '@sluice/engine/adapters/trace-jsonl'
import { createTranscript } from '@sluice/engine/adapters/transcript-jsonl'
import type { StoredRule } from '@sluice/engine/ports'
import type { AgentEvent, Amendment, Decision, PermissionRequest } from '@sluice/engine/protocol'
import { builtinTools } from '@sluice/tools'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, createCannedModel, say } from '../../fixtures/canned-model.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

type Call = [name: string, input: object]
type Answer = (request: PermissionRequest, nth: number, cwd: string) => Decision | 'interrupt'

/** One turn in which the model reads `files` and then makes `calls` in one reply; everything is recorded and checked. */
async function turn(files: Record<string, string>, calls: Call[], answer: Answer, rules: StoredRule[] = []) {
  const [cwd, folder] = ['work', 'records'].map((name) => realpathSync(mkdtempSync(join(tmpdir(), `sluice-${name}-`))))
  if (!cwd || !folder) throw new Error('two folders')
  folders.push(cwd, folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(cwd, name, '..'), { recursive: true })
    writeFileSync(join(cwd, name), text)
  }
  const reads = Object.keys(files).map((path): Call => ['read_file', { path }])
  const model = createCannedModel([...(reads.length > 0 ? [ask('r', ...reads)] : []), ask('e', ...calls), say('ok')])
  const paths = Object.fromEntries(
    ['transcript', 'trace', 'audit'].map((name) => [name, join(folder, `${name}.jsonl`)]),
  )
  const fail = (problem: string) => {
    throw new Error(problem)
  }
  const at = (name: string) => paths[name] as string
  const audit = createAuditLog(at('audit'), 's_set', systemClock, systemDigest, fail)
  const tracer = createTracer(at('trace'), 's_set', systemClock)
  const events: AgentEvent[] = []
  const asked: PermissionRequest[] = []
  const session = createSession({
    id: 's_set',
    cwd,
    version: '0',
    mode: 'default',
    model,
    selectModel: () => model,
    tools: builtinTools,
    judge: createJudge({ cwd, home: '/nonexistent/home', trusted: true }),
    rules: { rules: () => rules, allow: async (text) => void rules.push({ text, verdict: 'allow', scope: 'session' }) },
    sources: [],
    systemPrompt: () => 'system',
    sinks: [createTranscript(at('transcript'), fail)],
    onEvent(event) {
      events.push(event)
      if (event.type !== 'approval_request') return
      asked.push(event.request)
      queueMicrotask(() => {
        const given = answer(event.request, asked.length, cwd)
        if (given === 'interrupt') session.interrupt()
        else session.answer(event.request.id, given)
      })
    },
    audit,
    tracer,
    artifacts: createArtifacts(join(folder, 'artifacts')),
    clock: systemClock,
    digest: systemDigest,
  })
  for await (const _ of session.query('go'));
  await session.close()
  tracer.close()
  audit.close()

  const lines = (name: string) => ({
    damaged: [],
    lines: readFileSync(at(name), 'utf8')
      .trim()
      .split('\n')
      .map((text, i) => ({ line: i + 1, text, record: JSON.parse(text) })),
  })
  const records = { id: 's_set', transcript: lines('transcript'), trace: lines('trace'), audit: lines('audit') }
  expect(checkLaws(records, systemDigest).breaks).toEqual([])
  const results = events.flatMap((event) =>
    event.type === 'tool_result' && event.call.id.startsWith('e') ? [event.result] : [],
  )
  const ledger = records.audit.lines.map(({ record }) => record).filter((record) => record.callId.startsWith('e'))
  const now = (name: string) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), 'utf8') : null)
  return { cwd, asked, results, ledger, now, events, sent: model.requests.at(-1)?.messages ?? [] }
}

const text = Array.from({ length: 60 }, (_, i) => `line ${i + 1}\n`).join('')
const change = (path: string, ...lines: number[]): Call => [
  'edit_file',
  { path, edits: lines.map((n) => ({ old_text: `line ${n}\n`, new_text: `LINE ${n}\n` })) },
]
const changed = (from: string, ...lines: number[]) =>
  lines.reduce((made, n) => made.replace(`line ${n}\n`, `LINE ${n}\n`), from)
const yes =
  (amendment?: Amendment): Answer =>
  ({ digest }) => ({ type: 'allow', digest, ...(amendment ? { amendment } : {}) })
const three = { 'a.txt': text, 'b.txt': text, 'src/c.txt': text }

describe('the edits of one reply', () => {
  it('are one question, and one yes writes them all; each call has its own result and entry in the ledger', async () => {
    const { asked, results, now, ledger, events } = await turn(
      three,
      [change('a.txt', 5), ['write_file', { path: 'new/d.txt', content: 'made\n' }], change('src/c.txt', 5, 55)],
      yes(),
    )
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({
      title: '3 files',
      kind: 'edit',
      callId: 'e1',
      changeSet: [
        { callId: 'e1', tool: 'edit_file', title: 'a.txt', path: 'a.txt' },
        { callId: 'e2', tool: 'write_file', title: 'new/d.txt', path: 'new/d.txt' },
        { callId: 'e3', tool: 'edit_file', title: 'src/c.txt', path: 'src/c.txt' },
      ],
    })
    expect(asked[0]?.blocks.map((block) => block.type === 'diff' && block.diff.path)).toEqual([
      'a.txt',
      'new/d.txt',
      'src/c.txt',
    ])
    expect([now('a.txt'), now('new/d.txt'), now('src/c.txt')]).toEqual([
      changed(text, 5),
      'made\n',
      changed(text, 5, 55),
    ])
    expect(results.map(({ ok, summary }) => [ok, summary])).toEqual([
      [true, 'edited a.txt (+1 −1)'],
      [true, 'created new/d.txt (+1 −0)'],
      [true, 'edited src/c.txt (+2 −2)'],
    ])
    const decisions = ledger.filter((record) => record.type === 'decision')
    const outcomes = ledger.filter((record) => record.type === 'outcome')
    expect(decisions.map((record) => [record.callId, record.requestId, record.digestShown])).toEqual(
      asked[0]?.changeSet?.map((call) => [call.callId, asked[0]?.id, call.digest]),
    )
    expect(outcomes.map((record) => record.digestApplied)).toEqual(decisions.map((record) => record.digestPermitted))
    expect(events.filter((event) => event.type === 'tool_proposed' && event.call.id.startsWith('e'))).toHaveLength(3)
  })

  it('are refused together, each with the words of the person', async () => {
    const { results, now } = await turn(three, [change('a.txt', 5), change('b.txt', 5)], () => ({
      type: 'deny',
      message: 'not yet',
    }))
    expect(results.map((result) => [result.ok, result.error, result.content])).toEqual(
      Array(2).fill([
        false,
        'TOOL_PERMISSION_DENIED',
        'The person refused this call. Nothing was done. Their words: not yet',
      ]),
    )
    expect([now('a.txt'), now('b.txt')]).toEqual([text, text])
  })

  it('are applied in part: what was left out says so in the result of its own call', async () => {
    const { results, now, ledger } = await turn(
      three,
      [change('a.txt', 5, 30, 55), change('b.txt', 5), change('src/c.txt', 5)],
      yes({
        selection: { 'a.txt': { 0: true, 2: true }, 'b.txt': {} },
        editedText: { 'src/c.txt@@0': 'mine' },
        comments: [{ path: 'b.txt', hunk: 0, line: 5, snippet: 'LINE 5', text: 'why?' }],
      }),
    )
    expect([now('a.txt'), now('b.txt')]).toEqual([changed(text, 5, 55), text])
    expect(now('src/c.txt')).toBe(text.replace(/line 2\n[\s\S]*line 8\n/, 'mine\n'))
    expect(results.map(({ ok, summary }) => [ok, summary])).toEqual([
      [true, 'edited a.txt (+2 −2, as changed by the person)'],
      [false, 'not applied by the person'],
      [true, 'edited src/c.txt (+1 −7, as changed by the person)'],
    ])
    expect(results[0]?.content).toContain('hunk 2 (@@ -27,7 +27,7 @@): NOT applied')
    expect(results[1]?.content).toContain("The person's comments:\nb.txt:5 `LINE 5`: why?")
    expect(results[2]?.content).toContain('The person edited your proposal')
    expect(ledger.filter(({ type }) => type === 'decision').map(({ outcome }) => outcome)).toEqual([
      'allow',
      'deny',
      'allow',
    ])
  })

  it('that a rule allows run in call order and are not asked about', async () => {
    const { asked, results, now } = await turn(
      three,
      [change('a.txt', 5), change('b.txt', 5), change('src/c.txt', 5)],
      yes(),
      [{ text: 'edit_file(b.txt)', verdict: 'allow', scope: 'session' }],
    )
    expect(asked.map((request) => request.changeSet?.map(({ path }) => path))).toEqual([['a.txt', 'src/c.txt']])
    expect(results.every(({ ok }) => ok)).toBe(true)
    expect([now('a.txt'), now('b.txt'), now('src/c.txt')]).toEqual(Array(3).fill(changed(text, 5)))
  })

  it('that a rule denies stay out of it', async () => {
    const { asked, results, now } = await turn(
      three,
      [change('a.txt', 5), change('b.txt', 5), change('src/c.txt', 5)],
      yes(),
      [{ text: 'edit_file(b.txt)', verdict: 'deny', scope: 'session' }],
    )
    expect(asked.map((request) => request.changeSet?.map(({ path }) => path))).toEqual([['a.txt', 'src/c.txt']])
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true])
    expect([now('a.txt'), now('b.txt'), now('src/c.txt')]).toEqual([changed(text, 5), text, changed(text, 5)])
  })

  it('are offered only rules that would allow all of them, with what those would have covered', async () => {
    const { asked } = await turn(
      three,
      [change('a.txt', 5), change('src/c.txt', 5), change('b.txt', 5)],
      (request) => ({
        type: 'deny',
        message: String(request.suggestions.length),
      }),
    )
    expect(asked[0]?.suggestions).toEqual([
      { text: 'edit_file(**)', label: 'everything below the workspace', covers: 0 },
    ])
  })

  it('are not put together across a command', async () => {
    const { asked } = await turn(three, [change('a.txt', 5), ['bash', { command: 'true' }], change('b.txt', 5)], yes())
    expect(asked.map(({ title, changeSet }) => [title, changeSet])).toEqual([
      ['a.txt', undefined],
      ['true', undefined],
      ['b.txt', undefined],
    ])
  })

  it('stay in order with an allowed edit of the same file between them', async () => {
    const { asked, now } = await turn(
      { 'a.txt': 'one\n', 'b.txt': text },
      [
        ['edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] }],
        ['write_file', { path: 'a.txt', content: 'two and a half\n' }],
        ['edit_file', { path: 'a.txt', edits: [{ old_text: 'half', new_text: 'third' }] }],
        change('b.txt', 5),
      ],
      yes(),
      [{ text: 'write_file(a.txt)', verdict: 'allow', scope: 'session' }],
    )
    expect(asked.map(({ title }) => title)).toEqual(['2 files', 'a.txt'])
    expect(now('a.txt')).toBe('two and a third\n')
  })
})

describe('several edits of one file', () => {
  const twice: Call[] = [
    change('a.txt', 5, 30),
    ['edit_file', { path: 'a.txt', edits: [{ old_text: 'LINE 30\n', new_text: 'Thirty\n' }] }],
    change('a.txt', 55),
  ]

  it('are shown as the one change they make, and written once', async () => {
    const { asked, results, now } = await turn({ 'a.txt': text }, twice, yes())
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ title: 'a.txt' })
    expect(asked[0]?.blocks).toHaveLength(1)
    expect(now('a.txt')).toBe(changed(text, 5, 55).replace('line 30\n', 'Thirty\n'))
    expect(results.map(({ ok, metadata }) => [ok, metadata.changedLines])).toEqual([
      [true, 6],
      [true, 0],
      [true, 0],
    ])
    expect(results[1]?.metadata.oldHash).toBe(results[0]?.metadata.newHash)
  })

  it('tell in each result which of its own hunks were applied', async () => {
    const { results, now } = await turn({ 'a.txt': text }, twice, yes({ selection: { 'a.txt': { 0: true, 1: true } } }))
    expect(now('a.txt')).toBe(changed(text, 5).replace('line 30\n', 'Thirty\n'))
    expect(results.map(({ ok }) => ok)).toEqual([true, true, false])
    expect(results[0]?.content).toContain(
      'Of this call:\nhunk 1 (@@ -2,7 +2,7 @@): applied\nhunk 2 (@@ -27,7 +27,7 @@): applied',
    )
    expect(results[1]?.content).toContain('hunk 1 (@@ -27,7 +27,7 @@): applied')
    expect(results[2]?.content).toContain('Not applied by the person')
  })
})

describe('a file that changed while the person decided', () => {
  const staleness: Answer = (request, nth, cwd) => {
    if (nth === 1) writeFileSync(join(cwd, 'b.txt'), `mine\n${text}`)
    return yes(nth === 1 ? { selection: { 'a.txt': {} } } : undefined)(request, nth, cwd)
  }

  it('lets nothing be written, and the new change is asked about', async () => {
    const seen: (string | null)[] = []
    const { asked, results, now } = await turn(
      three,
      [change('b.txt', 5), change('src/c.txt', 5)],
      (request, nth, cwd) => {
        if (nth === 2) seen.push(readFileSync(join(cwd, 'src/c.txt'), 'utf8'))
        return staleness(request, nth, cwd)
      },
    )
    expect(seen).toEqual([text])
    expect(asked.map(({ reason }) => reason)[1]).toBe('b.txt changed while you decided; this is the new change')
    expect(asked[0]?.digest).not.toBe(asked[1]?.digest)
    expect([now('b.txt'), now('src/c.txt')]).toEqual([`mine\n${changed(text, 5)}`, changed(text, 5)])
    expect(results.map(({ ok }) => ok)).toEqual([true, true])
    expect(results[0]?.content).toContain('Somebody else had changed the file')
    expect(results[1]?.content).not.toContain('Somebody else had changed the file')
  })

  it('leaves alone what was left out before', async () => {
    const { asked, results, now } = await turn(
      three,
      [change('a.txt', 5), change('b.txt', 5), change('src/c.txt', 5)],
      staleness,
    )
    expect(asked[1]?.changeSet?.map(({ path }) => path)).toEqual(['b.txt', 'src/c.txt'])
    expect(results.map(({ ok }) => ok)).toEqual([false, true, true])
    expect(now('a.txt')).toBe(text)
  })

  it('keeps what they changed when a whole new text is merged with it', async () => {
    const { asked, now } = await turn(
      three,
      [['write_file', { path: 'b.txt', content: changed(text, 50) }], change('src/c.txt', 5)],
      staleness,
    )
    expect(asked).toHaveLength(2)
    expect(now('b.txt')).toBe(`mine\n${changed(text, 50)}`)
  })

  it('is told to the model where the edit does not apply any more, and the others are asked about again', async () => {
    const { asked, results, now } = await turn(
      three,
      [change('a.txt', 5), change('b.txt', 5), change('src/c.txt', 5)],
      (request, nth, cwd) => {
        if (nth === 1) writeFileSync(join(cwd, 'b.txt'), 'gone\n')
        return yes()(request, nth, cwd)
      },
    )
    expect(asked[1]?.changeSet?.map(({ path }) => path)).toEqual(['a.txt', 'src/c.txt'])
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true])
    expect(results[1]?.content).toContain('b.txt has changed on disk since it was read, so nothing was written.')
    expect(now('b.txt')).toBe('gone\n')
  })
})

it('an interruption while the question is open gives every call its one result', async () => {
  const { results, ledger, now } = await turn(three, [change('a.txt', 5), change('b.txt', 5)], () => 'interrupt')
  expect(results.map(({ error }) => error)).toEqual(['USER_ABORTED', 'USER_ABORTED'])
  expect(ledger.map(({ outcome, decidedBy }) => [outcome, decidedBy])).toEqual(Array(2).fill(['deny', 'abandoned']))
  expect([now('a.txt'), now('b.txt')]).toEqual([text, text])
})

it('what cannot be written leaves the other files as they were', async () => {
  const { results, now } = await turn(three, [change('a.txt', 5), change('b.txt', 5)], (request, nth, cwd) => {
    rmSync(join(cwd, 'b.txt'))
    mkdirSync(join(cwd, 'b.txt'))
    return yes()(request, nth, cwd)
  })
  expect(now('a.txt')).toBe(text)
  expect(results.map(({ ok }) => ok)).toEqual([false, false])
  expect(results[0]?.content).toContain('a.txt was not written, because b.txt could not be.')
})

it('a rule given with the yes to a set is saved once, and is told with what it would have covered', async () => {
  const rules: StoredRule[] = []
  const { asked } = await turn(
    { 'src/a.txt': text, 'src/b.txt': text, 'c.txt': text },
    [change('c.txt', 5), ['bash', { command: 'true' }], change('src/a.txt', 5), change('src/b.txt', 5)],
    (request) => ({
      type: 'allow',
      digest: request.digest,
      ...(request.changeSet ? { rule: { text: 'edit_file(src/**)', scope: 'session' as const } } : {}),
    }),
    rules,
  )
  expect(rules.map((rule) => rule.text)).toEqual(['edit_file(src/**)'])
  expect(asked.at(-1)?.suggestions).toEqual([{ text: 'edit_file(src/**)', label: 'everything below src', covers: 0 }])
})

it('an earlier question counts for the rule that would have spared it', async () => {
  const { asked } = await turn(
    { 'src/a.txt': text, 'src/b.txt': text },
    [change('src/a.txt', 5), ['bash', { command: 'true' }], change('src/b.txt', 5)],
    yes(),
  )
  expect(asked.at(-1)?.suggestions.map(({ text: rule, covers }) => [rule, covers])).toEqual([
    ['edit_file(src/b.txt)', 0],
    ['edit_file(src/**)', 1],
  ])
})

describe('a whole new text for a file that changed meanwhile', () => {
  const written = (mine: string, theirs: string) =>
    turn({ 'a.txt': text }, [['write_file', { path: 'a.txt', content: theirs }]], (request, nth, cwd) => {
      if (nth === 1) writeFileSync(join(cwd, 'a.txt'), mine)
      return yes()(request, nth, cwd)
    })
  const noteOf = ({ blocks = [] }: Partial<PermissionRequest>) => blocks[0]?.type === 'diff' && blocks[0].diff.note

  it('is merged with it where they do not touch, and asked about as that', async () => {
    const { asked, results, now } = await written(changed(text, 5), changed(text, 50))
    expect(noteOf(asked[1] ?? {})).toBe('what somebody else changed meanwhile stays')
    expect(now('a.txt')).toBe(changed(text, 5, 50))
    expect(results[0]?.content).toContain('merged with what somebody else had changed')
  })

  it('is asked about against it where they do', async () => {
    const { asked, now } = await written(text.replace('line 5\n', 'mine\n'), changed(text, 5))
    expect(noteOf(asked[1] ?? {})).toBe('somebody else changed the same lines meanwhile: this takes their change back')
    expect(now('a.txt')).toBe(changed(text, 5))
  })
})
