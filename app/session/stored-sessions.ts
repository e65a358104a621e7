/** The stored sessions for lists and commands: their index, opened when it is first wanted, and which one some words mean. */
import { join } from 'node:path'
import type { SessionIndex, SessionSummary } from '@sluice/engine/ports'
import { sessionsMeant } from '../compose/sessions-meant.ts'
import type { Setup } from '../compose/setup.ts'
import { chipWords } from '../composer/paste.ts'
import type { Paths } from '../paths.ts'
import type { Left } from '../screen/index.ts'
import { readLeftView } from './left-view.ts'

export interface StoredSessions {
  /** Rejects when it cannot be opened at all. */
  open(): Promise<OpenStored>
  close(): void
}

export type OpenStored = {
  index: SessionIndex
  /** Behind "it runs in another sluice": ` (process 4711)`, or ''. */
  where(id: string): string
  /** The words that were left in its draft; '' when there are none. */
  unsent(id: string): string
  /** The stored sessions that stand in no list because they cannot be read; '' when there are none. */
  unreadable(): string
}

export function createStoredSessions(paths: Paths): StoredSessions {
  let opened: Promise<OpenStored> | undefined
  let closed = false
  async function open(): Promise<OpenStored> {
    const [{ openSessionIndex }, { whereLive }, { unreadableText }] = await Promise.all([
      import('../compose/session-index.ts'),
      import('../compose/live-elsewhere.ts'),
      import('../compose/stored-ids.ts'),
    ])
    const index = openSessionIndex(paths)
    if (closed) index.close()
    return {
      index,
      where: (id) => whereLive(paths.sessionsDir, id),
      unsent: (id) => wordsOf(readLeftView(join(paths.sessionsDir, id)).draft),
      unreadable() {
        const all = index.unreadable()
        const folder = all.find(({ id }) => id === '')
        if (folder !== undefined) return `The stored sessions cannot be read: ${folder.why}, at ${paths.sessionsDir}.`
        return all.length === 0 ? '' : unreadableText(all)
      },
    }
  }
  return {
    open() {
      opened ??= open()
      return opened
    },
    close() {
      closed = true
      void opened?.then(({ index }) => index.close())
    },
  }
}

/** What was pasted is one character in a draft; a word stands for each. */
function wordsOf(draft: Left['draft']): string {
  return draft === undefined ? '' : chipWords(draft.text)
}

/** The session that `words` mean beyond doubt, by id or title as on the command line; null when they mean none, or several. */
export function sessionMeant(index: SessionIndex, words: string): SessionSummary | null {
  const found = sessionsMeant(index.list(), words)
  return found.length === 1 ? (found[0] ?? null) : null
}

/** Writes a stored session into a new file in the folder of `setup`; what there is to say then. */
export async function exportHere(
  index: SessionIndex,
  { cwd, paths, config }: Pick<Setup, 'cwd' | 'paths' | 'config'>,
  id: string,
  format: 'md' | 'html' | 'json',
): Promise<string> {
  const session = index.get(id)
  if (session === undefined) return 'It has no records yet'
  const { exportInto } = await import('../cli/export/write-export.ts')
  return `Written, for your eyes only: ${await exportInto(cwd, paths, config, session, format)}`
}
