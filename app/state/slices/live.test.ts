import type { AgentEvent, EventBody } from '@sluice/engine/protocol'
import { expect, test } from 'vitest'
import { commandRequest } from '../../../fixtures/screen/requests.ts'
import { initialState, reduce } from '../index.ts'

const call = { id: 'call_1', name: 'bash', input: { command: 'npm ci' } }
const asked = (id: string) => ({ ...commandRequest('npm ci'), id, callId: call.id })

/** The live call after these events of one turn. */
function liveAfter(...bodies: EventBody[]) {
  const start: EventBody = { type: 'session_start', cwd: '/w', model: 'm', mode: 'default', version: '0' }
  const events = [start, { type: 'turn_start', input: 'go' } as EventBody, ...bodies].map(
    (body, i): AgentEvent => ({
      v: 1,
      seq: i + 1,
      time: new Date(i).toISOString(),
      sessionId: 's1',
      turnId: 't1',
      ...body,
    }),
  )
  return events.reduce(reduce, initialState).sessions.s1
}

const proposed: EventBody = { type: 'tool_proposed', call, kind: 'execute', title: 'npm ci', blocks: [] }
const permitted: EventBody[] = [
  { type: 'approval_request', request: asked('a1') },
  {
    type: 'approval_decision',
    id: 'a1',
    callId: call.id,
    decision: { type: 'allow', digest: 'd' },
    decidedBy: 'person',
  },
  { type: 'tool_start', call },
]

test('what is asked for a running command leaves it running under its own decision', () => {
  const open = liveAfter(proposed, ...permitted, { type: 'approval_request', request: asked('a2') })
  expect(open?.live?.calls).toMatchObject([{ status: 'running', decision: { type: 'allow' } }])
  expect(open?.approvals.map((request) => request.id)).toEqual(['a2'])
  const refused = liveAfter(
    proposed,
    ...permitted,
    { type: 'approval_request', request: asked('a2') },
    { type: 'approval_decision', id: 'a2', callId: call.id, decision: { type: 'deny' }, decidedBy: 'person' },
  )
  expect(refused?.live?.calls).toMatchObject([{ status: 'running', decision: { type: 'allow' } }])
  expect(refused?.approvals).toEqual([])
})

test('a reply that is asked for again begins anew', () => {
  const view = liveAfter(
    { type: 'text_delta', text: 'ONE TWO' },
    { type: 'reasoning_delta', text: 'hm' },
    {
      type: 'notice',
      level: 'warn',
      code: 'model_retry',
      text: 'The connection broke. Trying again at once (attempt 2).',
    },
    { type: 'text_delta', text: 'ONE TWO THREE' },
  )
  expect(view?.live).toMatchObject({ text: 'ONE TWO THREE', reasoning: '' })
})
