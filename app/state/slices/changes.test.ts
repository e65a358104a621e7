import type { FileDiff, Review } from '@sluice/engine/protocol'
import { describe, expect, test } from 'vitest'
import { diffBlock, startSession, startTurn, teller } from '../../../fixtures/screen/event-streams.ts'
import { entries, reduceView, unverifiedEdits } from '../index.ts'
import { emptyView } from '../state.ts'

/** A session whose edit of one file nobody looked at. */
function edited() {
  const to = teller('s1')
  startSession(to, { mode: 'accept-edits' })
  startTurn(to, 'go')
  const call = { id: 'c1', name: 'edit_file', input: {} }
  const block = diffBlock('src/cart.ts', ['a', 'b'], ['c'])
  to.tell({ type: 'tool_proposed', call, kind: 'edit', title: 'src/cart.ts', blocks: [block] })
  to.tell({ type: 'tool_start', call })
  const result = { ok: true, summary: '', content: '', metadata: { newHash: 'b' } }
  to.tell({ type: 'tool_result', call, result, blocks: [block] })
  to.tell({ type: 'turn_end', reason: 'final_answer', durationMs: 1, replies: 1, calls: 1 })
  const turnId = to.turnId
  to.turnId = null
  const change: FileDiff = diffBlock('src/cart.ts', ['c'], ['a', 'b']).diff
  const review = (extra: Partial<Review>): Review => ({
    ...{
      id: 'r1',
      turnId,
      callId: 'c1',
      tool: 'edit_file',
      path: 'src/cart.ts',
      kept: [0],
      reverted: [],
      change: null,
    },
    ...extra,
  })
  const view = () => to.events.reduce(reduceView, emptyView('s1'))
  return { to, review, change, view }
}

const notices = (view: ReturnType<ReturnType<typeof edited>['view']>) =>
  [...entries(view.settled)].flatMap((item) => (item.kind === 'notice' ? [item.text] : []))

describe('changes that nobody has looked at', () => {
  test('are counted until a look was taken, and again when that is undone', () => {
    const { to, review, view } = edited()
    expect(view().changes).toMatchObject([{ additions: 1, deletions: 2, unreviewed: 1 }])
    to.tell({ type: 'reviewed', review: review({}) })
    expect(view().changes).toMatchObject([{ additions: 1, deletions: 2, unreviewed: 0 }])
    expect(notices(view())).toEqual([])
    to.tell({ type: 'reviewed', review: review({ id: 'r2', undoes: 'r1' }) })
    expect(view().changes).toMatchObject([{ unreviewed: 1 }])
  })

  test('what was taken back is no change any more, is to be verified again, and stands in the transcript', () => {
    const { to, review, change, view } = edited()
    to.tell({ type: 'reviewed', review: review({ kept: [], reverted: [0], change }) })
    expect(view().changes).toMatchObject([{ additions: 0, deletions: 0, unreviewed: 0 }])
    expect(view().verification.edits).toBe(2)
    expect(notices(view())).toEqual([
      'You took back all of a change of src/cart.ts (+2 −1); the model hears of it with your next message.',
    ])
    to.tell({ type: 'reviewed', review: review({ id: 'r2', kept: [], reverted: [0], change, undoes: 'r1' }) })
    expect(view().changes).toMatchObject([{ unreviewed: 1 }])
  })
})

describe('files that a rewind put back', () => {
  const restored = { path: 'src/cart.ts', how: 'written' as const }

  /** Two edits of one file in a turn, each of its own call. */
  function twice() {
    const { to, view } = edited()
    startTurn(to, 'again')
    for (const id of ['d1', 'd2']) {
      const call = { id, name: 'edit_file', input: {} }
      const block = diffBlock('src/cart.ts', [], [id])
      to.tell({ type: 'tool_proposed', call, kind: 'edit', title: 'src/cart.ts', blocks: [block] })
      to.tell({ type: 'tool_start', call })
      const result = { ok: true, summary: '', content: '', metadata: { newHash: id } }
      to.tell({ type: 'tool_result', call, result, blocks: [block] })
    }
    to.tell({ type: 'turn_end', reason: 'final_answer', durationMs: 1, replies: 1, calls: 2 })
    const toTurnId = to.turnId
    to.turnId = null
    const rewound = { id: 'r1', toTurnId, input: 'again', conversation: false, turns: 0, files: [restored], kept: [] }
    return { to, view, rewound }
  }

  test.each([
    ['d2', 2, 2],
    ['d1', 1, 1],
  ])('as they were before the call %s count the edits before it', (callId, edits, unreviewed) => {
    const { to, view, rewound } = twice()
    expect(view().changes).toMatchObject([{ additions: 3, edits: 3, unreviewed: 3 }])
    const call = { callId, tool: 'edit_file', title: 'src/cart.ts' }
    to.tell({ type: 'rewound', rewound: { ...rewound, call } })
    expect(view().changes).toMatchObject([{ additions: edits, edits, unreviewed }])
    // Nothing else was changed since: what was taken back needs no check.
    expect(view().verification).toMatchObject({ edits, verified: 0 })
    expect(notices(view())).toEqual([
      'Undo of one call (edit_file: src/cart.ts): 1 file restored. /rewind undo takes it back.',
    ])
    to.tell({ type: 'rewound', rewound: { ...rewound, id: 'r2', toTurnId: null, undoes: 'r1' } })
    expect(view().changes).toMatchObject([{ additions: 3, edits: 3, unreviewed: 3 }])
  })

  test('as they were before the turn count what was there then', () => {
    const { to, view, rewound } = twice()
    to.tell({ type: 'rewound', rewound })
    expect(view().changes).toMatchObject([{ additions: 1, edits: 1, unreviewed: 1 }])
    expect(view().verification.edits).toBe(1)
  })

  test('without another file that was changed leave that, and no more, to be verified', () => {
    const { to, view, rewound } = twice()
    startTurn(to, 'and another')
    const call = { id: 'd3', name: 'edit_file', input: {} }
    const result = { ok: true, summary: '', content: '', metadata: { newHash: 'd3' } }
    to.tell({ type: 'tool_result', call, result, blocks: [diffBlock('src/other.ts', [], ['x'])] })
    to.tell({ type: 'turn_end', reason: 'final_answer', durationMs: 1, replies: 1, calls: 1 })
    to.turnId = null
    expect(unverifiedEdits(view())).toBe(4)
    to.tell({ type: 'rewound', rewound: { ...rewound, kept: ['src/other.ts'] } })
    expect(unverifiedEdits(view())).toBe(2)
    to.tell({ type: 'rewound', rewound: { ...rewound, id: 'r2', toTurnId: null, undoes: 'r1' } })
    expect(unverifiedEdits(view())).toBe(4)
  })
})
