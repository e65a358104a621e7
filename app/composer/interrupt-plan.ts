/** What Ctrl+C, Ctrl+D and Esc mean at this moment; pure, so that the order of their meanings is one table. */

export type InterruptState = {
  draftEmpty: boolean
  /** A completion list, a history search or an overlay is open. */
  overlayOpen: boolean
  /** A turn is running. */
  running: boolean
  /** When the hint "press again to leave" was shown, in ms; null while it is not. */
  hintAt: number | null
  /** When Esc was last pressed on an idle session with an empty draft; null if something else came since. */
  escapeAt: number | null
  now: number
}

export type InterruptPlan =
  | 'close-overlay'
  | 'clear-draft'
  | 'interrupt'
  /** Say "press ctrl+c again to leave". */
  | 'hint'
  | 'leave'
  /** Remember this Esc. */
  | 'arm-rewind'
  | 'rewind'
  | 'nothing'

/**
 * Ctrl+C clears the draft, then interrupts, then hints, and only a press while the hint is shown leaves: a reflexive second
 * press never does. Ctrl+D leaves likewise from an empty draft, without interrupting. Esc closes, interrupts, or, twice on an
 * idle session with an empty draft, rewinds.
 */
export function interruptPlan(state: InterruptState, key: 'escape' | 'ctrl+c' | 'ctrl+d'): InterruptPlan {
  if (key === 'escape') {
    if (state.overlayOpen) return 'close-overlay'
    if (state.running) return 'interrupt'
    if (!state.draftEmpty) return 'nothing'
    return state.escapeAt !== null && state.now - state.escapeAt <= doubleEscapeMs ? 'rewind' : 'arm-rewind'
  }
  const hinted = state.hintAt !== null && state.now - state.hintAt <= hintMs
  if (key === 'ctrl+d') {
    if (!state.draftEmpty) return 'nothing'
    return hinted ? 'leave' : 'hint'
  }
  if (state.overlayOpen) return 'close-overlay'
  if (!state.draftEmpty) return 'clear-draft'
  if (state.running) return 'interrupt'
  return hinted ? 'leave' : 'hint'
}

/** How long the hint stands. */
export const hintMs = 2000
export const doubleEscapeMs = 600
