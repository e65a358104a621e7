/** From what a person writes behind --resume to the id of a session: an id, the beginning of one, a title, or words of it. */
import { UsageError } from '../cli/usage-error.ts'
import type { Paths } from '../paths.ts'
import { sessionMeant } from '../session/stored-sessions.ts'
import { storedIds } from './stored.ts'

/**
 * The index of titles is opened only when no id begins with `words`. What means no session is given back as it is; several
 * are a UsageError that names them.
 */
export async function sessionNamed(words: string, paths: Paths): Promise<string> {
  if (storedIds(paths).some((id) => id.startsWith(words))) return words
  const { openSessionIndex } = await import('./session-index.ts')
  const index = openSessionIndex(paths)
  try {
    await index.refresh()
    const meant = sessionMeant(index, words)
    if (meant !== null) return meant.id
    const some = index.list({ words, limit: 6 })
    if (some.length < 2) return words
    const named = some.slice(0, 5).map(({ id, title }) => `${id} (${title})`)
    throw new UsageError(
      `"${words}" fits ${some.length > 5 ? 'more than 5' : some.length} sessions: ${named.join(', ')}.`,
      'Give an id, or more of the title; sluice --resume alone shows the list.',
    )
  } finally {
    index.close()
  }
}
