/** Typing never answers: decides for each key press whether it belongs to the draft or to the open question. */

export type QuietGate = {
  /** A question has been drawn; keys of the next `quietMs` are not meant for it. */
  arrived(now: number): void
  /** Where a key pressed at `now` goes. `draftPending` says that the draft is not empty before this key. */
  press(now: number, draftPending?: boolean): 'draft' | 'dialog'
  /** Where a key would go; for drawing the focus. */
  wouldGo(now: number, draftPending?: boolean): 'draft' | 'dialog'
  /** The person asked for the question (`ctrl+x a`): it has the keys until it is answered or left. */
  focus(): void
  /** The person writes after all, although the question had the keys: it waits for quiet again. */
  typing(now: number): void
  /** The person left the question open (Esc): keys go to the draft until `focus`. */
  leave(): void
  /** No question is open any more. */
  gone(): void
}

/** Times are in ms of any one clock; key repeats and pastes count as keys. */
export function createQuietGate({ quietMs }: { quietMs: number }): QuietGate {
  let state: 'none' | 'waiting' | 'open' | 'focused' | 'left' = 'none'
  let last = Number.NEGATIVE_INFINITY
  const wouldGo: QuietGate['wouldGo'] = (now, draftPending = false) => {
    if (state === 'focused') return 'dialog'
    if (state === 'none' || state === 'left' || draftPending) return 'draft'
    return state === 'open' || now - last >= quietMs ? 'dialog' : 'draft'
  }
  return {
    arrived(now) {
      // Keys pressed just before count as well: `last` is the later of both.
      last = Math.max(last, now)
      state = 'waiting'
    },
    press(now, draftPending) {
      const goes = wouldGo(now, draftPending)
      if (state === 'waiting' && goes === 'dialog') state = 'open'
      last = Math.max(last, now)
      return goes
    },
    wouldGo,
    focus() {
      if (state !== 'none') state = 'focused'
    },
    typing(now) {
      last = Math.max(last, now)
      if (state !== 'none') state = 'waiting'
    },
    leave() {
      if (state !== 'none') state = 'left'
    },
    gone() {
      state = 'none'
    },
  }
}
