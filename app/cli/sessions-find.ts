/** The stored sessions that some words mean, and where none is meant, those that may have been. */
import { join } from 'node:path'
import type { SessionSummary } from '@sluice/engine/ports'
import { sanitizeForTerminal, truncateCells } from '@sluice/permissions-ui'
import type { StoredSessions } from '../compose/session-index.ts'
import { sessionsMeant } from '../compose/sessions-meant.ts'
import { localTime } from '../local-time.ts'
import { findPaths } from '../paths.ts'
import { SystemProblem } from './system-problem.ts'
import { nearest, UsageError } from './usage-error.ts'

/**
 * By id, the beginning of one, or title; the index must be up to date. Throws UsageError with near matches, and SystemProblem
 * for one that is there and cannot be read.
 */
export function findSession(index: StoredSessions, words: string): SessionSummary {
  const exact = index.get(words)
  if (exact) return exact
  const all = index.list()
  const [sick] = index.unreadable().filter(({ id }) => id.startsWith(words) || id === '')
  const found = sessionsMeant(all, words)
  if (found.length === 0 && sick?.id === '') {
    throw new SystemProblem(
      `The stored sessions cannot be read: ${sick.why}.`,
      `They are kept in ${findPaths().sessionsDir}.`,
    )
  }
  if (found.length === 0 && sick !== undefined) {
    const folder = join(findPaths().sessionsDir, sick.id)
    throw new SystemProblem(
      `The session ${shown(sick.id)} cannot be read: ${sick.why}.`,
      `Mend, move or delete its folder by hand: ${folder}.`,
    )
  }
  return theOnly(found, words, () => {
    const guess = nearest(words, [...all.map(({ id }) => id), ...all.map(({ title }) => title)])
    const near = all.filter(({ id, title }) => id === guess || title === guess)
    const partly = near.length > 0 ? near : index.list({ words, limit: mostNear })
    return partly.length > 0
      ? `Did you mean one of these?\n${rows(partly)}`
      : 'sluice sessions list --all shows all of them.'
  })
}

/** One of those that `sessionsMeant` found. Throws UsageError: there is none, which `fix` is for, or there are several. */
export function theOnly<S extends Named>(found: readonly S[], words: string, fix: () => string, where = ''): S {
  const [first, ...others] = found
  if (first === undefined) throw new UsageError(`There is no session "${shown(words)}"${where}.`, fix())
  if (others.length === 0) return first
  throw new UsageError(`"${shown(words)}" fits ${found.length} sessions${where}.`, `Which one?\n${rows(found)}`)
}

/**
 * What several words mean: together one title, or each an id of its own as soon as one of them is one. Throws UsageError that
 * names the word that means nothing. `isId` says whether a word is an id, or the beginning of one.
 */
export function eachMeant<S extends Named>(
  words: readonly string[],
  isId: (word: string) => boolean,
  find: (words: string) => S,
): S[] {
  if (words.length < 2 || !words.some(isId)) return [find(words.join(' '))]
  const found = words.map((word) => {
    const one = find(word)
    // Half a title beside ids is more likely a slip than a session.
    if (isId(word) || one.title.toLowerCase() === word.toLowerCase()) return one
    throw new UsageError(
      `There is no session "${shown(word)}".`,
      `Beside ids, a title must be whole. Did you mean ${one.id} (${shown(one.title)})?`,
    )
  })
  return found.filter(({ id }, at) => found.findIndex((other) => other.id === id) === at)
}

/** Those of the trash tell less. */
type Named = { id: string; title: string } & Partial<Pick<SessionSummary, 'updatedAt' | 'cwd'>>

const mostNear = 5
/** What fits into a row beside an id. */
const titleCells = 60

function rows(sessions: readonly Named[]): string {
  const lines = sessions.slice(0, mostNear).map(({ id, title, updatedAt, cwd }) => {
    const rest = updatedAt === undefined || cwd === undefined ? [] : [localTime(updatedAt), shown(cwd)]
    return `  ${[id, shown(title), ...rest].filter((part) => part !== '').join('  ')}`
  })
  return [...lines, ...(sessions.length > mostNear ? [`  … ${sessions.length - mostNear} more`] : [])].join('\n')
}

/** One line of a bounded length without control characters; titles may be of any length. */
export function shown(text: string): string {
  return truncateCells(sanitizeForTerminal(text.replace(/\s+/g, ' ').trim(), 'visible'), titleCells)
}
