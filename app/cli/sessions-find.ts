/** The stored session that some words mean, and where none is meant, those that may have been. */
import type { SessionIndex, SessionSummary } from '@sluice/engine/ports'
import { sanitizeForTerminal } from '@sluice/permissions-ui'
import { nearest, UsageError } from './usage-error.ts'

/** By id, the beginning of one, or title; the index must be up to date. Throws UsageError with near matches. */
export function findSession(index: SessionIndex, words: string): SessionSummary {
  const exact = index.get(words)
  if (exact) return exact
  const all = index.list()
  const lower = words.toLowerCase()
  const ways = [
    all.filter(({ id }) => id.startsWith(words)),
    all.filter(({ title }) => title.toLowerCase() === lower),
    all.filter(({ title }) => title.toLowerCase().includes(lower)),
  ]
  const found = ways.find((matches) => matches.length > 0) ?? []
  if (found.length === 1 && found[0]) return found[0]
  if (found.length > 1) {
    throw new UsageError(`"${shown(words)}" fits ${found.length} sessions.`, `Which one?\n${rows(found)}`)
  }
  const guess = nearest(words, [...all.map(({ id }) => id), ...all.map(({ title }) => title)])
  const near = all.filter(({ id, title }) => id === guess || title === guess)
  const partly = near.length > 0 ? near : index.list({ words, limit: mostNear })
  throw new UsageError(
    `There is no session "${shown(words)}".`,
    partly.length > 0 ? `Did you mean one of these?\n${rows(partly)}` : 'sluice sessions list --all shows all of them.',
  )
}

const mostNear = 5

function rows(sessions: readonly SessionSummary[]): string {
  const lines = sessions.slice(0, mostNear).map(({ id, title }) => `  ${id}  ${shown(title)}`)
  return [...lines, ...(sessions.length > mostNear ? [`  … ${sessions.length - mostNear} more`] : [])].join('\n')
}

function shown(text: string): string {
  return sanitizeForTerminal(text.replace(/\s+/g, ' ').trim(), 'visible')
}
