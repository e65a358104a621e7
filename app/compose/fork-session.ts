/** Makes a session that begins with what was said in another one; loaded only when a person forks. */
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { forkEvents } from '@sluice/engine'
import { copyCheckpoints } from '@sluice/engine/adapters/checkpoints'
import { systemClock } from '@sluice/engine/adapters/system'
import { createTranscript, readTranscript } from '@sluice/engine/adapters/transcript-jsonl'
import type { AgentEvent } from '@sluice/engine/protocol'
import { UsageError } from '../cli/usage-error.ts'
import { type Paths, type SessionFiles, sessionFiles } from '../paths.ts'
import { storeProblem } from '../session/store-problem.ts'
import { longestTitle } from '../session/title-given.ts'
import { openSessionIndex, type StoredSessions } from './session-index.ts'

/** `input` are the words of the turn before which it begins; null for a fork of the whole. */
export type MadeFork = { id: string; input: string | null }

/**
 * Copies the records of session `id` before the turn `turnId`, or all of them when it is null, into a new session; the other
 * one is only read. It is called as that one is, whoever gave the name and where, and marked as a fork. Throws UsageError.
 */
export async function forkSession(paths: Paths, id: string, turnId: string | null): Promise<MadeFork> {
  const files = sessionFiles(paths, id)
  const forked = systemClock.id('s')
  const { events } = readTranscript(files.transcript)
  const fork = forkEvents(events, { sessionId: forked, time: systemClock.timestamp() }, turnId)
  if (fork === undefined) {
    throw new UsageError(`There is nothing in ${id} that a fork could begin with.`, 'Say something first.')
  }
  const index = openSessionIndex(paths)
  try {
    const title = forkTitle(index, id)
    const events = fork.events.map((event) =>
      title !== '' && event.type === 'session_start' && event.forkedFrom === id ? { ...event, title } : event,
    )
    const problem = await write(events, sessionFiles(paths, forked), files.checkpoints, fork.ids)
    if (problem === undefined) {
      // The next fork takes another number.
      index.touch(forked)
      return { id: forked, input: fork.input }
    }
    rmSync(join(paths.sessionsDir, forked), { recursive: true, force: true })
    throw new UsageError(`The fork could not be written. ${problem}`, 'The session itself is as it was.')
  } finally {
    index.close()
  }
}

/** Why it could not be written; undefined when it was. */
async function write(
  events: readonly AgentEvent[],
  target: SessionFiles,
  checkpoints: string,
  ids: ReadonlySet<string>,
): Promise<string | undefined> {
  try {
    mkdirSync(dirname(target.transcript), { mode: 0o700 })
  } catch (error) {
    return storeProblem('Its folder was not made', error)
  }
  let problem: string | undefined
  const transcript = createTranscript(target.transcript, (text) => {
    const code = /\b(?:ENOSPC|EDQUOT|EACCES|EROFS|EIO)\b/.exec(text)?.[0]
    const error = Object.assign(new Error(text), { code, path: target.transcript })
    problem ??= storeProblem('Its records were not written', error)
  })
  for (const event of events) transcript.write(event)
  await transcript.flush()
  await transcript.close()
  if (problem !== undefined) return problem
  try {
    copyCheckpoints(checkpoints, target.checkpoints, ids)
    return undefined
  } catch (error) {
    return storeProblem('What it takes over was not copied', error)
  }
}

/** `TITLE (fork)`, or the next number that no session of that title has; '' where the origin has no title. */
function forkTitle(index: StoredSessions, id: string): string {
  index.touch(id)
  const origin = (index.get(id)?.title ?? '').replace(/ \(fork(?: \d+)?\)$/, '')
  if (origin === '') return ''
  const taken = new Set(index.list({ words: origin, limit: mostForks }).map(({ title }) => title))
  for (let n = 1; ; n++) {
    const mark = n === 1 ? ' (fork)' : ` (fork ${n})`
    const title = `${origin.slice(0, longestTitle - mark.length)}${mark}`
    if (!taken.has(title)) return title
  }
}

/** Beyond that two may be called alike. */
const mostForks = 200
