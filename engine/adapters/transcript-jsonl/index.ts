/** The transcript: every durable event of a session as one JSON line, and the reader that tolerates damage. */
import { readFileSync } from 'node:fs'
import type { EventSink } from '../../ports/index.ts'
import { type AgentEvent, isDurable } from '../../protocol/index.ts'
import { openAppender } from '../append-line.ts'

/**
 * Writes to `path`; the first failure and each recovery are told to `onProblem`, and the session goes on. `redact` gives
 * the record as it may be kept.
 */
export function createTranscript(
  path: string,
  onProblem: (text: string) => void,
  redact: (event: AgentEvent) => AgentEvent = (event) => event,
): EventSink {
  const file = openAppender(path)
  let failing = false
  return {
    write(event) {
      if (!isDurable(event)) return
      const problem = file.append(redact(event))
      if (problem !== undefined && !failing) onProblem(`The transcript is not being saved: ${problem}`)
      if (problem === undefined && failing) onProblem('The transcript is being saved again; some records are missing.')
      failing = problem !== undefined
    },
    flush: async () => file.sync(),
    close: async () => file.close(),
  }
}

export type ReadTranscript = {
  events: AgentEvent[]
  /** Lines that are no records; their bytes stay in the file. */
  badLines: number
  /** True when the last line was cut off mid-way. */
  tornTail: boolean
}

/** All readable records in file order. Throws only when the file itself cannot be read. */
export function readTranscript(path: string): ReadTranscript {
  const text = readFileSync(path, 'utf8')
  const events: AgentEvent[] = []
  let badLines = 0
  const lines = text.split('\n')
  const tail = lines.pop() ?? ''
  for (const line of lines) {
    if (line === '') continue
    const event = parseRecord(line)
    if (event) events.push(event)
    else badLines++
  }
  if (tail === '') return { events, badLines, tornTail: false }
  const last = parseRecord(tail)
  if (last) events.push(last)
  return { events, badLines, tornTail: !last }
}

function parseRecord(line: string): AgentEvent | undefined {
  try {
    const value: unknown = JSON.parse(line)
    if (value === null || typeof value !== 'object') return undefined
    const record = value as Partial<AgentEvent>
    if (record.v !== 1 || typeof record.seq !== 'number' || typeof record.type !== 'string') return undefined
    return value as AgentEvent
  } catch {
    return undefined
  }
}
