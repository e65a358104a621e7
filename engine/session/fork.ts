/** The records that a fork begins with: those of another session up to the end of a turn, or before one. */
import type { AgentEvent, EventOf } from '../protocol/index.ts'
import { rulesIn, takenAway } from './session-rules.ts'

export type Fork = {
  events: AgentEvent[]
  /** Turns and rewinds in them. */
  ids: ReadonlySet<string>
  /** The words of the turn before which it begins; null without one. */
  input: string | null
}

/**
 * Records keep all they hold but the session they belong to; behind them one says where they come from. The fork begins before
 * the turn `turnId`, or behind the last turn that has ended when it is null. Undefined when there is no such turn.
 */
export function forkEvents(
  events: readonly AgentEvent[],
  to: { sessionId: string; time: string },
  turnId: string | null,
): Fork | undefined {
  const at =
    turnId === null ? endOf(events) : events.findIndex((one) => one.type === 'turn_start' && one.turnId === turnId)
  if (at < 0) return undefined
  const copied = events.slice(0, at).filter(({ type }) => type !== 'session_end')
  const begun = copied.findLastIndex(({ type }) => type === 'session_start')
  const start = copied[begun]
  if (start?.type !== 'session_start') return undefined
  const joint: EventOf<'session_start'> = {
    ...start,
    ...settingsIn(copied.slice(begun)),
    seq: copied.reduce((most, { seq }) => Math.max(most, seq), 0) + 1,
    time: to.time,
    sessionId: to.sessionId,
    turnId: null,
    resumed: true,
    forkedFrom: start.sessionId,
  }
  const before = events[at]
  return {
    events: [
      ...copied.map((event) => ({ ...event, sessionId: to.sessionId })),
      joint,
      ...revocations(copied, events, joint),
    ],
    ids: new Set(copied.flatMap((event) => idsOf(event))),
    input: turnId !== null && before?.type === 'turn_start' ? before.input : null,
  }
}

/** What the person took away after the records that are copied does not come back with them. */
function revocations(
  copied: readonly AgentEvent[],
  all: readonly AgentEvent[],
  { seq, ...head }: EventOf<'session_start'>,
): EventOf<'setting'>[] {
  const { v, time, sessionId, turnId } = head
  return takenAway(rulesIn(copied), rulesIn(all)).map((rule, i) => ({
    ...{ v, seq: seq + i + 1, time, sessionId, turnId },
    type: 'setting',
    rule: { change: 'removed', ...rule },
  }))
}

/** What was chosen since: mode, model, title. */
function settingsIn(events: readonly AgentEvent[]): Partial<EventOf<'session_start'>> {
  const chosen: Partial<EventOf<'session_start'>> = {}
  for (const event of events) {
    if (event.type !== 'setting') continue
    if (event.mode !== undefined) chosen.mode = event.mode
    if (event.model !== undefined) chosen.model = event.model
    if (event.title !== undefined) chosen.title = event.title
  }
  return chosen
}

/** Behind the last turn that has ended, with what was said outside of turns since; a turn that runs is not copied. */
function endOf(events: readonly AgentEvent[]): number {
  const open = events.findLastIndex(({ type }) => type === 'turn_start')
  const ended = events.findLastIndex(({ type }) => type === 'turn_end')
  return open > ended ? open : events.length
}

function idsOf(event: AgentEvent): string[] {
  if (event.type === 'rewound') return [event.rewound.id]
  return event.type === 'turn_start' && event.turnId !== null ? [event.turnId] : []
}
