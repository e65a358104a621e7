/** The places of a person who decides, told in lines; each is loaded when it is wanted. */
import type { KeyTable } from '@sluice/permissions-ui'
import type { AppActions } from '../screen/actions.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import { focused, type Store, shownQuestion } from '../state/index.ts'
import type { LinearPlace, PlaceVoice } from './places/place.ts'

export type PlacesWorld = { store: Store; actions: Pick<AppActions, 'answer'>; live: LiveSessions; table: KeyTable }

export async function openPlace(world: PlacesWorld, name: string, voice: PlaceVoice): Promise<LinearPlace | null> {
  const { store, actions, live, table } = world
  const front = live.focused()
  switch (name) {
    case 'inbox': {
      const [{ createInboxPlace }, { coversRow }] = await Promise.all([
        import('./places/inbox-place.ts'),
        import('../overlays/inbox/covers.ts'),
      ])
      return createInboxPlace({
        ...voice,
        store,
        table,
        covers: (...asked) => coversRow(live, ...asked),
        onAnswer: actions.answer,
        onOpen({ sessionId, request }) {
          const { ui } = store.getState()
          const view = focused(store.getState())
          const same = view?.id === sessionId && shownQuestion(view, ui.question)?.id === request.id
          store.dispatch({ type: 'ui_focus', sessionId })
          store.dispatch({ type: 'ui_question', requestId: request.id })
          return same ? 'question' : 'told'
        },
      })
    }
    case 'review': {
      if (front === undefined) return null
      const { createReviewPlace } = await import('./places/review-place.ts')
      return createReviewPlace({ ...voice, debt: front.runtime.session.debt, table })
    }
    case 'permissions': {
      if (front === undefined) return null
      const [{ createRulesPlace }, { createRulesPort }] = await Promise.all([
        import('./places/rules-place.ts'),
        import('../compose/rules-port.ts'),
      ])
      return createRulesPlace({ ...voice, port: createRulesPort(front.runtime, front.setup.paths), table })
    }
    default:
      return null
  }
}
