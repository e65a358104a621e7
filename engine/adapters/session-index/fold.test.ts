import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bashCall,
  endTurn,
  eventStream,
  request,
  say,
  startSession,
  startTurn,
  teller,
} from '../../../fixtures/screen/event-streams.ts'
import { tellCommand, tellEdit, tellQuestion } from '../../../fixtures/session-files.ts'
import { fold, nothingFolded, summaryOf } from './fold.ts'

const summary = (to: ReturnType<typeof teller>) =>
  summaryOf('s1', to.events.reduce(fold, nothingFolded), { pinned: false, tags: [] }, 100)

test('a session with an edit, a check and a plan', () => {
  const to = teller()
  startSession(to)
  startTurn(to, 'round cart totals once')
  tellEdit(to, 'c1', 'src/cart.ts', ['a'], ['b', 'c'])
  tellCommand(to, 'c2', 'git diff', '+ not an edit\n- neither')
  to.tell({ type: 'usage', usage: { model: 'm', inputTokens: 1, outputTokens: 1, totalTokens: 2, costUsd: 0.25 } })
  to.tell({ type: 'usage', usage: { model: 'm', inputTokens: 1, outputTokens: 1, totalTokens: 2 } })
  to.tell({
    type: 'verification',
    result: { command: 'npm test', exitCode: 0, durationMs: 1, passed: true, importantOutput: '' },
  })
  to.tell({
    type: 'todo',
    items: [
      { id: '1', text: 'find it', status: 'done' },
      { id: '2', text: 'write a note', status: 'pending' },
      { id: '3', text: 'run the whole suite', status: 'in_progress' },
    ],
  })
  say(to, 'Done.')
  endTurn(to)
  expect(summary(to)).toEqual({
    id: 's1',
    title: 'Round cart totals once',
    cwd: '/home/ada/shop',
    model: 'gpt-5.2',
    startedAt: to.events[0]?.time,
    updatedAt: to.events.at(-1)?.time,
    turns: 1,
    stopReason: 'final_answer',
    costUsd: 0.25,
    additions: 2,
    deletions: 1,
    pendingApprovals: 0,
    checks: 'verified',
    next: 'run the whole suite',
    pinned: false,
    tags: [],
    lostRecords: 0,
    bytes: 100,
    forkedFrom: null,
  })
})

test('a question without an answer is pending and is what it waits for; a new process asks anew', () => {
  const to = teller()
  startSession(to)
  startTurn(to, 'publish it')
  tellQuestion(to, 'c1', 'npm publish')
  expect(summary(to)).toMatchObject({ pendingApprovals: 1, next: 'bash npm publish', stopReason: null })
  startSession(to, { resumed: true })
  expect(summary(to)).toMatchObject({ pendingApprovals: 0, next: '' })
  to.tell({
    type: 'approval_request',
    request: request('q2', bashCall('c1', 'npm publish'), 'execute', 'npm publish', []),
  })
  expect(summary(to)).toMatchObject({ pendingApprovals: 1 })
  to.tell({ type: 'approval_decision', id: 'q2', callId: 'c1', decision: { type: 'deny' }, decidedBy: 'person' })
  expect(summary(to)).toMatchObject({ pendingApprovals: 0 })
})

test.each([
  [[], 'none'],
  [['pass'], 'verified'],
  [['edit'], 'unverified'],
  [['pass', 'edit'], 'unverified'],
  [['edit', 'fail'], 'failing'],
  [['edit', 'fail', 'pass'], 'verified'],
  [['edit', 'pass', 'edit'], 'unverified'],
])('after %j the checks are %s', (steps, checks) => {
  const to = teller()
  startSession(to)
  startTurn(to, 'x')
  steps.forEach((step, i) => {
    if (step === 'edit') tellEdit(to, `c${i}`, 'a.ts', [], ['x'])
    else {
      const result = { command: 'npm test', exitCode: 0, durationMs: 1, passed: step === 'pass', importantOutput: '' }
      to.tell({ type: 'verification', result })
    }
  })
  expect(summary(to).checks).toBe(checks)
})

test('the title is the first real thing said, unless the person named the session', () => {
  const to = teller()
  startSession(to)
  startTurn(to, 'hi')
  expect(summary(to).title).toBe('hi')
  endTurn(to)
  startTurn(to, 'fix the parser')
  startTurn(to, 'and then the lexer')
  expect(summary(to).title).toBe('Fix the parser')
  to.tell({ type: 'setting', title: 'Front end' })
  expect(summary(to).title).toBe('Front end')
  const set = { title: 'Mine', titledAt: '2027', pinned: true, tags: ['a'] }
  expect(summaryOf('s1', to.events.reduce(fold, nothingFolded), set, 0)).toMatchObject({
    title: 'Mine',
    pinned: true,
    tags: ['a'],
  })
})

test('a fork names its source and has cost nothing yet', () => {
  const to = teller()
  startSession(to)
  startTurn(to, 'x')
  to.tell({ type: 'usage', usage: { model: 'm', inputTokens: 1, outputTokens: 1, totalTokens: 2, costUsd: 3 } })
  startSession(to, { resumed: true, forkedFrom: 's0' })
  expect(summary(to)).toMatchObject({ forkedFrom: 's0', costUsd: 0, turns: 1 })
})

test('what a rewind or a review takes back is not counted', () => {
  const to = teller()
  startSession(to)
  for (const turn of ['t1', 't2', 't3']) {
    startTurn(to, turn, turn)
    tellEdit(to, `c_${turn}`, 'a.ts', ['x'], ['y', 'z'])
    endTurn(to)
  }
  const change = {
    path: 'a.ts',
    change: 'edit' as const,
    hunks: [],
    additions: 1,
    deletions: 2,
    oldHash: null,
    newHash: null,
  }
  const review = {
    id: 'r1',
    turnId: 't3',
    callId: 'c_t3',
    tool: 'edit_file',
    path: 'a.ts',
    kept: [],
    reverted: [0],
    change,
  }
  to.tell({ type: 'reviewed', review })
  const rewound = { id: 'w1', toTurnId: 't2', input: 't2', conversation: true, turns: 2, files: [], kept: [] }
  to.tell({ type: 'rewound', rewound })
  expect(summary(to)).toMatchObject({ turns: 1, additions: 4, deletions: 2 })
  to.tell({ type: 'rewound', rewound: { ...rewound, id: 'w2', toTurnId: null, undoes: 'w1' } })
  expect(summary(to)).toMatchObject({ turns: 3 })
})

describe('what checks say after a rewind', () => {
  const passed = { command: 'npm test', exitCode: 0, durationMs: 1, passed: true, importantOutput: '' }
  const files = [{ path: 'a.ts', how: 'written' as const }]
  const rewound = { id: 'w1', toTurnId: 't2', input: 't2', conversation: true, turns: 1, files, kept: [] as string[] }

  /** A turn whose edit passed its check, and one whose edit nobody checked. */
  function twoTurns() {
    const to = teller()
    startSession(to)
    for (const turn of ['t1', 't2']) {
      startTurn(to, turn, turn)
      tellEdit(to, `c_${turn}`, 'a.ts', ['x'], ['y'])
      if (turn === 't1') to.tell({ type: 'verification', result: passed })
      endTurn(to)
    }
    expect(summary(to).checks).toBe('unverified')
    return to
  }

  test.each([
    ['is what they said before the turn', rewound, 'verified'],
    ['is nothing where nothing was edited then', { ...rewound, toTurnId: 't1' }, 'none'],
    ['is that they must run again when a file was kept', { ...rewound, kept: ['b.ts'] }, 'unverified'],
    ['is as before when only the conversation went back', { ...rewound, files: [], kept: ['a.ts'] }, 'unverified'],
  ])('%s', (_, how, checks) => {
    const to = twoTurns()
    to.tell({ type: 'rewound', rewound: how })
    expect(summary(to).checks).toBe(checks)
    to.tell({ type: 'rewound', rewound: { ...rewound, id: 'w2', toTurnId: null, undoes: 'w1' } })
    expect(summary(to)).toMatchObject({ checks: 'unverified' })
  })

  test('a result that is not known changes nothing', () => {
    const to = twoTurns()
    to.tell({ type: 'verification', result: { ...passed, passed: false, unknown: true } })
    expect(summary(to).checks).toBe('unverified')
  })
})

test('folding in two parts, with the state stored in between, is folding at once', () => {
  fc.assert(
    fc.property(eventStream, fc.nat(), (events, cut) => {
      const at = cut % (events.length + 1)
      const first = JSON.parse(JSON.stringify(events.slice(0, at).reduce(fold, nothingFolded)))
      expect(events.slice(at).reduce(fold, first)).toEqual(events.reduce(fold, nothingFolded))
    }),
    { numRuns: 50 },
  )
})
