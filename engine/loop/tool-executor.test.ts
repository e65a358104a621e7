import { describe, expect, it } from 'vitest'
import { ask, createCannedModel, say } from '../../fixtures/canned-model.ts'
import { createWorld, done, judgeBy, testTool, type World } from '../../fixtures/session-world.ts'
import type { PlannedFile, PrepareContext, Prepared, Tool, ToolOutcome } from '../ports/index.ts'
import { defineTool, ToolFailure } from '../ports/index.ts'
import type { Amendment, PermissionRequest } from '../protocol/index.ts'

type Input = Record<string, unknown>

/** An edit tool over a text in memory: appends its `text`; prepared against the planned result of earlier edits. */
function appender(disk: { text: string }): Tool {
  const plan = (input: Input, planned?: PlannedFile): Prepared<{ before: string; after: string }> => {
    const before = planned ? new TextDecoder().decode(planned.bytes ?? new Uint8Array()) : disk.text
    const after = before + String(input.text)
    return {
      title: `append ${String(input.text)}`,
      needs: [],
      blocks: [{ type: 'text', text: `${before} → ${after}` }],
      plan: { before, after },
      fingerprint: `${before}->${after}`,
      writes: [{ path: '/workspace/f', bytes: new TextEncoder().encode(after), hash: after }],
    }
  }
  return defineTool<Input, { before: string; after: string }>({
    name: 'append',
    kind: 'edit',
    description: '',
    input: { jsonSchema: {}, validate: (value) => ({ ok: true, value: value as Input }) },
    timeoutMs: 0,
    maxResultTokens: 1000,
    prepare: async (input, context: PrepareContext) => plan(input, context.planned.get('/workspace/f')),
    amend: async (old, amendment: Amendment) => {
      const after = amendment.editedText?.f ?? old.after
      return {
        ...plan({ text: '' }),
        plan: { before: old.before, after },
        fingerprint: `${old.before}->${after}`,
        writes: [{ path: '/workspace/f', bytes: new TextEncoder().encode(after), hash: after }],
      }
    },
    run: async ({ before, after }): Promise<ToolOutcome> => {
      if (disk.text !== before) return { ok: false, summary: 'stale', content: `the text is now ${disk.text}` }
      disk.text = after
      return { ...done(after), applied: `${before}->${after}` }
    },
  })
}

/** Answers requests in order with what `decide` says; returns what was asked. */
function answering(
  world: World,
  decide: (request: PermissionRequest) => Parameters<World['session']['answer']>[1],
): PermissionRequest[] {
  const asked: PermissionRequest[] = []
  world.session.subscribe((event) => {
    if (event.type !== 'approval_request') return
    asked.push(event.request)
    queueMicrotask(() => world.session.answer(event.request.id, decide(event.request)))
  })
  return asked
}

const allow = (request: PermissionRequest) => ({ type: 'allow' as const, digest: request.digest })

describe('several calls in one reply', () => {
  it('are prepared each against the planned result of the earlier edits', async () => {
    const disk = { text: '' }
    const model = createCannedModel([ask('a', ['append', { text: 'x' }], ['append', { text: 'y' }]), say('ok')])
    const world = createWorld({ model, tools: [appender(disk)], judge: judgeBy({ append: 'ask' }) })
    const asked = answering(world, allow)
    await world.turn('go')
    expect(asked.map((request) => request.blocks)).toEqual([
      [{ type: 'text', text: ' → x' }],
      [{ type: 'text', text: 'x → xy' }],
    ])
    expect(disk.text).toBe('xy')
  })

  it('are prepared again when an earlier one was refused', async () => {
    const disk = { text: '' }
    const model = createCannedModel([ask('a', ['append', { text: 'x' }], ['append', { text: 'y' }]), say('ok')])
    const world = createWorld({ model, tools: [appender(disk)], judge: judgeBy({ append: 'ask' }) })
    const asked = answering(world, (request) =>
      request.title === 'append x' ? { type: 'deny', message: 'not x' } : allow(request),
    )
    await world.turn('go')
    expect(asked[1]?.blocks).toEqual([{ type: 'text', text: ' → y' }])
    expect(disk.text).toBe('y')
    expect(model.requests[1]?.messages.at(-2)?.content).toContain('Their words: not x')
  })

  it('are prepared again when an earlier one was changed by the person, and the digest of what ran is recorded', async () => {
    const disk = { text: '' }
    const model = createCannedModel([ask('a', ['append', { text: 'x' }], ['append', { text: 'y' }]), say('ok')])
    const world = createWorld({ model, tools: [appender(disk)], judge: judgeBy({ append: 'ask' }) })
    answering(world, (request) =>
      request.title === 'append x' ? { ...allow(request), amendment: { editedText: { f: 'mine' } } } : allow(request),
    )
    await world.turn('go')
    expect(disk.text).toBe('miney')
    const decisions = world.audit.flatMap((entry) => (entry.type === 'decision' ? [entry] : []))
    const outcomes = world.audit.flatMap((entry) => (entry.type === 'outcome' ? [entry] : []))
    expect(decisions[0]?.digestPermitted).not.toBe(decisions[0]?.digestShown)
    expect(outcomes.map((entry) => entry.digestApplied)).toEqual(decisions.map((entry) => entry.digestPermitted))
  })

  it('after a command are prepared only once it has ended', async () => {
    const log: string[] = []
    const command = testTool('run', 'execute', async () => {
      await Promise.resolve()
      log.push('ran')
      return done('ran')
    })
    const look = testTool(
      'look',
      'read',
      () => done('looked'),
      () => {
        log.push('prepared look')
        return {}
      },
    )
    const model = createCannedModel([ask('a', ['run', {}], ['look', {}]), say('ok')])
    const world = createWorld({ model, tools: [command, look] })
    await world.turn('go')
    expect(log).toEqual(['ran', 'prepared look'])
  })

  it('run reads together, writes in order, and report in call order', async () => {
    const log: string[] = []
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const first = testTool('first', 'read', async () => {
      log.push('first starts')
      await gate
      return done('first')
    })
    const second = testTool('second', 'read', () => {
      log.push('second starts')
      release()
      return done('second')
    })
    const edit = testTool('edit', 'edit', () => {
      log.push('edit')
      return done('edit')
    })
    const model = createCannedModel([ask('a', ['first', {}], ['second', {}], ['edit', {}], ['edit', {}]), say('ok')])
    const world = createWorld({ model, tools: [first, second, edit] })
    await world.turn('go')
    expect(log).toEqual(['first starts', 'second starts', 'edit', 'edit'])
    expect(world.events.flatMap((event) => (event.type === 'tool_result' ? [event.call.id] : []))).toEqual([
      'a1',
      'a2',
      'a3',
      'a4',
    ])
  })

  it('are asked one after the other, and a rule given with the first covers the second', async () => {
    const command = testTool('run', 'execute', () => done('ran'))
    const model = createCannedModel([ask('a', ['run', { n: 1 }], ['run', { n: 2 }]), say('ok')])
    const world = createWorld({ model, tools: [command], judge: judgeBy({ run: 'ask' }) })
    const asked = answering(world, (request) => ({ ...allow(request), rule: { text: 'run', scope: 'session' } }))
    await world.turn('go')
    expect(asked.length).toBe(1)
    expect(world.audit.flatMap((entry) => (entry.type === 'decision' ? [entry.decidedBy] : []))).toEqual([
      'person',
      'rule',
    ])
  })
})

describe('the gate', () => {
  it('ignores an answer for another digest, and every answer after the first', async () => {
    const command = testTool('run', 'execute', () => done('ran'))
    const world = createWorld({
      model: createCannedModel([ask('a', ['run', {}]), say('ok')]),
      tools: [command],
      judge: judgeBy({ run: 'ask' }),
    })
    const ended = world.next('turn_end')
    const asked = world.next('approval_request')
    world.session.send('go')
    const { request } = await asked
    expect(world.session.answer(request.id, { type: 'allow', digest: 'other' })).toBe(false)
    expect(world.session.answer(request.id, allow(request))).toBe(true)
    expect(world.session.answer(request.id, { type: 'deny' })).toBe(false)
    expect((await ended).reason).toBe('final_answer')
  })

  it('turns a refusal without words into a result that does not invite a repetition', async () => {
    const command = testTool('run', 'execute', () => done('ran'))
    const model = createCannedModel([ask('a', ['run', {}]), say('ok')])
    const world = createWorld({ model, tools: [command], judge: judgeBy({ run: 'ask' }) })
    answering(world, () => ({ type: 'deny' }))
    await world.turn('go')
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('gave no reason')
    expect(world.types()).not.toContain('tool_start')
  })

  it('says why a rule denied, without asking', async () => {
    const command = testTool('run', 'execute', () => done('ran'))
    const model = createCannedModel([ask('a', ['run', {}]), say('ok')])
    const world = createWorld({ model, tools: [command], judge: judgeBy({ run: 'deny' }) })
    await world.turn('go')
    expect(world.types()).not.toContain('approval_request')
    expect(model.requests[1]?.messages.at(-1)?.content).toBe('Not permitted: the test denies it')
  })

  it('takes the answer of whoever stands in for a person', async () => {
    const command = testTool('run', 'execute', () => done('ran'))
    const world = createWorld({
      model: createCannedModel([ask('a', ['run', {}]), say('ok')]),
      tools: [command],
      judge: judgeBy({ run: 'ask' }),
      unattended: (request) => ({ decision: allow(request), decidedBy: 'demo' }),
    })
    await world.turn('go')
    expect(world.events.find((event) => event.type === 'approval_decision')).toMatchObject({ decidedBy: 'demo' })
  })
})

describe('interrupting', () => {
  it('while a question is open gives every call of the reply a result, and the next turn works', async () => {
    const command = testTool('run', 'execute', () => done('ran'))
    const model = createCannedModel([ask('a', ['run', {}], ['run', { n: 2 }], ['run', { n: 3 }]), say('next')])
    const world = createWorld({ model, tools: [command], judge: judgeBy({ run: 'ask' }) })
    const ended = world.next('turn_end')
    const asked = world.next('approval_request')
    world.session.send('go')
    await asked
    world.session.interrupt()
    expect((await ended).reason).toBe('user_abort')
    const results = world.events.flatMap((event) => (event.type === 'tool_result' ? [event.result.error] : []))
    expect(results).toEqual(['USER_ABORTED', 'USER_ABORTED', 'USER_ABORTED'])
    expect(await world.turn('again')).toBe('final_answer')
  })

  it('while a command runs stops it and keeps what it said', async () => {
    const command = testTool(
      'run',
      'execute',
      (_input, context) =>
        new Promise((resolve) => {
          context.signal.addEventListener('abort', () =>
            resolve({ ok: false, summary: 'stopped', content: 'half the output' }),
          )
        }),
    )
    const model = createCannedModel([ask('a', ['run', {}]), say('next')])
    const world = createWorld({ model, tools: [command] })
    const ended = world.next('turn_end')
    const started = world.next('tool_start')
    world.session.send('go')
    await started
    world.session.interrupt()
    expect((await ended).reason).toBe('user_abort')
    expect(await world.turn('again')).toBe('final_answer')
    expect(model.requests[1]?.messages.map((message) => message.content)).toContain('half the output')
  })

  it('does not wait for ever for a tool that does not stop', async () => {
    const command = testTool('run', 'execute', () => new Promise<ToolOutcome>(() => {}))
    const world = createWorld({ model: createCannedModel([ask('a', ['run', {}])]), tools: [command] })
    const ended = world.next('turn_end')
    const started = world.next('tool_start')
    world.session.send('go')
    await started
    world.session.interrupt()
    await world.clock.advance(8000)
    expect((await ended).reason).toBe('user_abort')
    expect(world.events.find((event) => event.type === 'tool_result')).toMatchObject({
      result: { ok: false, error: 'USER_ABORTED' },
    })
  })
})

describe('a tool', () => {
  it('that runs too long is stopped, and its result says so', async () => {
    const slow = testTool(
      'slow',
      'read',
      (_input, context) =>
        new Promise((resolve) => {
          context.signal.addEventListener('abort', () => resolve({ ok: false, summary: 'stopped', content: 'so far' }))
        }),
      undefined,
      5000,
    )
    const model = createCannedModel([ask('a', ['slow', {}]), say('ok')])
    const world = createWorld({ model, tools: [slow] })
    const ended = world.turn('go')
    await world.clock.advance(5000)
    expect(await ended).toBe('final_answer')
    expect(model.requests[1]?.messages.at(-1)?.content).toBe('Stopped after 5 s, the limit of slow.\nso far')
  })

  it('that throws a ToolFailure is heard by the model; anything else is called a bug', async () => {
    const failing = testTool('failing', 'read', () => {
      throw new ToolFailure('the disk is on fire', 'TOOL_EXECUTION_FAILED', { path: 'x' })
    })
    const buggy = testTool('buggy', 'read', () => {
      throw new TypeError('undefined is not a function')
    })
    const model = createCannedModel([ask('a', ['failing', {}], ['buggy', {}]), say('ok')])
    const world = createWorld({ model, tools: [failing, buggy] })
    expect(await world.turn('go')).toBe('final_answer')
    const results = world.events.flatMap((event) => (event.type === 'tool_result' ? [event.result] : []))
    expect(results.map((result) => [result.error, result.metadata.path])).toEqual([
      ['TOOL_EXECUTION_FAILED', 'x'],
      ['INTERNAL', undefined],
    ])
    expect(results[1]?.content).toContain('bug')
  })

  it('that says too much is cut in the middle and the whole is kept in a file', async () => {
    const loud = testTool('loud', 'read', () => done('start\n'.repeat(3000) + 'end\n'.repeat(3000)))
    const model = createCannedModel([ask('a', ['loud', {}]), say('ok')])
    const world = createWorld({ model, tools: [loud] })
    await world.turn('go')
    const content = model.requests[1]?.messages.at(-1)?.content ?? ''
    expect(content).toMatch(/^start\n/)
    expect(content).toMatch(/characters left out here; the full text is in \/artifacts\/loud-output\.txt/)
    expect(content).toMatch(/end\n$/)
    expect(content.length).toBeLessThan(8000)
  })

  it('always has its duration in the result, and a note of the person beside it', async () => {
    const command = testTool('run', 'execute', () => done('ran'))
    const model = createCannedModel([ask('a', ['run', {}]), say('ok')])
    const world = createWorld({ model, tools: [command], judge: judgeBy({ run: 'ask' }) })
    answering(world, (request) => ({ ...allow(request), note: 'only this once' }))
    await world.turn('go')
    expect(world.events.find((event) => event.type === 'tool_result')).toMatchObject({
      result: { content: 'ran\n[The person adds: only this once]', metadata: { durationMs: 0 } },
    })
  })

  it('that asks gets the answer of the person', async () => {
    const question = testTool(
      'question',
      'ask',
      (_input, context) => done(`they said ${context.answer}`),
      () => ({ question: { text: 'tabs or spaces?' } }),
    )
    const model = createCannedModel([ask('a', ['question', {}]), say('ok')])
    const world = createWorld({ model, tools: [question] })
    answering(world, (request) => ({ ...allow(request), answer: 'tabs' }))
    await world.turn('go')
    expect(model.requests[1]?.messages.at(-1)?.content).toBe('they said tabs')
  })
})
