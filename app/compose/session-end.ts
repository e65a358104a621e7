/** The last screens of a long stored session, read from the end of its file: they are shown while the whole is being read. */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isLive } from '@sluice/engine/adapters/session-lock'
import { readRecordLine } from '@sluice/engine/adapters/transcript-jsonl'
import type { AgentEvent } from '@sluice/engine/protocol'
import type { Options } from '../cli/args.ts'
import { findPaths, type Paths, sessionFiles } from '../paths.ts'
import { readLeftView } from '../session/left-view.ts'
import { findWorkspace } from '../workspace.ts'
import { forScreen } from './for-screen.ts'
import { lastOnes, movedFile } from './stored-ids.ts'

/** Shorter ones are read whole in no time. */
const longBytes = 1_500_000
const endBytes = 400_000

/**
 * Null wherever it is not certain that this very session will be gone on with in this folder: then it is read whole before
 * anything is shown, so that what is wrong with it can be said.
 */
export function endOfStored(options: Options): AgentEvent[] | null {
  try {
    const paths = findPaths()
    const cwd = findWorkspace(options.cwd ?? process.cwd())
    const id = options.resume || (options.continue || options.resume === '' ? lastOf(paths, cwd) : undefined)
    if (id === undefined || !/^\w+$/.test(id) || isLive(join(paths.sessionsDir, id))) return null
    const { transcript } = sessionFiles(paths, id)
    const { size } = statSync(transcript)
    if (size < longBytes) return null
    // It goes on further above.
    if (readLeftView(join(paths.sessionsDir, id)).place !== undefined) return null
    const [first] = records(transcript, 0, 16 * 1024)
    if (first?.type !== 'session_start' || folderOf(paths, id, first.cwd) !== cwd) return null
    const last = records(transcript, size - endBytes, endBytes)
    const from = last.findIndex(({ type }) => type === 'turn_start')
    return from < 0 ? null : [first, ...last.slice(from)].map(forScreen)
  } catch {
    return null
  }
}

function lastOf(paths: Paths, cwd: string): string | undefined {
  for (const { id, why } of lastOnes(paths, cwd)) if (why === null) return id
  return undefined
}

function folderOf(paths: Paths, id: string, cwd: string): string {
  try {
    return readFileSync(join(paths.sessionsDir, id, movedFile), 'utf8')
  } catch {
    return cwd
  }
}

/** The whole records of a part of a file; half ones at its edges are left out. */
function records(path: string, from: number, length: number): AgentEvent[] {
  const fd = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(length)
    const bytes = buffer.subarray(0, readSync(fd, buffer, 0, length, from))
    const events: AgentEvent[] = []
    let start = from === 0 ? 0 : bytes.indexOf(10) + 1
    for (let end = bytes.indexOf(10, start); end >= 0; end = bytes.indexOf(10, start)) {
      const event = readRecordLine(bytes.subarray(start, end))
      if (event !== undefined) events.push(event)
      start = end + 1
    }
    return events
  } finally {
    closeSync(fd)
  }
}
