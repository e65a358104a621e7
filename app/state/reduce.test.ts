import { type AgentEvent, isDurable } from '@sluice/engine/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bashCall,
  diffBlock,
  endTurn,
  eventStream,
  request,
  say,
  startSession,
  startTurn,
  teller,
} from '../../fixtures/screen/event-streams.ts'
import { entries } from './log.ts'
import { type Action, reduce } from './reduce.ts'
import { type AppState, emptyView, initialState, type SessionView } from './state.ts'

function after(actions: readonly Action[], from: AppState = initialState): AppState {
  return actions.reduce(reduce, from)
}

function viewAfter(events: readonly AgentEvent[]): SessionView {
  return after(events).sessions.s1 ?? emptyView('none')
}

describe('laws', () => {
  test('a replay of the durable events gives the live state at every turn end', () => {
    fc.assert(
      fc.property(eventStream, (events) => {
        let live = initialState
        let replayed = initialState
        for (const event of events) {
          live = reduce(live, event)
          if (isDurable(event)) replayed = reduce(replayed, event)
          if (event.type === 'turn_end' || event.type === 'session_start') expect(replayed).toEqual(live)
        }
        expect(replayed).toEqual(live)
      }),
      { numRuns: 200 },
    )
  })

  test('a delta changes nothing but the stream: everything else is the same object', () => {
    const deltas = new Set(['text_delta', 'reasoning_delta', 'tool_output'])
    fc.assert(
      fc.property(eventStream, (events) => {
        let state = initialState
        for (const event of events) {
          const before = state.sessions.s1
          const whole = state
          state = reduce(state, event)
          if (!deltas.has(event.type) || before === undefined) continue
          const { live: _, ...rest } = before
          for (const [key, value] of Object.entries(rest))
            expect(state.sessions.s1?.[key as keyof SessionView]).toBe(value)
          expect(state.ui).toBe(whole.ui)
          expect(state.order).toBe(whole.order)
        }
      }),
      { numRuns: 100 },
    )
  })

  test('settled items are only ever appended and keep their identity', () => {
    fc.assert(
      fc.property(eventStream, (events) => {
        let state = initialState
        for (const event of events) {
          const before = state.sessions.s1 ? [...entries(state.sessions.s1.settled)] : []
          state = reduce(state, event)
          const now = [...entries((state.sessions.s1 ?? emptyView('')).settled)]
          before.forEach((item, i) => {
            expect(now[i]).toBe(item)
          })
        }
      }),
      { numRuns: 50 },
    )
  })

  test('an event of an unknown type leaves the very same state', () => {
    fc.assert(
      fc.property(eventStream, fc.string(), (events, type) => {
        const state = after(events)
        const strange = { ...events[0], seq: 9_999, type: `x_${type}`, payload: 1 } as unknown as AgentEvent
        expect(reduce(state, strange)).toBe(state)
        expect(reduce(state, { ...strange, type: 'toString' } as unknown as AgentEvent)).toBe(state)
      }),
      { numRuns: 30 },
    )
  })

  test('loading a stored session gives what its events give one by one', () => {
    fc.assert(
      fc.property(eventStream, (events) => {
        const { ui: _, ...one } = after(events)
        const { ui: __, ...loaded } = reduce(initialState, { type: 'ui_load', events })
        expect(loaded).toEqual(one)
      }),
      { numRuns: 50 },
    )
  })

  test('the same event on the same state gives an equal state, and the old state is untouched', () => {
    fc.assert(
      fc.property(eventStream, (events) => {
        let state = initialState
        for (const event of events) {
          const copy = structuredClone(state)
          const next = reduce(state, event)
          expect(reduce(state, event)).toEqual(next)
          expect(state).toEqual(copy)
          state = next
        }
      }),
      { numRuns: 15 },
    )
  })
})

describe('a turn', () => {
  test('goes from words to a settled answer with its figures', () => {
    const to = teller()
    startSession(to)
    startTurn(to, 'why does the total drift?', 't1')
    to.tell({ type: 'reasoning_delta', text: 'hm' })
    say(to, 'It is rounded per line.')
    to.tell({
      type: 'usage',
      usage: { model: 'm', inputTokens: 1000, outputTokens: 50, totalTokens: 1050, costUsd: 0.02 },
    })
    endTurn(to)
    const view = viewAfter(to.events)
    expect([...entries(view.settled)].map(({ id: _, at: __, ...item }) => item)).toEqual([
      { kind: 'session', model: 'gpt-5.2', resumed: false },
      { kind: 'user', text: 'why does the total drift?', joined: false },
      { kind: 'assistant', text: 'It is rounded per line.', reasoning: '', partial: false },
      { kind: 'turn-end', reason: 'final_answer', durationMs: 1200, replies: 1, calls: 0, tokens: 1050 },
    ])
    expect(view).toMatchObject({
      live: null,
      phase: { name: 'idle' },
      usage: { replies: 1, totalTokens: 1050, costUsd: 0.02, costKnown: true },
      context: { used: 1050 },
      turn: { id: 't1', replies: 1, calls: 0, tokens: 1050, durationMs: 1200 },
      lastStop: { reason: 'final_answer' },
    })
  })

  test('a call is proposed, asked, allowed, runs, and settles with its decision', () => {
    const to = teller()
    startSession(to)
    startTurn(to, 'test it', 't1')
    const call = bashCall('c1', 'npm test')
    const seen: unknown[] = []
    const note = () => {
      const view = viewAfter(to.events)
      seen.push([view.phase.name, view.approvals.length, view.live?.calls.map((one) => one.status)])
    }
    to.tell({ type: 'tool_proposed', call, kind: 'execute', title: 'npm test', blocks: [] })
    note()
    to.tell({ type: 'approval_request', request: request('q1', call, 'execute', 'npm test', []) })
    note()
    to.tell({
      type: 'approval_decision',
      id: 'q1',
      callId: 'c1',
      decision: { type: 'allow', digest: 'x', rule: { text: 'bash(npm test)', scope: 'session' } },
      decidedBy: 'person',
    })
    note()
    to.tell({ type: 'tool_start', call })
    to.tell({ type: 'tool_output', callId: 'c1', chunk: 'line 1\nline' })
    to.tell({ type: 'tool_output', callId: 'c1', chunk: ' 2\n' })
    note()
    expect(viewAfter(to.events).live?.calls[0]?.tail.text).toBe('line 1\nline 2\n')
    to.tell({
      type: 'tool_result',
      call,
      blocks: [{ type: 'output', text: 'line 1\nline 2\n', exitCode: 1 }],
      result: {
        ok: false,
        summary: 'exit 1',
        content: 'x',
        metadata: { durationMs: 1400, exitCode: 1 },
        error: 'TOOL_EXECUTION_FAILED',
      },
    })
    note()
    expect(seen).toEqual([
      ['working', 0, ['proposed']],
      ['needs-you', 1, ['asked']],
      ['working', 0, ['proposed']],
      ['working', 0, ['running']],
      ['working', 0, []],
    ])
    expect([...entries(viewAfter(to.events).settled)].at(-1)).toMatchObject({
      kind: 'call',
      id: 't1/c1',
      title: 'npm test',
      status: 'failed',
      exitCode: 1,
      durationMs: 1400,
      decision: { type: 'allow', by: 'person', message: '', rule: 'bash(npm test)' },
    })
  })

  test('edits count as changes, and stay unverified until a check passes', () => {
    const to = teller()
    startSession(to)
    startTurn(to, 'fix it', 't1')
    const edit = (id: string, path: string, by: 'person' | 'rule') => {
      const call = { id, name: 'edit_file', input: {} }
      const blocks = [diffBlock(path, ['a'], ['b', 'c'])]
      to.tell({ type: 'tool_proposed', call, kind: 'edit', title: path, blocks })
      to.tell({ type: 'approval_request', request: request(`q${id}`, call, 'edit', path, blocks) })
      to.tell({
        type: 'approval_decision',
        id: `q${id}`,
        callId: id,
        decision: { type: 'allow', digest: 'x' },
        decidedBy: by,
      })
      to.tell({ type: 'tool_start', call })
      const metadata = { durationMs: 1, path, newHash: 'n', oldHash: 'o', changedLines: 3 }
      to.tell({ type: 'tool_result', call, blocks, result: { ok: true, summary: 'edited', content: '', metadata } })
    }
    const check = (passed: boolean) =>
      to.tell({
        type: 'verification',
        result: { command: 'npm test', exitCode: passed ? 0 : 1, durationMs: 5, passed, importantOutput: '' },
      })
    check(false)
    edit('c1', 'src/cart.ts', 'person')
    edit('c2', 'src/cart.ts', 'rule')
    edit('c3', 'src/new.ts', 'rule')
    expect(viewAfter(to.events).changes).toEqual([
      { path: 'src/cart.ts', change: 'edit', additions: 4, deletions: 2, hunks: 2, edits: 2, unreviewed: 1 },
      { path: 'src/new.ts', change: 'edit', additions: 2, deletions: 1, hunks: 1, edits: 1, unreviewed: 1 },
    ])
    expect(viewAfter(to.events).verification).toMatchObject({ edits: 3, verified: 0, results: [{ editsBefore: 0 }] })
    check(false)
    expect(viewAfter(to.events).verification).toMatchObject({ edits: 3, verified: 0, results: [{ editsBefore: 3 }] })
    check(true)
    expect(viewAfter(to.events).verification).toMatchObject({ edits: 3, verified: 3 })
  })

  test('a question that its turn or process left behind is closed', () => {
    const to = teller()
    startSession(to)
    startTurn(to, 'go', 't1')
    const call = bashCall('c1', 'rm -r build')
    to.tell({ type: 'tool_proposed', call, kind: 'execute', title: 'rm', blocks: [] })
    to.tell({ type: 'approval_request', request: request('q1', call, 'execute', 'rm', []) })
    expect(viewAfter(to.events).approvals).toHaveLength(1)
    startSession(to, { resumed: true })
    expect(viewAfter(to.events)).toMatchObject({ approvals: [], live: null, phase: { name: 'idle' } })
  })
})

describe('sessions on screen', () => {
  test('the first one takes the focus; another that ends a turn is unseen until it is looked at', () => {
    const one = teller('s1')
    startSession(one)
    const two = teller('s2')
    startSession(two)
    startTurn(two, 'hi')
    endTurn(two)
    const state = after([...one.events, ...two.events])
    expect([state.order, state.focus, state.ui.unseen]).toEqual([['s1', 's2'], 's1', ['s2']])
    const looked = reduce(state, { type: 'ui_focus', sessionId: 's2' })
    expect([looked.focus, looked.ui.unseen]).toEqual(['s2', []])
    const closed = reduce(looked, { type: 'ui_close_session', sessionId: 's2' })
    expect([closed.order, closed.focus, Object.keys(closed.sessions)]).toEqual([['s1'], 's1', ['s1']])
    expect(reduce(closed, { type: 'ui_focus', sessionId: 's2' })).toBe(closed)
  })
})
