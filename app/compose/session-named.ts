/** From what a person writes behind --resume to the id of a session: an id, the beginning of one, a title, or words of it. */
import { truncateCells } from '@sluice/permissions-ui'
import { UsageError } from '../cli/usage-error.ts'
import type { Paths } from '../paths.ts'
import { sessionsMeant } from './sessions-meant.ts'
import { storedFiles } from './stored-ids.ts'

/**
 * The index of titles is opened only when `words` are neither an id nor look like the beginning of one. What means no
 * session is given back as it is; several are a UsageError that names them.
 */
export async function sessionNamed(words: string, paths: Paths): Promise<string> {
  const { files, unreadable } = storedFiles(paths)
  const ids = [...files, ...unreadable].map(({ id }) => id)
  if (ids.includes(words) || (words.startsWith('s_') && ids.some((id) => id.startsWith(words)))) return words
  const { openSessionIndex } = await import('./session-index.ts')
  const index = openSessionIndex(paths)
  try {
    await index.refresh()
    const meant = sessionsMeant(index.list(), words)
    if (meant.length < 2) return meant[0]?.id ?? words
    const named = meant.slice(0, 5).map(({ id, title }) => `${id} (${truncateCells(title, 60)})`)
    throw new UsageError(
      `"${truncateCells(words, 60)}" fits ${meant.length} sessions: ${named.join(', ')}${meant.length > 5 ? ', …' : ''}.`,
      'Give an id, or more of the title; sluice --resume alone shows the list.',
    )
  } finally {
    index.close()
  }
}
