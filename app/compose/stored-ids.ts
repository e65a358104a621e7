/** Which sessions are stored, and which one `--continue` may mean: found by their files' times and first lines, without the index. */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  lookAtTranscript,
  namesOfSessions,
  readRecordLine,
  type Unreadable,
  whyOf,
} from '@sluice/engine/adapters/transcript-jsonl'
import type { AgentEvent } from '@sluice/engine/protocol'
import { UsageError } from '../cli/usage-error.ts'
import { type Paths, sessionFiles } from '../paths.ts'

export type { Unreadable } from '@sluice/engine/adapters/transcript-jsonl'

export type StoredFiles = {
  /** Last written first. */
  files: { id: string; size: number; changed: number }[]
  unreadable: Unreadable[]
}

/** One that cannot be read is told and stops none of the others. Throws UsageError when the folder of all cannot be read. */
export function storedFiles({ sessionsDir }: Pick<Paths, 'sessionsDir'>): StoredFiles {
  const { names, why } = namesOfSessions(sessionsDir)
  if (why !== null)
    throw new UsageError(`The stored sessions cannot be read: ${why}.`, `They are kept in ${sessionsDir}.`)
  const found: StoredFiles = { files: [], unreadable: [] }
  for (const id of names) {
    const look = lookAtTranscript(sessionsDir, id)
    if (look.type === 'file') found.files.push({ id, size: look.stat.size, changed: look.stat.mtimeMs })
    else if (look.type === 'unreadable') found.unreadable.push({ id, why: look.why })
  }
  found.files.sort((a, b) => b.changed - a.changed)
  return found
}

/** `1 session cannot be read: s_1, permission denied (EACCES).` */
export function unreadableText(those: readonly Unreadable[]): string {
  const named = those.slice(0, mostNamed).map(({ id, why }) => `${id}, ${why}`)
  const rest = those.length > mostNamed ? `; and ${those.length - mostNamed} more` : ''
  return `${those.length === 1 ? '1 session' : `${those.length} sessions`} cannot be read: ${named.join('; ')}${rest}.`
}

const mostNamed = 3

/**
 * The session of this id, or the only one whose id begins so; `why` it cannot be read. Throws UsageError: there is none, or
 * there are several.
 */
export function idMeant(wanted: string, paths: Pick<Paths, 'sessionsDir'>): Likely {
  const { files, unreadable } = storedFiles(paths)
  const all: Likely[] = [...files.map(({ id }) => ({ id, why: null })), ...unreadable]
  const exact = all.filter(({ id }) => id === wanted)
  const matches = exact.length > 0 ? exact : all.filter(({ id }) => id.startsWith(wanted))
  const [match] = matches
  if (match !== undefined && matches.length === 1) return match
  const ids = matches.slice(0, 5).map(({ id }) => id)
  throw new UsageError(
    matches.length === 0
      ? `There is no session "${wanted}".`
      : `"${wanted}" fits ${matches.length} sessions: ${ids.join(', ')}.`,
    `Sessions are kept in ${paths.sessionsDir}.`,
  )
}

/** Where a session works that has moved to another folder than the one that its first record names. */
export const movedFile = 'cwd'

/** A session that may be meant, or one that cannot be read and so may be it as well. */
export type Likely = { id: string; why: string | null }

/**
 * Those that work in `cwd`, the likeliest first: the last one in which something was said or left, and at the end those in
 * which nothing was. Of most only the first line is read. A copy of the files is younger than what happened in them: what
 * the last record says counts, and is asked of as few as can be.
 */
export function* lastOnes(paths: Paths, cwd: string): Generator<Likely> {
  const { files, unreadable } = storedFiles(paths)
  for (const one of unreadable) yield one
  const empty: Likely[] = []
  /** Used ones behind which a later one may still come, the last first. */
  const held: { id: string; at: number }[] = []
  for (const { id, size, changed } of files) {
    // Nothing happened in a file after it was written.
    while (held[0] !== undefined && held[0].at >= changed) yield { id: held.shift()?.id ?? '', why: null }
    const place = placeOf(id, paths)
    if ('why' in place) yield { id, why: place.why }
    // A damaged beginning says nothing: all of it must be read then.
    else if (place.cwd === undefined || place.cwd === cwd) {
      if (wasUsed(join(paths.sessionsDir, id), size)) {
        held.push({ id, at: Math.min(changed, lastTime(sessionFiles(paths, id).transcript, size) ?? changed) })
        held.sort((a, b) => b.at - a.at)
      } else empty.push({ id, why: null })
    }
  }
  for (const { id } of held) yield { id, why: null }
  yield* empty
}

/** Where the session works as far as the beginning of its records says, or why those cannot be read. */
function placeOf(id: string, paths: Paths): { cwd: string | undefined } | { why: string } {
  try {
    const moved = join(paths.sessionsDir, id, movedFile)
    if (existsSync(moved)) return { cwd: readFileSync(moved, 'utf8') }
    const first = readRecordLine(head(sessionFiles(paths, id).transcript))
    return { cwd: first?.type === 'session_start' ? first.cwd : undefined }
  } catch (error) {
    return { why: whyOf(error) }
  }
}

/** The first line, or as much of the beginning as the first record of a session ever takes. */
function head(path: string): Buffer {
  const bytes = beginning(path, 16 * 1024)
  const end = bytes.indexOf(10)
  return end < 0 ? bytes : bytes.subarray(0, end)
}

/** ms since 1970 of the last record; undefined where it is longer than the end that is looked at, or tells no time. */
function lastTime(path: string, size: number): number | undefined {
  try {
    const end = piece(path, Math.max(0, size - 16 * 1024), 16 * 1024)
    const record = readRecordLine(end.subarray(end.lastIndexOf(10, -2) + 1))
    const at = Date.parse(record?.time ?? '')
    return Number.isNaN(at) ? undefined : at
  } catch {
    return undefined
  }
}

function beginning(path: string, length: number): Buffer {
  return piece(path, 0, length)
}

function piece(path: string, from: number, length: number): Buffer {
  const fd = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(length)
    return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, from))
  } finally {
    closeSync(fd)
  }
}

/** True when something was said in a session, set on it, or left in its draft; also when that cannot be looked at. */
export function wasUsed(folder: string, size: number): boolean {
  if (size > longestUnused) return true
  try {
    if (existsSync(join(folder, 'meta.json')) || existsSync(join(folder, 'view.json'))) return true
    const bytes = readFileSync(join(folder, 'transcript.jsonl'))
    return used.some((mark) => bytes.includes(mark))
  } catch {
    return true
  }
}

/** Starts, notices and settings take no more. */
const longestUnused = 256 * 1024
/** Quotes inside of texts are escaped, so a key is a key. */
const used = ['"type":"turn_start"', '"type":"message"', '"type":"queue"', '"title":"']

const ours = ['transcript.jsonl', 'trace.jsonl', 'audit.jsonl', 'lock']

/**
 * Takes away the folder of a session that was opened, left in an orderly way, and never used. Whoever calls it holds the
 * session's lock. What is in any way more than that stays.
 */
export function leaveNothing(folder: string): void {
  try {
    const names = readdirSync(folder)
    if (names.some((name) => !ours.includes(name))) return
    // Nothing but its lock: it could not even begin.
    if (names.every((name) => name === 'lock') || endedUnused(folder)) rmSync(folder, { recursive: true })
  } catch {
    // It stays, and is listed last.
  }
}

function endedUnused(folder: string): boolean {
  const transcript = readFileSync(join(folder, 'transcript.jsonl'))
  const last = transcript.subarray(transcript.lastIndexOf(10, -2) + 1)
  return readRecordLine(last)?.type === 'session_end' && !wasUsed(folder, transcript.length)
}

/** What the first records say the session is about, in a few words; '' when they do not. */
export function shortTitle(paths: Paths, id: string): string {
  for (const event of firstRecords(paths, id)) {
    const text = event.type === 'turn_start' ? event.input : event.type === 'session_start' ? event.title : undefined
    const line = text?.split('\n').find((one) => one.trim() !== '')
    if (line !== undefined) return line.trim().length > 60 ? `${line.trim().slice(0, 59).toWellFormed()}…` : line.trim()
  }
  return ''
}

function* firstRecords(paths: Paths, id: string): Generator<AgentEvent> {
  let bytes: Buffer
  try {
    bytes = beginning(sessionFiles(paths, id).transcript, 64 * 1024)
  } catch {
    return
  }
  for (let start = 0, end = bytes.indexOf(10); end >= 0; start = end + 1, end = bytes.indexOf(10, start)) {
    const event = readRecordLine(bytes.subarray(start, end))
    if (event !== undefined) yield event
  }
}

/** The last session of a folder that is gone and was called as `cwd` is, or stood where it stands: it may have moved. */
export function movedFrom(paths: Paths, cwd: string): { id: string; from: string } | null {
  for (const { id, size } of storedFiles(paths).files.slice(0, mostLookedAt)) {
    const place = placeOf(id, paths)
    const from = 'cwd' in place ? place.cwd : undefined
    if (from === undefined || (basename(from) !== basename(cwd) && dirname(from) !== dirname(cwd))) continue
    if (!existsSync(from) && wasUsed(join(paths.sessionsDir, id), size)) return { id, from }
  }
  return null
}

const mostLookedAt = 200
