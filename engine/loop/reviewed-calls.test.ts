import { describe, expect, it } from 'vitest'
import { ask, createCannedModel, say } from '../../fixtures/canned-model.ts'
import { createWorld, done, judgeBy, testTool, type World } from '../../fixtures/session-world.ts'
import { defineTool, type PrepareContext, type Tool, ToolFailure } from '../ports/index.ts'
import type { Amendment, LineComment, PermissionRequest } from '../protocol/index.ts'

const path = '/workspace/f'
const hashOf = (text: string) => `hash of ${text}`

/** Replaces a word of a text in memory that it has to have read in its present version. */
function replacer(disk: { text: string }): Tool {
  type Input = { from: string; to: string }
  type Plan = { before: string; after: string }
  const prepared = ({ before, after }: Plan) => ({
    title: 'f',
    needs: [],
    blocks: [{ type: 'text' as const, text: after }],
    plan: { before, after },
    fingerprint: `${before}->${after}`,
    writes: [{ path, bytes: new TextEncoder().encode(after), hash: hashOf(after) }],
  })
  return defineTool<Input, Plan>({
    name: 'replace',
    kind: 'edit',
    description: '',
    input: { jsonSchema: {}, validate: (value) => ({ ok: true, value: value as Input }) },
    timeoutMs: 0,
    maxResultTokens: 1000,
    prepare: async ({ from, to }, context: PrepareContext) => {
      if (context.files.get(path)?.hash !== hashOf(disk.text)) throw new ToolFailure('not read')
      if (!disk.text.includes(from)) throw new ToolFailure(`"${from}" is not there`)
      return prepared({ before: disk.text, after: disk.text.replace(from, to) })
    },
    amend: async (plan, { editedText }: Amendment) => prepared({ ...plan, after: editedText?.f ?? plan.after }),
    run: async ({ before, after }) => {
      if (disk.text !== before) {
        throw new ToolFailure('stale', 'TOOL_EXECUTION_FAILED', {
          stale: true,
          now: { path, hash: hashOf(disk.text) },
        })
      }
      disk.text = after
      return { ...done(`now ${after}`), applied: `${before}->${after}` }
    },
  })
}

type Answer = Parameters<World['session']['answer']>[1]

/** One edit in a world whose model knows the file; `decide` answers the nth question, after it may have changed the disk. */
async function edited(decide: (request: PermissionRequest, nth: number, disk: { text: string }) => Answer) {
  const disk = { text: 'one two' }
  const model = createCannedModel([
    ask('a', ['look', {}]),
    ask('b', ['replace', { from: 'two', to: 'TWO' }]),
    say('ok'),
  ])
  const look = testTool('look', 'read', (_input, context) => {
    context.files.note(path, { hash: hashOf('one two'), whole: true })
    return done('one two')
  })
  const world = createWorld({ model, tools: [look, replacer(disk)], judge: judgeBy({ look: 'allow', replace: 'ask' }) })
  const asked: PermissionRequest[] = []
  world.session.subscribe((event) => {
    if (event.type !== 'approval_request') return
    const nth = asked.push(event.request) - 1
    queueMicrotask(() => world.session.answer(event.request.id, decide(event.request, nth, disk)))
  })
  await world.turn('go')
  return { disk, asked, world, told: String(model.requests[2]?.messages.at(-1)?.content) }
}

const allow = (request: PermissionRequest, amendment?: Amendment): Answer => ({
  type: 'allow',
  digest: request.digest,
  ...(amendment ? { amendment } : {}),
})
const comment: LineComment = { path: 'src/f', hunk: 0, line: 41, snippet: '  return two  ', text: 'keep it' }
const said = "The person's comments:\nsrc/f:41 `return two`: keep it"

describe('comments of the person', () => {
  it('are in the result of the call, and change nothing of what runs', async () => {
    const { told, world } = await edited((request) => allow(request, { comments: [comment] }))
    expect(told).toBe(`now one TWO\n${said}`)
    const decisions = world.audit.flatMap((entry) => (entry.type === 'decision' ? [entry] : []))
    expect(decisions.at(-1)?.digestPermitted).toBe(decisions.at(-1)?.digestShown)
  })

  it('are there beside an amendment', async () => {
    const { told } = await edited((request) => allow(request, { editedText: { f: 'mine' }, comments: [comment] }))
    expect(told).toBe(`now mine\n${said}`)
  })

  it('are there also when a tool that cannot be amended refuses the rest', async () => {
    const model = createCannedModel([ask('a', ['run', {}]), say('ok')])
    const tools = [testTool('run', 'execute', () => done('ran'))]
    const world = createWorld({ model, tools, judge: judgeBy({ run: 'ask' }) })
    world.session.subscribe((event) => {
      if (event.type !== 'approval_request') return
      const amendment = { editedCommand: 'ls', comments: [comment] }
      queueMicrotask(() => world.session.answer(event.request.id, allow(event.request, amendment)))
    })
    await world.turn('go')
    expect(model.requests[1]?.messages.at(-1)?.content).toBe(
      `run cannot be changed before it runs; nothing was done.\n${said}`,
    )
  })
})

describe('a file that changed while the person decided', () => {
  it('is shown again with the change as it would be now, and a new yes applies exactly that', async () => {
    const { disk, asked, told, world } = await edited((request, nth, file) => {
      if (nth === 0) file.text = 'zero one two'
      return allow(request)
    })
    expect(asked.map((request) => [request.blocks, request.reason])).toEqual([
      [[{ type: 'text', text: 'one TWO' }], expect.any(String)],
      [[{ type: 'text', text: 'zero one TWO' }], 'the file changed while you decided; this is the new change'],
    ])
    expect(asked[1]?.digest).not.toBe(asked[0]?.digest)
    expect(disk.text).toBe('zero one TWO')
    expect(told).toContain('now zero one TWO\nSomebody else had changed the file')
    const outcomes = world.audit.flatMap((entry) => (entry.type === 'outcome' ? [entry.digestApplied] : []))
    expect(outcomes.at(-1)).toBe(asked[1]?.digest)
    expect(world.events.filter((event) => event.type === 'tool_result')).toHaveLength(2)
  })

  it('stays as it is when the second answer is no', async () => {
    const { disk, told } = await edited((request, nth, file) => {
      if (nth === 1) return { type: 'deny', message: 'leave mine' }
      file.text = 'my two'
      return allow(request)
    })
    expect(disk.text).toBe('my two')
    expect(told).toContain('Their words: leave mine')
  })

  it('is asked about only once more: then the failure goes to the model', async () => {
    const { disk, asked, told } = await edited((request, nth, file) => {
      file.text = `${nth} two`
      return allow(request)
    })
    expect({ text: disk.text, asked: asked.length, told }).toEqual({ text: '1 two', asked: 2, told: 'stale' })
  })

  it('is not asked about when the edit no longer applies', async () => {
    const { disk, asked, told } = await edited((request, _nth, file) => {
      file.text = 'something else'
      return allow(request)
    })
    expect({ text: disk.text, asked: asked.length, told }).toEqual({ text: 'something else', asked: 1, told: 'stale' })
  })
})

it('what the person wrote is refused where a rule denies it', async () => {
  const command: Tool = {
    ...testTool('run', 'execute', () => done('ran')),
    amend: async (plan, { editedCommand }) => ({
      title: 'run',
      needs: [
        { type: 'command', argv: null, plain: false, hazards: [], writes: [], text: editedCommand ?? '' } as const,
      ],
      blocks: [],
      plan,
      fingerprint: editedCommand ?? '',
    }),
  }
  const model = createCannedModel([ask('a', ['run', {}]), say('ok')])
  const world = createWorld({
    model,
    tools: [command],
    judge: (question) => ({
      ...judgeBy({ run: 'ask' })(question),
      ...(question.needs.length > 0 ? { verdict: 'deny' as const, decidedBy: 'rule' as const, reason: 'no rm' } : {}),
    }),
  })
  world.session.subscribe((event) => {
    if (event.type !== 'approval_request') return
    queueMicrotask(() => world.session.answer(event.request.id, allow(event.request, { editedCommand: 'rm x' })))
  })
  await world.turn('go')
  expect(model.requests[1]?.messages.at(-1)?.content).toBe('Not permitted: as the person changed it: no rm')
  expect(world.types()).not.toContain('tool_start')
})
