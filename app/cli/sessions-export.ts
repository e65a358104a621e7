/** `sessions export`: one session as a document, to standard output or into a private file. */
import { resolve } from 'node:path'
import { sanitizeForTerminal } from '@sluice/permissions-ui'
import { whyOf } from '../compose/system-error.ts'
import { loadConfig } from '../config.ts'
import { findPaths } from '../paths.ts'
import { documentOf, writeNew } from './export/write-export.ts'
import { openOutput } from './output.ts'
import type { SessionsWords } from './sessions-args.ts'
import { findSession } from './sessions-find.ts'
import { withIndex } from './sessions-list.ts'
import { recordsText } from './sessions-words.ts'
import { UsageError } from './usage-error.ts'

export async function exportSession({ rest, format, output: file }: SessionsWords): Promise<void> {
  const paths = findPaths()
  const { config } = await loadConfig(paths.configFile)
  await withIndex(async (index) => {
    const session = findSession(index, rest.join(' '))
    const { text, lost } = await documentOf(paths, config, session, format)
    const output = openOutput(() => {})
    if (lost > 0)
      output.note(`sluice: ${recordsText(lost, 'damaged')} of ${session.id} ${lost === 1 ? 'is' : 'are'} not in it.`)
    if (file === undefined) return output.write(text)
    const path = resolve(file)
    try {
      writeNew(path, text)
    } catch (error) {
      const there = (error as NodeJS.ErrnoException).code === 'EEXIST'
      const shown = sanitizeForTerminal(path, 'visible')
      throw new UsageError(
        there ? `${shown} is there already.` : `${shown} cannot be written: ${whyOf(error)}.`,
        'Give another file with --output.',
      )
    }
    output.note(`${sanitizeForTerminal(path, 'visible')} is written; only you can read it.`)
  })
}
