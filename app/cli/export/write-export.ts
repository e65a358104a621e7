/** Exports a session into a new private file with a name of its own. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { version } from 'sluice:version'
import type { SessionSummary } from '@sluice/engine/ports'
import { recordsOf, redactorFor } from '../../compose/session-index.ts'
import type { Config } from '../../config.ts'
import type { Paths } from '../../paths.ts'
import { exportDocument } from './index.ts'

export type ExportFormat = 'md' | 'json' | 'html'

/** The document, and how many records could not be read. */
export async function documentOf(
  paths: Paths,
  config: Config,
  session: SessionSummary,
  format: ExportFormat,
): Promise<{ text: string; lost: number }> {
  const { events, lost } = recordsOf(paths, session.id)
  const redact = redactorFor(config).value
  return { text: await exportDocument(format, { session, events, redact, exportedWith: `sluice ${version}` }), lost }
}

/** Into `folder`, called as the session is; resolves with the path. Rejects with the system's error. */
export async function exportInto(
  folder: string,
  ...[paths, config, session, format]: Parameters<typeof documentOf>
): Promise<string> {
  const { text } = await documentOf(paths, config, session, format)
  for (let n = 1; ; n++) {
    const path = join(folder, `${fileName(session)}${n === 1 ? '' : `-${n}`}.${format}`)
    try {
      writeNew(path, text)
      return path
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** What is there already is somebody's: EEXIST then. */
export function writeNew(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
  } finally {
    closeSync(file)
  }
}

/** Letters and digits of the title, which hold on every file system. */
function fileName({ id, title }: SessionSummary): string {
  const words = title
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
  return words?.join('-').slice(0, 60).replace(/-$/, '').toWellFormed() || id
}
