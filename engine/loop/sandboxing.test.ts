import { describe, expect, it } from 'vitest'
import { ask, createCannedModel, say } from '../../fixtures/canned-model.ts'
import { createWorld, done, judgeBy, testTool, type World, type WorldOptions } from '../../fixtures/session-world.ts'
import type { AuditEntry, HostAnswer, RunContext, Sandbox, SandboxState, Tool, ToolOutcome } from '../ports/index.ts'
import type { Decision, PermissionRequest } from '../protocol/index.ts'

/** Walls of words: that a command goes through `wrap` is all there is to them. */
function sandbox(state: SandboxState = { on: true }, required = false): Sandbox & { started: number } {
  const walls: Sandbox & { started: number } = {
    started: 0,
    required,
    state: () => state,
    async start() {
      walls.started++
      return state
    },
    wrap: async ({ argv }) => ({
      argv,
      env: {},
      refusals: async () => ({ refused: [], blocked: false }),
      close: () => {},
    }),
    close: async () => {},
  }
  return walls
}

const noSandbox: SandboxState = { on: false, reason: 'bubblewrap is not installed', fix: 'Install it.' }

/** A tool that runs commands; `work` gets where they run. */
function runner(
  work: (where: string, context: RunContext) => ToolOutcome | Promise<ToolOutcome> = (where) => done(`ran ${where}`),
): Tool {
  const tool = testTool(
    'run',
    'execute',
    async (_input, context) => {
      const wrapped = await context.sandbox?.wrap({ argv: ['cmd'], cwd: '/workspace', signal: context.signal })
      return { applied: '{"n":1}', ...(await work(wrapped ? 'inside' : 'outside', context)) }
    },
    () => ({ fingerprint: '{"n":1}' }),
  )
  return { ...tool, sandboxed: true }
}

function world(tool: Tool, options: Partial<WorldOptions> = {}): World {
  const model = createCannedModel([ask('c', ['run', { n: 1 }]), say('end')])
  return createWorld({ model, tools: [tool], judge: judgeBy({ run: 'allow' }), ...options })
}

/** Answers every request as `decide` says and returns what was asked. */
function answering(at: World, decide: (request: PermissionRequest) => Decision): PermissionRequest[] {
  const asked: PermissionRequest[] = []
  at.session.subscribe((event) => {
    if (event.type !== 'approval_request') return
    asked.push(event.request)
    queueMicrotask(() => at.session.answer(event.request.id, decide(event.request)))
  })
  return asked
}

const yes = (request: PermissionRequest): Decision => ({ type: 'allow', digest: request.digest })
const no = (): Decision => ({ type: 'deny' })

function results(at: World): string[] {
  return at.events.flatMap((event) => (event.type === 'tool_result' ? [event.result.content] : []))
}

function notices(at: World): [code: string, text: string][] {
  return at.events.flatMap((event) => (event.type === 'notice' ? [[event.code, event.text]] : []))
}

function decisions(at: World) {
  return at.audit.filter((entry): entry is AuditEntry & { type: 'decision' } => entry.type === 'decision')
}

function outcomes(at: World) {
  return at.audit.filter((entry): entry is AuditEntry & { type: 'outcome' } => entry.type === 'outcome')
}

describe('where a command runs', () => {
  const table: [string, Sandbox | undefined, string, 'on' | 'off' | 'unavailable'][] = [
    ['outside without a sandbox', undefined, 'ran outside', 'off'],
    ['inside one that is there', sandbox(), 'ran inside', 'on'],
    ['outside where one is wanted and there is none', sandbox(noSandbox), 'ran outside', 'unavailable'],
  ]
  it.each(table)('is %s, and the question, the ledger and the result say so', async (_name, walls, content, use) => {
    const at = world(runner(), { judge: judgeBy({ run: 'ask' }), ...(walls ? { sandbox: walls } : {}) })
    const asked = answering(at, yes)
    await at.turn('go')
    expect(asked.map((request) => request.sandbox)).toEqual([use])
    expect(decisions(at).map((entry) => entry.sandbox)).toEqual([use])
    expect(results(at)).toEqual([content])
  })

  it('is told once in a session when there is none', async () => {
    const model = createCannedModel([
      ask('a', ['run', { n: 1 }], ['run', { n: 2 }]),
      ask('b', ['run', { n: 3 }]),
      say('end'),
    ])
    const at = world(runner(), { model, sandbox: sandbox(noSandbox) })
    await at.turn('go')
    const notices = at.events.filter((event) => event.type === 'notice')
    expect(notices).toMatchObject([
      {
        code: 'sandbox_unavailable',
        text: 'Commands are not sandboxed, although the config asks for it: bubblewrap is not installed. Install it.',
      },
    ])
  })

  it('is nowhere when a sandbox is required and there is none', async () => {
    let ran = 0
    const at = world(
      runner(() => {
        ran++
        return done('ran')
      }),
      { sandbox: sandbox(noSandbox, true), judge: judgeBy({ run: 'ask' }) },
    )
    const asked = answering(at, yes)
    await at.turn('go')
    expect([ran, asked]).toEqual([0, []])
    expect(results(at)[0]).toBe(
      'Commands may only run in the sandbox (the config says "sandbox": "required"), and there is none: bubblewrap is not installed. Nothing was run. Install it.',
    )
    expect(notices(at)).toEqual([
      [
        'sandbox_unavailable',
        'No command can run: the config says "sandbox": "required", and there is none here: bubblewrap is not installed. Install it.',
      ],
    ])
    expect(at.audit).toEqual([])
  })

  it('does not start a sandbox for tools that run no commands', async () => {
    const walls = sandbox()
    const at = world(
      testTool('run', 'read', (_input, context) => done(`sandbox: ${String(context.sandbox)}`)),
      { sandbox: walls },
    )
    await at.turn('go')
    expect([walls.started, results(at)]).toEqual([0, ['sandbox: undefined']])
  })
})

/** The way in which the last command of `asking` reaches for a host. */
let reach: (host: string, port: number) => Promise<HostAnswer>

/** Walls whose commands ask for hosts through `reach`. */
function asking(): Sandbox {
  return {
    ...sandbox(),
    wrap: async ({ argv, askHost }) => {
      reach = askHost
      return { argv, env: {}, refusals: async () => ({ refused: [], blocked: false }), close: () => {} }
    },
  }
}

/** A tool whose command wants to reach hosts, and prints what it was answered. */
function reaching(...hosts: string[]): Tool {
  return runner(async () => {
    const answers: string[] = []
    for (const host of hosts) {
      const answer = await reach(host, 443)
      answers.push(answer.allow ? `${host}: yes` : `${host}: ${answer.reason}`)
    }
    return done(answers.join('\n'))
  })
}

describe('a host that a sandboxed command wants to reach', () => {
  it('is asked for once, and a yes counts for the session', async () => {
    const model = createCannedModel([ask('a', ['run', { n: 1 }]), ask('b', ['run', { n: 2 }]), say('end')])
    const judge = judgeBy()
    const at = world(reaching('a.example', 'A.example.', 'b.example'), {
      model,
      sandbox: asking(),
      judge: (input) => (input.kind === 'network' ? { ...judge(input), verdict: 'ask' } : judge(input)),
    })
    const asked = answering(at, (request) => (request.title.includes('a.example') ? yes(request) : no()))
    await at.turn('go')
    expect(asked.map(({ title, kind, tool, callId, sandbox: use }) => ({ title, kind, tool, callId, use }))).toEqual([
      { title: 'reach a.example (port 443)', kind: 'network', tool: 'run', callId: 'a1', use: 'on' },
      { title: 'reach b.example (port 443)', kind: 'network', tool: 'run', callId: 'a1', use: 'on' },
      { title: 'reach b.example (port 443)', kind: 'network', tool: 'run', callId: 'b1', use: 'on' },
    ])
    expect(asked[0]?.needs.map((need) => need.need)).toEqual([
      { type: 'network', host: 'a.example', url: 'a.example:443' },
    ])
    expect(results(at)).toEqual([
      'a.example: yes\nA.example.: yes\nb.example: the person said no',
      'a.example: yes\nA.example.: yes\nb.example: the person said no',
    ])
    expect(decisions(at).map(({ step, outcome, callId }) => [callId, step, outcome])).toEqual([
      ['a1', undefined, 'allow'],
      ['a1', 'host', 'allow'],
      ['a1', 'host', 'deny'],
      ['b1', undefined, 'allow'],
      ['b1', 'host', 'deny'],
    ])
  })

  it('is not asked for where the rules have spoken, and the ledger has the decision', async () => {
    const judge = judgeBy()
    const at = world(reaching('a.example'), {
      sandbox: asking(),
      judge: (input) =>
        input.kind === 'network' ? { ...judge(input), verdict: 'deny', reason: 'a rule forbids it' } : judge(input),
    })
    await at.turn('go')
    expect(at.types()).not.toContain('approval_request')
    expect(results(at)).toEqual(['a.example: a rule forbids it'])
    expect(decisions(at).at(-1)).toMatchObject({ step: 'host', outcome: 'deny', kind: 'network', requestId: null })
  })

  it('is refused with the way to permit it when nobody is there', async () => {
    const judge = judgeBy()
    const at = world(reaching('a.example'), {
      sandbox: asking(),
      judge: (input) => (input.kind === 'network' ? { ...judge(input), verdict: 'ask' } : judge(input)),
      unattended: () => ({ decision: { type: 'deny', message: 'use --allow' }, decidedBy: 'headless' }),
    })
    await at.turn('go')
    expect(results(at)).toEqual(['a.example: use --allow'])
  })

  it('is no longer asked for when the call is over: the question is closed and later ones are refused', async () => {
    const judge = judgeBy()
    let late: Promise<HostAnswer> | undefined
    const tool = runner(() => {
      late = reach('slow.example', 443)
      return done('gone on')
    })
    const at = world(tool, {
      sandbox: asking(),
      judge: (input) => (input.kind === 'network' ? { ...judge(input), verdict: 'ask' } : judge(input)),
    })
    await at.turn('go')
    expect(await late).toEqual({ allow: false, reason: 'interrupted' })
    expect(await reach('other.example', 443)).toMatchObject({ allow: false })
    const order = at.types().filter((type) => /approval|tool_result/.test(type))
    expect(order).toEqual(['approval_request', 'approval_decision', 'tool_result'])
    expect(at.events.filter((event) => event.type === 'notice')).toMatchObject([{ code: 'host_refused' }])
  })
})

/** Fails inside for what the sandbox refused, and succeeds outside. */
const confined = runner((where) =>
  where === 'inside'
    ? { ok: false, summary: 'exit 1', content: 'read-only', sandbox: { refused: ['writing /etc/x'], blocked: true } }
    : done('written'),
)

describe('a command that the sandbox stopped', () => {
  it('runs again outside when the person says so, and the ledger has both runs', async () => {
    const at = world(confined, { sandbox: sandbox() })
    const asked = answering(at, yes)
    await at.turn('go')
    expect(asked).toMatchObject([
      {
        title: 'outside the sandbox: {"n":1}',
        kind: 'execute',
        sandbox: 'off',
        reason: 'the sandbox refused writing /etc/x',
        suggestions: [],
        callId: 'c1',
      },
    ])
    expect(results(at)).toEqual([
      "written\n[this ran outside the sandbox with the person's permission, after a first run inside had failed because the sandbox refused writing /etc/x]",
    ])
    const [first, second] = decisions(at)
    expect([first?.step, second?.step, second?.sandbox]).toEqual([undefined, 'outside', 'off'])
    expect(outcomes(at).map((entry) => entry.digestApplied)).toEqual([first?.digestPermitted, second?.digestPermitted])
    expect(first?.digestPermitted).not.toBe(second?.digestPermitted)
    expect(at.types().filter((type) => type.startsWith('tool_'))).toEqual([
      'tool_proposed',
      'tool_start',
      'tool_result',
    ])
  })

  it('stays refused when the person says no, and its result says what was refused', async () => {
    const at = world(confined, { sandbox: sandbox() })
    answering(at, () => ({ type: 'deny', message: 'leave /etc alone' }))
    await at.turn('go')
    expect(results(at)).toEqual([
      'read-only\n[the sandbox refused writing /etc/x; it was not run outside: leave /etc alone]',
    ])
    expect(outcomes(at)).toHaveLength(1)
  })

  it('is never run outside where the sandbox is required', async () => {
    const at = world(confined, { sandbox: sandbox({ on: true }, true) })
    await at.turn('go')
    expect(at.types()).not.toContain('approval_request')
    expect(results(at)).toEqual(['read-only\n[the sandbox refused writing /etc/x]'])
    expect(notices(at)).toEqual([['sandbox_refused', '{"n":1}: the sandbox refused writing /etc/x']])
  })

  it('is told of, and not asked about, when it went on without what was refused', async () => {
    const refusals = { refused: ['writing /etc/x', 'reaching a.example:443 (no)'], blocked: false }
    const at = world(
      runner(() => ({ ...done('fine'), sandbox: refusals })),
      { sandbox: sandbox() },
    )
    await at.turn('go')
    expect(at.types()).not.toContain('approval_request')
    const what = 'the sandbox refused writing /etc/x; reaching a.example:443 (no)'
    expect(results(at)).toEqual([`fine\n[${what}]`])
    expect(notices(at)).toEqual([['sandbox_refused', `{"n":1}: ${what}`]])
  })

  it('is told of when it made what other programs obey', async () => {
    const refusals = { refused: [], blocked: false, made: ['.envrc (shells run or obey it when they start)'] }
    const at = world(
      runner(() => ({ ...done('fine'), sandbox: refusals })),
      { sandbox: sandbox() },
    )
    await at.turn('go')
    const what =
      'this made .envrc (shells run or obey it when they start): a person should look at it before anything uses it'
    expect(results(at)).toEqual([`fine\n[${what}]`])
    expect(notices(at)).toEqual([['guarded_made', `{"n":1}: ${what}`]])
  })

  it('is not asked about when it failed for another reason', async () => {
    const tool = runner(() => ({
      ok: false,
      summary: 'exit 1',
      content: 'tests fail',
      sandbox: { refused: ['writing ~/.cache/x'], blocked: false },
    }))
    const at = world(tool, { sandbox: sandbox() })
    await at.turn('go')
    expect(at.types()).not.toContain('approval_request')
    expect(results(at)).toEqual(['tests fail\n[the sandbox refused writing ~/.cache/x]'])
  })

  it('is not run outside when a rule has come to forbid it', async () => {
    const judge = judgeBy()
    let calls = 0
    const at = world(confined, {
      sandbox: sandbox(),
      judge: (input) => (calls++ === 0 ? judge(input) : { ...judge(input), verdict: 'deny', reason: 'forbidden' }),
    })
    await at.turn('go')
    expect(results(at)).toEqual(['read-only\n[the sandbox refused writing /etc/x; it was not run outside: forbidden]'])
  })
})
