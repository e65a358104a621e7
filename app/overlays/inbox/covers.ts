/** Which open questions a new rule would answer: those of the sessions that it counts for. */
import type { LiveSessions } from '../../session/live-sessions.ts'
import type { InboxRow } from './inbox-rows.ts'
import type { AnswerScope } from './inbox-state.ts'

/** A rule for the session or the project counts where the same terms do; one for everywhere counts for all. */
export function coversRow(
  live: Pick<LiveSessions, 'get'>,
  rule: string,
  row: InboxRow,
  from: InboxRow,
  scope: AnswerScope,
): boolean {
  const there = live.get(row.sessionId)?.runtime
  if (there === undefined) return false
  if (scope !== 'user' && there.terms.rules !== live.get(from.sessionId)?.runtime.terms.rules) return false
  return there.covers(rule, row.request)
}
