import { expect, test } from 'vitest'
import { startSession, startTurn, teller } from '../../../fixtures/screen/event-streams.ts'
import { createStore } from '../../state/index.ts'
import { hereSessions } from './here-sessions.ts'

test.each(['nonsense', '2026-13-45T99:99:99Z', '+275760-09-13T00:00:05Z'])(
  'a session whose records tell the time %s is listed without one',
  (time) => {
    const one = teller('s_one')
    startSession(one)
    startTurn(one, 'fix the cart')
    const store = createStore()
    store.dispatch({ type: 'ui_load', events: one.events.map((event) => ({ ...event, time })) })

    const [here] = hereSessions(store.getState(), () => undefined)

    expect(here?.session).toMatchObject({ id: 's_one', startedAt: '', updatedAt: '' })
  },
)
