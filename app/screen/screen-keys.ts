/** The keys of the screen itself: the leader's sequences, the mode, help and leaving. */

import { permissionModes } from '@sluice/engine/protocol'
import { actionOf, KeysContext, useKeys } from '@sluice/permissions-ui'
import { useContext } from 'react'
import { entries, focused, type Store } from '../state/index.ts'
import type { AppActions } from './actions.ts'

/** Overlays that a key of the leader opens, by the name of its action. */
const overlays: Record<string, string> = {
  inbox: 'inbox',
  review: 'review',
  trace: 'trace',
  sessions: 'sessions',
  keys: 'help',
  palette: 'palette',
}

export type ScreenKeysOptions = {
  store: Store
  actions: AppActions
  draftEmpty: boolean
  /** An overlay is open: only sequences of the leader still act. */
  overlay: boolean
}

export function useScreenKeys({ store, actions, draftEmpty, overlay }: ScreenKeysOptions): void {
  const { table } = useContext(KeysContext)

  useKeys('leader', true, (press) => {
    // What was said stands until the next key.
    if (store.getState().ui.toast !== null) store.dispatch({ type: 'ui_toast', toast: null })
    const action = actionOf(table, 'leader', press)
    if (action === undefined) return false
    const { ui, order } = store.getState()
    const name = overlays[action]
    if (name !== undefined) {
      store.dispatch({ type: 'ui_overlay', overlay: ui.overlay?.name === name ? null : { name } })
      return true
    }
    switch (action) {
      case 'panel':
        store.dispatch({ type: 'ui_panel', shown: !ui.panel })
        return true
      case 'answer':
        store.dispatch({ type: 'ui_overlay', overlay: null })
        store.dispatch({ type: 'ui_answering', answering: true })
        return true
      case 'session': {
        const sessionId = order[Number(press.name.slice(-1)) - 1]
        store.dispatch({ type: 'ui_overlay', overlay: null })
        if (sessionId !== undefined) store.dispatch({ type: 'ui_focus', sessionId })
        else store.dispatch({ type: 'ui_toast', toast: { level: 'info', text: noSession(order.length) } })
        return true
      }
      case 'transcript':
        store.dispatch({ type: 'ui_overlay', overlay: null })
        store.dispatch({ type: 'ui_reading', reading: true })
        return true
      case 'copy': {
        const text = lastAnswer(store)
        if (text !== '') actions.copy(text)
        else store.dispatch({ type: 'ui_toast', toast: { level: 'info', text: 'There is no answer to copy yet.' } })
        return true
      }
      case 'mouse':
      case 'model':
        actions.runCommand(`/${action}`)
        return true
      default:
        return false
    }
  })

  // The composer leaves `?` on an empty draft, and everything it has no use for, to this layer.
  useKeys('global', !overlay, (press) => {
    switch (actionOf(table, 'global', press)) {
      case 'mode': {
        const view = focused(store.getState())
        if (view === null) return false
        // The order is a circle, so that one key reaches every mode.
        const next = permissionModes[(permissionModes.indexOf(view.mode) + 1) % permissionModes.length]
        if (next !== undefined) actions.setMode(next)
        return true
      }
      case 'help':
        if (press.text !== '' && !draftEmpty) return false
        store.dispatch({ type: 'ui_overlay', overlay: { name: 'help' } })
        return true
      case 'suspend':
        actions.suspend()
        return true
      case 'redraw':
        actions.redraw()
        return true
      default:
        return false
    }
  })
}

function noSession(open: number): string {
  return open === 1 ? 'There is only this session.' : `There are ${open} sessions.`
}

/** The model's last words in the focused session. */
export function lastAnswer(store: Store): string {
  const view = focused(store.getState())
  let text = ''
  if (view !== null)
    for (const item of entries(view.settled)) if (item.kind === 'assistant' && item.text !== '') text = item.text
  return text
}
