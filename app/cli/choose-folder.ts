/** Asks on the terminal, before the screen is opened, in which folder a session goes on. */
import { createInterface } from 'node:readline/promises'
import { sanitizeForTerminal } from '@sluice/permissions-ui'
import type { FolderQuestion } from '../compose/session-folder.ts'
import { openSessionIndex } from '../compose/session-index.ts'
import { findPaths } from '../paths.ts'
import { UsageError } from './usage-error.ts'

export async function chooseFolder(question: FolderQuestion): Promise<'stored' | 'here'> {
  const { id, stored, gone, here } = question
  const shown = (text: string) => sanitizeForTerminal(text, 'visible')
  const title = await listedTitle(id)
  const name = title === '' ? id : `“${shown(title)}”`
  const lines = [
    gone
      ? `The session ${name} worked in a folder that is not there any more:`
      : `The session ${name} works in another folder:`,
    `  ${shown(stored)}`,
    '',
    ...(gone ? [] : ['  1  go on there']),
    `  ${gone ? 1 : 2}  go on here, in ${shown(here)}`,
    '  q  leave',
    '',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  // Ctrl+D and Ctrl+C are answers too.
  const closed = new AbortController()
  reader.once('close', () => closed.abort())
  try {
    for (;;) {
      const answer = (await reader.question('Which? [1] ', { signal: closed.signal })).trim().toLowerCase()
      if (answer === '' || answer === '1') return gone ? 'here' : 'stored'
      if (answer === '2' && !gone) return 'here'
      if (answer === 'q') break
      process.stdout.write(`Write ${gone ? '1 or q' : '1, 2 or q'}.\n`)
    }
  } catch {
    process.stdout.write('\n')
  } finally {
    reader.close()
  }
  throw new UsageError('Nothing was changed.', `Later: sluice --resume ${id} --cwd DIR`)
}

/** The title that the list of sessions shows; '' where nothing was said. */
async function listedTitle(id: string): Promise<string> {
  const index = openSessionIndex(findPaths())
  try {
    index.touch(id)
    // A long one that was never listed is taken in like all others.
    if (index.get(id) === undefined) await index.refresh()
    return (index.get(id)?.title ?? '').replace(/\s+/g, ' ').trim()
  } finally {
    index.close()
  }
}
