import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ask, brokenPairs, createCannedModel, say } from '../../fixtures/canned-model.ts'
import { recordTurns } from '../../fixtures/recorded-session.ts'
import { createWorld, done, judgeBy, testTool, type WorldOptions } from '../../fixtures/session-world.ts'
import { readRecords } from '../adapters/session-records/index.ts'
import { systemDigest } from '../adapters/system/index.ts'
import type { RunContext, ToolOutcome } from '../ports/index.ts'
import { type AgentEvent, isDurable, type StopReason, type Verdict } from '../protocol/index.ts'
import { checkLaws } from './laws.ts'
import { resumeSession } from './resume.ts'

type Run = (input: Record<string, unknown>, context: RunContext) => Promise<ToolOutcome> | ToolOutcome

/** A session whose `bash` is `run`; it says what it was told unless given. */
function world(verdict: Verdict, options: Partial<WorldOptions> & { run?: Run } = {}) {
  const says: Run = ({ command }) => ({ ...done(`out of ${command}`), metadata: { exitCode: 0 } })
  const { run = says, ...rest } = options
  const model = createCannedModel([say('I see'), say('yes')])
  const made = createWorld({
    model,
    tools: [testTool('bash', 'execute', run)],
    judge: judgeBy({ bash: verdict }),
    ...rest,
  })
  const typed = async (command: string): Promise<StopReason> => {
    // A turn's end is told a moment before the session rests.
    while (made.session.busy) await new Promise((resolve) => setImmediate(resolve))
    const ended = made.next('turn_end')
    expect(made.session.run(command)).toBe(true)
    return (await ended).reason
  }
  /** What the model is sent next. */
  const told = async () => {
    await made.turn('and now?')
    return model.requests.at(-1)?.messages.map(({ role, content }) => `${role} ${content}`)
  }
  return { ...made, model, typed, told }
}

describe('a command that the person types', () => {
  it('runs as a turn without a model, and the next request has what came of it', async () => {
    const { typed, told, types, events } = world('allow')
    expect(await typed('ls')).toBe('final_answer')
    expect(types()).toEqual([
      'session_start',
      'turn_start',
      'state',
      'tool_proposed',
      'state',
      'tool_start',
      'tool_result',
      'state',
      'turn_end',
    ])
    expect(events.find((event) => event.type === 'turn_start')).toMatchObject({ input: '!ls' })
    expect(events.at(-1)).toMatchObject({ replies: 0, calls: 1 })
    expect(await told()).toEqual(['system system (default)', 'user I ran `ls`:\nout of ls', 'user and now?'])
  })

  it('is asked about like any other, and a no stops it', async () => {
    const { typed, told, types, audit } = world('ask', {
      unattended: () => ({ decision: { type: 'deny', message: 'not that' }, decidedBy: 'person' }),
    })
    expect(await typed('rm x')).toBe('final_answer')
    expect(types()).toContain('approval_request')
    expect(types()).not.toContain('tool_start')
    expect(audit).toMatchObject([{ type: 'decision', outcome: 'deny', decidedBy: 'person' }])
    expect((await told())?.[1]).toMatch(/^user I wanted to run `rm x`:\n.*not that/)
  })

  it('is stopped by a deny rule without a question', async () => {
    const { typed, types, told } = world('deny')
    expect(await typed('rm x')).toBe('final_answer')
    expect(types()).not.toContain('approval_request')
    expect(types()).not.toContain('tool_start')
    expect((await told())?.[1]).toMatch(/^user I wanted to run `rm x`:\nNot permitted/)
  })

  it('is refused while a turn runs, and words that come while it runs wait for its end', async () => {
    const release = Promise.withResolvers<void>()
    const { session, typed, next, events, model } = world('allow', {
      run: async () => {
        await release.promise
        return done('slow')
      },
    })
    const started = next('tool_start')
    const ended = typed('sleep')
    await started
    expect(session.run('again')).toBe(false)
    session.send('then this')
    release.resolve()
    expect(await ended).toBe('final_answer')
    await next('turn_end')
    expect(model.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['then this'])
    expect(events.filter((event) => event.type === 'turn_start').map(({ input }) => input)).toEqual([
      '!sleep',
      'then this',
    ])
  })

  it('ends with the interruption when it is interrupted, and a check that it ran counts', async () => {
    const { session, typed, next, events } = world('allow', {
      run: ({ command }, { signal }) =>
        command === 'npm test'
          ? { ...done('ok'), metadata: { exitCode: 0 } }
          : new Promise((resolve) => {
              const stop = () => resolve({ ...done('stopped'), ok: false, metadata: { exitCode: null } })
              signal.addEventListener('abort', stop, { once: true })
            }),
    })
    expect(await typed('npm test')).toBe('final_answer')
    expect(events.find((event) => event.type === 'verification')).toMatchObject({
      result: { command: 'npm test', passed: true },
    })
    const started = next('tool_start')
    const ended = typed('tail -f log')
    await started
    session.interrupt()
    expect(await ended).toBe('user_abort')
  })
})

describe('a recorded command of the person', () => {
  const durable = (events: AgentEvent[]) => events.filter(isDurable)

  it.each<Verdict>(['allow', 'deny'])(
    'law 4: resuming has the same history as the live session (%s)',
    async (verdict) => {
      const live = world(verdict)
      await live.typed('ls')
      await live.turn('hello')
      await live.typed('echo `date`\npwd')
      const resumed = resumeSession(durable(live.events))
      expect(resumed.repairs).toEqual([])
      expect(resumed.history).toHaveLength(4)
      await live.turn('the last')
      expect(live.model.requests.at(-1)?.messages.slice(1, -1)).toEqual(resumed.history)
    },
  )

  it('a prompt that begins with ! stays a prompt, and its calls stay the model’s', async () => {
    const model = createCannedModel([ask('a', ['bash', { command: 'ls' }]), say('done')])
    const { turn, events } = world('allow', { model })
    await turn('!important: look')
    expect(resumeSession(durable(events)).history.map(({ role, content }) => `${role} ${content}`)).toEqual([
      'user !important: look',
      'assistant ',
      'tool out of ls',
      'assistant done',
    ])
  })

  it('law 1: wherever the record is cut off, it resumes with valid pairs and needs no second repair', async () => {
    const live = world('ask', {
      unattended: (request) => ({ decision: { type: 'allow', digest: request.digest }, decidedBy: 'person' }),
    })
    await live.typed('ls')
    await live.turn('hello')
    const events = durable(live.events)
    for (let length = 0; length <= events.length; length++) {
      const kept = events.slice(0, length)
      const resumed = resumeSession(kept)
      expect(brokenPairs(resumed.history)).toBeUndefined()
      const start: AgentEvent = {
        ...{ v: 1, seq: 999, time: '', sessionId: 's', turnId: null, type: 'session_start' },
        ...{ cwd: '/workspace', model: 'canned', mode: 'default', version: '0', resumed: true },
      }
      const repaired = resumed.repairs.map(
        ({ turnId, body }, i): AgentEvent => ({ v: 1, seq: 1000 + i, time: '', sessionId: 's', turnId, ...body }),
      )
      const again = resumeSession([...kept, start, ...repaired])
      expect(again.repairs).toEqual([])
      expect(again.history).toEqual(resumed.history)
    }
  })

  it('holds all laws with the real tool and the real records', async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-typed-')))
    writeFileSync(join(cwd, 'a.txt'), 'one\n')
    const { id, paths } = await recordTurns(cwd, createCannedModel([say('I see')]), ['!cat a.txt', '!false', 'hello'], {
      allow: ['bash(cat *)'],
      answer: () => ({ decision: { type: 'deny', message: 'no' }, decidedBy: 'person' }),
    })
    const records = readRecords(id, paths)
    expect(checkLaws(records, systemDigest)).toMatchObject({
      breaks: [],
      counts: { turns: 3, calls: 2, decisions: 2, outcomes: 1 },
    })
    const lines = records.transcript.lines.filter(({ record }) => record.type !== 'tool_result')
    const broken = checkLaws({ ...records, transcript: { lines, damaged: [] } }, systemDigest).breaks
    expect(broken.map(({ law }) => law)).toContain('law 1')
  })
})
