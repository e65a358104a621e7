/** What stands at the head of an exported session. */
import type { SessionSummary } from '@sluice/engine/ports'
import { recordsText } from '../sessions-words.ts'

/** Name and value, only what is known. */
export function sessionFacts(session: SessionSummary): [string, string][] {
  const { id, cwd, model, startedAt, updatedAt, turns, additions, deletions, costUsd, checks, lostRecords } = session
  const facts: [string, string][] = [
    ['Folder', cwd],
    ['Model', model],
    ['Started', startedAt],
    ['Last used', updatedAt],
    ['Turns', String(turns)],
    ['Changes', additions + deletions === 0 ? '' : `+${additions} −${deletions}`],
    ['Checks', checks === 'none' ? '' : checks],
    ['Cost', costUsd > 0 ? `$${costUsd.toFixed(2)}` : ''],
    ['Damage', lostRecords === 0 ? '' : `${recordsText(lostRecords)} could not be read`],
    ['Session', id],
  ]
  return facts.filter(([, value]) => value !== '')
}

export function titleText({ title, id }: SessionSummary): string {
  return title === '' ? id : title
}
