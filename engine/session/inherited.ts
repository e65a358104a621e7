/** Which records of a fork were copied from the session that it was forked from. */
import type { RecordedSession } from './recorded.ts'

/** The number of the last copied line and the session; null for a session that is no fork. */
export function inheritedUpTo({ transcript }: RecordedSession): { line: number; from: string } | null {
  const last = transcript.lines.findLast(({ record }) => record.type === 'session_start' && record.forkedFrom)
  if (last?.record.type !== 'session_start' || last.record.forkedFrom === undefined) return null
  return { line: last.line, from: last.record.forkedFrom }
}

/** The session without its copied records: what they did is in the ledger and the trace of the other one. */
export function ownPart(session: RecordedSession): RecordedSession {
  const inherited = inheritedUpTo(session)
  if (inherited === null) return session
  const lines = session.transcript.lines.filter(({ line }) => line >= inherited.line)
  return { ...session, transcript: { ...session.transcript, lines } }
}
