import type { FileDiff, Review } from '@sluice/engine/protocol'
import { describe, expect, test } from 'vitest'
import { diffBlock, startSession, startTurn, teller } from '../../../fixtures/screen/event-streams.ts'
import { entries, reduceView } from '../index.ts'
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
