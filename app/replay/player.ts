/** Plays the steps of a recording into a store: at any speed, with pauses, and by leaps from turn to turn. */
import type { AgentEvent } from '@sluice/engine/protocol'
import type { Store } from '../state/index.ts'
import { type Step, turnStarts } from './timeline.ts'

export type PlayerState = {
  /** Steps played so far, of all. */
  at: number
  steps: number
  /** The turn that is shown, from 1; 0 before the first. */
  turn: number
  turns: number
  playing: boolean
  speed: number
  over: boolean
}

export interface Player {
  state(): PlayerState
  /** ms since 1970, in the time of the recording. */
  now(): number
  subscribe(listener: () => void): () => void
  play(): void
  pause(): void
  /** Everything up to the next turn's beginning at once; at the last turn, up to the end. */
  forward(): void
  /** To the beginning of this turn, or of the one before when it has just begun. */
  back(): void
  setSpeed(speed: number): void
  close(): void
}

export type PlayerOptions = {
  steps: readonly Step[]
  store: Pick<Store, 'dispatch'>
  speed: number
  /** Calls back once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void
}

export function createPlayer({ steps, store, speed: first, after }: PlayerOptions): Player {
  const starts = turnStarts(steps)
  const listeners = new Set<() => void>()
  let at = 0
  let playing = false
  let speed = first
  let cancel: (() => void) | null = null
  let state = current()

  function current(): PlayerState {
    const turn = starts.filter((start) => start < at).length
    return { at, steps: steps.length, turn, turns: starts.length, playing, speed, over: at >= steps.length }
  }

  function tell(): void {
    state = current()
    for (const listener of [...listeners]) listener()
  }

  function stop(): void {
    cancel?.()
    cancel = null
  }

  function schedule(): void {
    stop()
    if (!playing) return
    if (at >= steps.length) {
      playing = false
      tell()
      return
    }
    cancel = after((steps[at]?.waitMs ?? 0) / speed, () => {
      cancel = null
      // What takes no time happens at once.
      do {
        const step = steps[at]
        if (step) store.dispatch(step.event)
        at++
      } while (at < steps.length && (steps[at]?.waitMs ?? 0) / speed < leastTimerMs)
      tell()
      schedule()
    })
  }

  /** In one piece: nobody watches what is leapt over. */
  function load(to: number): void {
    const events = steps.slice(0, to).map(({ event }) => event)
    if (events.length > 0) store.dispatch({ type: 'ui_load', events })
    at = to
  }

  function leap(to: number): void {
    // What has not begun by then is not there.
    if (to < at) for (const sessionId of sessionsOf(steps)) store.dispatch({ type: 'ui_close_session', sessionId })
    load(to)
    tell()
    schedule()
  }

  return {
    state: () => state,
    now: () => Date.parse(steps[Math.max(0, at - 1)]?.event.time ?? '') || 0,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    play() {
      if (playing) return
      if (at >= steps.length) leap(0)
      playing = true
      tell()
      schedule()
    },
    pause() {
      if (!playing) return
      playing = false
      stop()
      tell()
    },
    forward() {
      // Up to and with the words that begin the turn.
      const next = starts.find((start) => start >= at)
      leap(next === undefined ? steps.length : next + 1)
    },
    back() {
      const begun = starts.filter((start) => start < at)
      const here = begun.at(-1)
      if (here === undefined) return leap(0)
      const target = at - here > 2 ? here : begun.at(-2)
      leap(target === undefined ? 0 : target + 1)
    },
    setSpeed(next) {
      speed = Math.min(fastest, Math.max(slowest, next))
      tell()
      schedule()
    },
    close() {
      stop()
      playing = false
      listeners.clear()
    },
  }
}

const leastTimerMs = 1
const slowest = 0.25
const fastest = 64

function sessionsOf(steps: readonly Step[]): Set<AgentEvent['sessionId']> {
  return new Set(steps.map(({ event }) => event.sessionId))
}
