/** Finds the stored session to go on with, by id or as the last one of the folder; loaded only when one is asked for. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { countRedactions, type ResumedSession, resumeSession } from '@sluice/engine'
import { readTranscript } from '@sluice/engine/adapters/transcript-jsonl'
import type { AgentEvent } from '@sluice/engine/protocol'
import { UsageError } from '../cli/usage-error.ts'
import { type Paths, sessionFiles } from '../paths.ts'

export type Stored = { id: string; events: AgentEvent[]; resumed: ResumedSession; warnings: string[] }

/** `wanted` is an id or the beginning of one; '' is the last session of `cwd`. Throws UsageError. */
export function findStored(wanted: string, paths: Paths, cwd: string): Stored {
  const ids = storedIds(paths)
  if (wanted !== '') {
    const matches = ids.includes(wanted) ? [wanted] : ids.filter((id) => id.startsWith(wanted))
    if (matches.length === 1 && matches[0] !== undefined) return load(matches[0], paths)
    throw new UsageError(
      matches.length === 0
        ? `There is no session "${wanted}".`
        : `"${wanted}" fits ${matches.length} sessions: ${matches.slice(0, 5).join(', ')}.`,
      `Sessions are kept in ${paths.sessionsDir}.`,
    )
  }
  for (const id of ids) {
    const stored = load(id, paths)
    if (stored.resumed.cwd === cwd) return stored
  }
  throw new UsageError(`There is no earlier session in ${cwd}.`, 'Start a new one without --continue or --resume.')
}

/** Ids of stored sessions, last written first. */
export function storedIds(paths: Paths): string[] {
  if (!existsSync(paths.sessionsDir)) return []
  return readdirSync(paths.sessionsDir)
    .map((id) => ({ id, file: sessionFiles(paths, id).transcript }))
    .filter(({ file }) => existsSync(file))
    .map(({ id, file }) => ({ id, changed: statSync(file).mtimeMs }))
    .sort((a, b) => b.changed - a.changed)
    .map(({ id }) => id)
}

function load(id: string, paths: Paths): Stored {
  const { events, badLines, tornTail } = readTranscript(sessionFiles(paths, id).transcript)
  const warnings: string[] = []
  if (badLines > 0)
    warnings.push(
      `${badLines} damaged lines of the transcript of ${id} were skipped; their bytes are still in ${join(paths.sessionsDir, id)}.`,
    )
  const redacted = [...countRedactions(events)].map(([kind, count]) =>
    count === 1 ? kind : `${kind} (${count} times)`,
  )
  if (redacted.length > 0)
    warnings.push(
      `Secrets were kept out of the record of ${id}: ${redacted.join(', ')}. The model sees a mark in their place.`,
    )
  if (tornTail) warnings.push(`The last record of ${id} was cut off and is lost.`)
  return { id, events, resumed: resumeSession(events), warnings }
}
