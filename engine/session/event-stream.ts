/** The stream of a session's events: numbers each, writes the durable ones, and tells whoever listens. */
import type { Clock, EventSink } from '../ports/index.ts'
import { type AgentEvent, type EventBody, isDurable } from '../protocol/index.ts'

export type EventStream = {
  emit(body: EventBody, turnId: string | null): void
  subscribe(listener: (event: AgentEvent) => void): () => void
  /** The records stay as they are: the session ends as if its process had died. */
  silence(): void
}

export type StreamOptions = {
  sessionId: string
  /** The number of the last event that is recorded already. */
  lastSeq: number
  clock: Clock
  sinks: readonly EventSink[]
  first?: (event: AgentEvent) => void
  /** What keeps count sees each event before it is written. */
  see(event: AgentEvent): void
}

export function createEventStream({ sessionId, lastSeq, clock, sinks, first, see }: StreamOptions): EventStream {
  const listeners = new Set<(event: AgentEvent) => void>(first ? [first] : [])
  let seq = lastSeq
  let silent = false
  return {
    emit(body, turnId) {
      if (silent) return
      const event: AgentEvent = { v: 1, seq: ++seq, time: clock.timestamp(), sessionId, turnId, ...body }
      see(event)
      if (isDurable(event)) for (const sink of sinks) sink.write(event)
      // What a person is asked must survive whatever happens while they think.
      if (event.type === 'approval_request') for (const sink of sinks) void sink.flush(true)
      for (const listener of [...listeners]) listener(event)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    silence() {
      silent = true
    },
  }
}
