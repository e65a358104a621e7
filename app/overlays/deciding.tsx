/** The places of a person who decides: open questions, what was applied unseen, the rules. Their code comes when it is wanted. */

import { coversRow } from './inbox/covers.ts'
import type { OverlayProps } from './index.tsx'
import { Later } from './Later.tsx'

const loadInbox = async () => (await import('./inbox/InboxOverlay.tsx')).InboxOverlay

export function openInbox({ width, height, store, actions, live, close }: OverlayProps) {
  return (
    <Later
      load={loadInbox}
      props={{
        width,
        height,
        store,
        covers: (...asked) => coversRow(live, ...asked),
        onAnswer: actions.answer,
        onOpen({ sessionId, request }) {
          close()
          store.dispatch({ type: 'ui_focus', sessionId })
          store.dispatch({ type: 'ui_question', requestId: request.id })
          store.dispatch({ type: 'ui_answering', answering: true })
        },
        onClose: close,
      }}
    />
  )
}

const loadReview = async () => (await import('./review-debt/DebtOverlay.tsx')).DebtOverlay

export function openReview({ width, height, store, live, close }: OverlayProps) {
  const debt = live.focused()?.runtime.session.debt
  return debt === undefined ? null : <Later load={loadReview} props={{ width, height, store, debt, onClose: close }} />
}

const loadRules = async () => (await import('./rules/RulesOverlay.tsx')).RulesOverlay

export function openPermissions({ width, height, argument, live, close }: OverlayProps) {
  const front = live.focused()
  if (front === undefined) return null
  const open = async () => {
    const { createRulesPort } = await import('../compose/rules-port.ts')
    return createRulesPort(front.runtime, front.setup.paths)
  }
  return <Later load={loadRules} props={{ width, height, open, filter: argument, onClose: close }} />
}
