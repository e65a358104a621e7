/** What a stored session does, or what came of its last check: the same words in every list of sessions. */
import type { SessionSummary } from '@sluice/engine/ports'

export type StateWords = { sign: 'asks' | 'live' | 'bad' | 'good' | 'open'; words: string }

/** What waits for a person comes first; null where there is nothing to say. */
export function stateWords(
  session: Pick<SessionSummary, 'pendingApprovals' | 'live' | 'lostRecords' | 'checks'>,
): StateWords | null {
  const { pendingApprovals, live, lostRecords, checks } = session
  if (pendingApprovals > 0) return { sign: 'asks', words: `${pendingApprovals} asks` }
  if (live) return { sign: 'live', words: 'live' }
  if (lostRecords > 0) return { sign: 'asks', words: 'damaged' }
  if (checks === 'verified') return { sign: 'good', words: 'verified' }
  if (checks === 'failing') return { sign: 'bad', words: 'failing' }
  return checks === 'unverified' ? { sign: 'open', words: 'not verified' } : null
}
