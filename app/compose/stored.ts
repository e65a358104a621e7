/** Finds the stored session to go on with, by id or as the last one of the folder; loaded only when one is asked for. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { countRedactions, createResume, type ResumedSession } from '@sluice/engine'
import { stillRuns } from '@sluice/engine/adapters/processes'
import { isLive, type LockHolder, type SessionLock, takeSessionLock } from '@sluice/engine/adapters/session-lock'
import { type ReadSummary, scanTranscript, type Unreadable, whyOf } from '@sluice/engine/adapters/transcript-jsonl'
import type { AgentEvent } from '@sluice/engine/protocol'
import { UsageError } from '../cli/usage-error.ts'
import { type Paths, sessionFiles } from '../paths.ts'
import { forScreen } from './for-screen.ts'
import { idMeant, type Likely, lastOnes, leaveNothing, movedFrom, shortTitle, unreadableText } from './stored-ids.ts'

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
 * `wanted` is an id or the beginning of one; '' is the last session of `cwd` in which something was said. The session is
 * locked for this process. Throws UsageError: there is none, another process works on it, a newer sluice wrote it, it
 * cannot be read.
 */
export function findStored(wanted: string, paths: Paths, cwd: string): Stored {
  if (wanted === '') return findLast(paths, cwd)
  const { id, why } = idMeant(wanted, paths)
  if (why !== null) throw new CannotRead(id, why, paths)
  return load(id, paths)
}

/** What cannot be read is passed over, and told: it may be the one that was meant. */
function findLast(paths: Paths, cwd: string): Stored {
  const passed: Unreadable[] = []
  const likely = lastOnes(paths, cwd)
  for (const { id, why } of likely) {
    try {
      if (why !== null) throw new CannotRead(id, why, paths)
      const stored = load(id, paths)
      if (stored.resumed.cwd === cwd) {
        return passed.length === 0 ? stored : { ...stored, warnings: [unreadableText(passed), ...stored.warnings] }
      }
      stored.lock?.release()
    } catch (error) {
      if (error instanceof CannotRead) passed.push({ id: error.id, why: error.why })
      else if (error instanceof Held) throw new Held(error.message, nextFix(likely, paths))
      else throw error
    }
  }
  throw new UsageError(
    `There is no earlier session in ${cwd}.${passed.length === 0 ? '' : ` ${unreadableText(passed)}`}`,
    `Start a new one without --continue or --resume.${movedHint(paths, cwd)}`,
  )
}

/** The last one is open elsewhere: which one could be gone on with instead. */
function nextFix(rest: Iterable<Likely>, paths: Paths): string {
  for (const { id, why } of rest) {
    if (why !== null || isLive(join(paths.sessionsDir, id))) continue
    return `Only one process can go on with a session: close it there, or go on with the one before it: sluice --resume ${id}${inBrackets(shortTitle(paths, id))}.`
  }
  return heldFix
}

function movedHint(paths: Paths, cwd: string): string {
  const moved = movedFrom(paths, cwd)
  if (moved === null) return ''
  const { id, from } = moved
  return ` Has the folder moved? The session ${id}${inBrackets(shortTitle(paths, id))} worked in ${from}, which is not there any more; it goes on here with: sluice --cwd ${JSON.stringify(cwd)} --resume ${id}`
}

function inBrackets(title: string): string {
  return title === '' ? '' : ` (${title})`
}

/** Another process has the session. */
class Held extends UsageError {}

class CannotRead extends UsageError {
  readonly id: string
  readonly why: string
  constructor(id: string, why: string, paths: Paths) {
    super(`The session ${id} cannot be read: ${why}.`, `Its records are in ${join(paths.sessionsDir, id)}.`)
    this.id = id
    this.why = why
  }
}

/**
 * The lock of a session that is opened; undefined where its folder cannot be written. One that begins with it, and in which
 * nothing was said when it is given back, leaves nothing behind. Throws UsageError when it is held.
 */
export function lockSession(id: string, paths: Paths): SessionLock | undefined {
  const folder = join(paths.sessionsDir, id)
  const begins = !existsSync(folder)
  const attempt = takeSessionLock(folder)
  if (attempt.type === 'held') throw new Held(`The session ${id} is open in ${named(attempt.holder)}.`, heldFix)
  if (attempt.type !== 'taken') return undefined
  const { lock } = attempt
  if (!begins) return lock
  return {
    freshen: lock.freshen,
    release() {
      leaveNothing(folder)
      lock.release()
    },
  }
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
    throw new CannotRead(id, whyOf(error), paths)
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
