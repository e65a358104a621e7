/** Finds the stored session to go on with, by id or as the last one of the folder; loaded only when one is asked for. */
import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { countRedactions, createResume, type ResumedSession } from '@sluice/engine'
import { stillRuns } from '@sluice/engine/adapters/processes'
import { type LockHolder, type SessionLock, takeSessionLock } from '@sluice/engine/adapters/session-lock'
import { type ReadSummary, readRecordLine, scanTranscript } from '@sluice/engine/adapters/transcript-jsonl'
import type { AgentEvent } from '@sluice/engine/protocol'
import { UsageError } from '../cli/usage-error.ts'
import { type Paths, sessionFiles } from '../paths.ts'
import { forScreen } from './for-screen.ts'

export type Stored = {
  id: string
  /** What the screen shows of it: long texts are cut. */
  events: AgentEvent[]
  resumed: ResumedSession
  warnings: string[]
  /** Nobody else may write to it until this is released; undefined where its folder cannot be written at all. */
  lock?: SessionLock
}

/**
 * `wanted` is an id or the beginning of one; '' is the last session of `cwd`. The session is locked for this process.
 * Throws UsageError: there is none, another process works on it, a newer sluice wrote it, it cannot be read.
 */
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
    if (!mayWorkIn(id, paths, cwd)) continue
    const stored = load(id, paths)
    if (stored.resumed.cwd === cwd) return stored
    stored.lock?.release()
  }
  throw new UsageError(`There is no earlier session in ${cwd}.`, 'Start a new one without --continue or --resume.')
}

/** Ids of stored sessions, last written first. */
export function storedIds(paths: Paths): string[] {
  if (!existsSync(paths.sessionsDir)) return []
  return readdirSync(paths.sessionsDir)
    .flatMap((id) => {
      const stat = statSync(sessionFiles(paths, id).transcript, { throwIfNoEntry: false })
      return stat ? [{ id, changed: stat.mtimeMs }] : []
    })
    .sort((a, b) => b.changed - a.changed)
    .map(({ id }) => id)
}

/** The lock of a session that is opened; undefined where its folder cannot be written. Throws UsageError when it is held. */
export function lockSession(id: string, paths: Paths): SessionLock | undefined {
  const attempt = takeSessionLock(join(paths.sessionsDir, id))
  if (attempt.type === 'held') throw new UsageError(`The session ${id} is open in ${named(attempt.holder)}.`, heldFix)
  return attempt.type === 'taken' ? attempt.lock : undefined
}

const heldFix =
  'Only one process can go on with a session: close it there, resume another one with --resume ID, or start a new one.'

function named(holder: LockHolder | null): string {
  if (holder === null) return 'another process'
  return holder.pid === process.pid ? 'this sluice already' : `process ${holder.pid} on ${holder.host}`
}

function load(id: string, paths: Paths): Stored {
  const lock = lockSession(id, paths)
  try {
    return { ...read(id, sessionFiles(paths, id).transcript), ...(lock ? { lock } : {}) }
  } catch (error) {
    lock?.release()
    if (error instanceof UsageError) throw error
    throw new UsageError(
      `The session ${id} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
      `Its records are in ${join(paths.sessionsDir, id)}.`,
    )
  }
}

const redactedBytes = '[redacted: '

function read(id: string, path: string): Omit<Stored, 'lock'> {
  let cwd: string | undefined
  const fold = createResume({
    hashOf: (name) => (cwd === undefined ? undefined : hashOf(resolve(cwd, name))),
    stillRuns,
  })
  const events: AgentEvent[] = []
  const secrets = new Map<string, number>()
  const summary = scanTranscript(path, (event, bytes) => {
    if (event.type === 'session_start') cwd = event.cwd
    // Looking through every text for what is seldom there would cost more than reading it.
    if (bytes.includes(redactedBytes)) {
      for (const [kind, count] of countRedactions(event)) secrets.set(kind, (secrets.get(kind) ?? 0) + count)
    }
    fold.add(event)
    events.push(forScreen(event))
  })
  if (summary.newerVersion !== null) {
    throw new UsageError(
      `The session ${id} was written by a newer sluice (records of version ${summary.newerVersion}).`,
      'Update sluice to go on with it; nothing was changed.',
    )
  }
  const resumed = fold.finish()
  return { id, events, resumed, warnings: warningsOf(id, path, summary, resumed, secrets) }
}

function warningsOf(
  id: string,
  path: string,
  { badLines, tornTail }: ReadSummary,
  { dropped, shortened }: ResumedSession,
  secrets: ReadonlyMap<string, number>,
): string[] {
  const many = (count: number, one: string, more: string) => (count === 1 ? `1 ${one}` : `${count} ${more}`)
  const warnings: string[] = []
  if (badLines > 0) {
    const lines = many(badLines, 'damaged line', 'damaged lines')
    warnings.push(
      `${lines} of the transcript of ${id} ${badLines === 1 ? 'was' : 'were'} skipped; the bytes are still in ${path}.`,
    )
  }
  if (tornTail) warnings.push(`The last record of ${id} was cut off and is lost; its bytes are still in ${path}.`)
  if (dropped > 0)
    warnings.push(
      `${many(dropped, 'reply', 'replies')} of ${id} had calls that no model would take back; they were left out.`,
    )
  if (shortened > 0)
    warnings.push(`${many(shortened, 'result', 'results')} of ${id} had to be shortened for the model.`)
  if (secrets.size > 0) {
    const kinds = [...secrets].map(([kind, count]) => (count === 1 ? kind : `${kind} (${count} times)`))
    warnings.push(
      `Secrets were kept out of the record of ${id}: ${kinds.join(', ')}. The model sees a mark in their place.`,
    )
  }
  return warnings
}

/** Where a session works that has moved to another folder than the one that its first record names. */
export const movedFile = 'cwd'

/** False when the beginning of the transcript says that the session works elsewhere: most files need not be read for that. */
function mayWorkIn(id: string, paths: Paths, cwd: string): boolean {
  try {
    const moved = join(paths.sessionsDir, id, movedFile)
    if (existsSync(moved)) return readFileSync(moved, 'utf8') === cwd
    const first = readRecordLine(head(sessionFiles(paths, id).transcript))
    return first?.type !== 'session_start' || first.cwd === cwd
  } catch {
    return true
  }
}

/** The first line, or as much of the beginning as the first record of a session ever takes. */
function head(path: string): Buffer {
  const fd = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(16 * 1024)
    const bytes = buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0))
    const end = bytes.indexOf(10)
    return end < 0 ? bytes : bytes.subarray(0, end)
  } finally {
    closeSync(fd)
  }
}

const largestHashed = 64 * 1024 * 1024

function hashOf(path: string): string | null | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return null
    if (!stat.isFile() || stat.size > largestHashed) return undefined
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    return undefined
  }
}
