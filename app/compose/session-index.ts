/** Stored sessions for screens and commands: their index, their records, and what is done to their folders. */
import { dirname, join } from 'node:path'
import { createRedactor, type Redactor } from '@sluice/engine'
import {
  createSessionIndex,
  dayMs,
  defaultTrashDays,
  eraseTrashed,
  folderBytes,
  listTrash,
  planRetention,
  type Repaired,
  type Retired,
  repairSettings,
  repairTranscript,
  type StoredSessions,
  type Trashed,
} from '@sluice/engine/adapters/session-index'
import { readTranscript, whyOf } from '@sluice/engine/adapters/transcript-jsonl'
import type { AgentEvent } from '@sluice/engine/protocol'
import type { Config } from '../config.ts'
import { type Paths, sessionFiles } from '../paths.ts'
import { secretsInUse } from './secrets.ts'
import { wasUsed } from './stored-ids.ts'

export { canBeSearched, IdTaken, type StoredSessions, type TrashedSession } from '@sluice/engine/adapters/session-index'
export { defaultTrashDays, folderBytes }

export function openSessionIndex(paths: Pick<Paths, 'sessionsDir'>): StoredSessions {
  return createSessionIndex({ stateFolder: dirname(paths.sessionsDir), sessionsDir: paths.sessionsDir })
}

/** All records of a session that can be read, and how many could not. Throws the system's error. */
export function recordsOf(paths: Paths, id: string): { events: AgentEvent[]; lost: number } {
  const { events, badLines, tornTail } = readTranscript(sessionFiles(paths, id).transcript)
  return { events, lost: badLines + (tornTail ? 1 : 0) }
}

/** For what leaves the state folder: known shapes of secrets and the keys of this environment, whatever was recorded. */
export function redactorFor({ redact = true }: Config): Redactor {
  return createRedactor({
    keys: secretsInUse({ env: process.env }),
    shapes: redact !== false,
    patterns: Array.isArray(redact) ? redact.map((text) => new RegExp(text)) : [],
  })
}

/**
 * Records that no other process may be writing: the caller holds the session's lock. `damagedSettings` is where a damaged
 * `meta.json` is now. Where nothing is damaged nothing is written. Throws the system's error.
 */
export function repairSession(paths: Paths, id: string): Repaired & { damagedSettings: string | null } {
  const folder = join(paths.sessionsDir, id)
  const seen = repairTranscript(folder, false)
  const repaired = seen.moved === 0 ? seen : repairTranscript(folder)
  return { ...repaired, damagedSettings: repairSettings(folder) }
}

export type Goodbyes = {
  /** Moved to the trash by the limits. */
  retired: Retired[]
  /** Deleted for good. */
  emptied: (Trashed & { bytes: number })[]
  problems: string[]
}

/** Applies the limits of the config; with `dryRun` it only says what would go. `now` is ms since 1970. */
export function collectGarbage(
  paths: Paths,
  index: StoredSessions,
  config: Config,
  dryRun: boolean,
  now: number,
): Goodbyes {
  const limits = config.sessions ?? {}
  const kept = index.list().map((session) => {
    const folder = join(paths.sessionsDir, session.id)
    const used = session.turns > 0 || wasUsed(folder, session.bytes)
    return { ...session, used, bytes: folderBytes(folder) }
  })
  const goodbyes: Goodbyes = { retired: [], emptied: [], problems: [] }
  const attempt = (what: string, work: () => void) => {
    try {
      if (!dryRun) work()
      return true
    } catch (error) {
      goodbyes.problems.push(`${what}: ${whyOf(error)}`)
      return false
    }
  }
  const oldest = now - (limits.trashDays ?? defaultTrashDays) * dayMs
  for (const trashed of listTrash(dirname(paths.sessionsDir))) {
    if (trashed.since > oldest) continue
    const bytes = folderBytes(trashed.folder)
    if (attempt(trashed.id, () => eraseTrashed(trashed))) goodbyes.emptied.push({ ...trashed, bytes })
  }
  for (const retired of planRetention(kept, limits, now)) {
    if (attempt(retired.session.id, () => index.remove(retired.session.id))) goodbyes.retired.push(retired)
  }
  return goodbyes
}
