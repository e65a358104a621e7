/** A recording as steps in time: what happened, and how long to wait before it; pure, and to the state the same as the recording. */
import type { AgentEvent } from '@sluice/engine/protocol'

/** `waitMs` passes before `event`, at the speed of the recording. */
export type Step = { event: AgentEvent; waitMs: number }

export type TimelineOptions = {
  /** A person who thought for an hour is waited for so long (default 2 s). */
  longestWaitMs?: number
}

/**
 * Records keep whole replies only: they are told as a stream again, so that a reply grows as it did. At the end of every
 * turn the state is the one that the records alone give.
 */
export function timelineOf(events: readonly AgentEvent[], { longestWaitMs = 2000 }: TimelineOptions = {}): Step[] {
  const steps: Step[] = []
  let before: number | null = null
  for (const event of withoutSuperseded(events)) {
    const at = Date.parse(event.time)
    const passed = before === null || Number.isNaN(at) ? 0 : Math.min(Math.max(0, at - before), longestWaitMs)
    if (!Number.isNaN(at)) before = at
    const pieces = streamOf(event)
    if (pieces.length === 0) {
      steps.push({ event, waitMs: passed })
      continue
    }
    // As long as it took, or as long as reading along takes.
    const told = Math.max(passed, Math.min(longestWaitMs, pieces.length * leastPieceMs))
    for (const piece of pieces) steps.push({ event: piece, waitMs: told / pieces.length })
    steps.push({ event, waitMs: 0 })
  }
  return steps
}

/** Without the parts of replies that are there as a whole, or were asked for again. */
function withoutSuperseded(events: readonly AgentEvent[]): AgentEvent[] {
  let whole = false
  const kept = events.toReversed().filter((event) => {
    if (event.type === 'partial') return !whole
    if (event.type === 'message' && event.message.role === 'assistant') whole = true
    else if (event.type === 'notice' && event.code === 'model_retry') whole = true
    else if (event.type === 'turn_start' || event.type === 'turn_end') whole = false
    return true
  })
  return kept.reverse()
}

/** The steps at which a turn begins. */
export function turnStarts(steps: readonly Step[]): number[] {
  return steps.flatMap(({ event }, index) => (event.type === 'turn_start' ? [index] : []))
}

const leastPieceMs = 40
const mostPieces = 300
const pieceChars = 24

function streamOf(event: AgentEvent): AgentEvent[] {
  const reply = replyIn(event)
  if (reply === null) return []
  const { v, seq, time, sessionId, turnId } = event
  const { content, reasoning = '' } = reply
  const delta = (type: 'text_delta' | 'reasoning_delta') => (text: string) => ({
    ...{ v, seq, time, sessionId, turnId },
    type,
    text,
  })
  return [...pieces(reasoning).map(delta('reasoning_delta')), ...pieces(content).map(delta('text_delta'))]
}

function replyIn(event: AgentEvent): { content: string; reasoning?: string } | null {
  if (event.type === 'partial') return { content: event.text, reasoning: event.reasoning }
  return event.type === 'message' && event.message.role === 'assistant' ? event.message : null
}

/** Cut after blanks, and never inside a character. */
function pieces(text: string): string[] {
  const size = Math.max(pieceChars, Math.ceil(text.length / mostPieces))
  const found: string[] = []
  let rest = text
  while (rest.length > size) {
    const blank = rest.indexOf(' ', size)
    let end = blank > 0 && blank < size * 2 ? blank + 1 : size
    if (/[\ud800-\udbff]/.test(rest.charAt(end - 1))) end++
    found.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return rest === '' ? found : [...found, rest]
}
