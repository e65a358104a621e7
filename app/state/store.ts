/** Holds the state: reduces at once, tells about deltas once per frame and about everything else right away. */
import { type Action, isAgentEvent, reduce } from './reduce.ts'
import { type AppState, initialState } from './state.ts'

export type Store = {
  getState(): AppState
  /** Reduces now; listeners hear of it now, or within a frame when only the picture of a stream changed. */
  dispatch(action: Action): void
  /** Calls `listener` after changes; the returned function stops it. */
  subscribe(listener: () => void): () => void
  /** Tells the listeners about waiting deltas at once. */
  flush(): void
}

/** Milliseconds between two notifications about deltas. */
export const frameMs = 33

export type StoreOptions = {
  initial?: AppState
  /** Calls back once after `ms`; the returned function cancels it. */
  after?: (ms: number, run: () => void) => () => void
}

export function createStore(options: StoreOptions = {}): Store {
  const after = options.after ?? realTimer
  const listeners = new Set<() => void>()
  let state = options.initial ?? initialState
  let cancel: (() => void) | null = null

  function notify(): void {
    cancel?.()
    cancel = null
    for (const listener of [...listeners]) listener()
  }

  return {
    getState: () => state,
    dispatch(action) {
      const next = reduce(state, action)
      if (next === state) return
      state = next
      if (!canWait(action)) notify()
      else cancel ??= after(frameMs, notify)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    flush() {
      if (cancel !== null) notify()
    },
  }
}

/** Events of which a stream brings many: a person sees no difference when they come together. */
function canWait(action: Action): boolean {
  if (!isAgentEvent(action)) return false
  const { type } = action
  return type === 'text_delta' || type === 'reasoning_delta' || type === 'tool_output' || type === 'state'
}

function realTimer(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  timer.unref()
  return () => clearTimeout(timer)
}
