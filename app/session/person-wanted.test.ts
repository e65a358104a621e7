import type { EventBody, StopReason } from '@sluice/engine/protocol'
import { expect, test } from 'vitest'
import { commandRequest } from '../../fixtures/screen/requests.ts'
import { personWanted } from './person-wanted.ts'

const wanted = (body: EventBody) => personWanted({ v: 1, seq: 1, time: '', sessionId: 's', turnId: 't', ...body })
const end = (reason: StopReason) => wanted({ type: 'turn_end', reason, durationMs: 1, replies: 1, calls: 0 })

test('a question and the end of a turn call for a person; what they ended themselves does not', () => {
  expect(wanted({ type: 'approval_request', request: commandRequest() })).toBe('needs-you')
  expect(end('final_answer')).toBe('done')
  expect(end('model_error')).toBe('failed')
  expect(end('user_abort')).toBe(null)
  expect(wanted({ type: 'state', name: 'idle' })).toBe(null)
})
