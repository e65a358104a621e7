/** Makes a session that begins with what was said in another one; loaded only when a person forks. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { forkEvents } from '@sluice/engine'
import { copyCheckpoints } from '@sluice/engine/adapters/checkpoints'
import { systemClock } from '@sluice/engine/adapters/system'
import { createTranscript, readTranscript } from '@sluice/engine/adapters/transcript-jsonl'
import { UsageError } from '../cli/usage-error.ts'
import { type Paths, sessionFiles } from '../paths.ts'

/** `input` are the words of the turn before which it begins; null for a fork of the whole. */
export type MadeFork = { id: string; input: string | null }

/**
 * Copies the records of session `id` before the turn `turnId`, or all of them when it is null, into a new session; the other
 * one is only read. Throws UsageError.
 */
export async function forkSession(paths: Paths, id: string, turnId: string | null): Promise<MadeFork> {
  const files = sessionFiles(paths, id)
  const forked = systemClock.id('s')
  const { events } = readTranscript(files.transcript)
  const fork = forkEvents(events, { sessionId: forked, time: systemClock.timestamp() }, turnId)
  if (fork === undefined) {
    throw new UsageError(`There is nothing in ${id} that a fork could begin with.`, 'Say something first.')
  }
  const target = sessionFiles(paths, forked)
  let problem: string | undefined
  const transcript = createTranscript(target.transcript, (text) => {
    problem ??= text
  })
  for (const event of fork.events) transcript.write(event)
  await transcript.flush()
  await transcript.close()
  if (problem === undefined) {
    try {
      copyCheckpoints(files.checkpoints, target.checkpoints, fork.ids)
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error)
    }
  }
  if (problem === undefined) return { id: forked, input: fork.input }
  rmSync(join(paths.sessionsDir, forked), { recursive: true, force: true })
  throw new UsageError(`The fork could not be written: ${problem}`, 'The session itself is as it was.')
}
