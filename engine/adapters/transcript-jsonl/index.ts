/** The transcript: every durable event of a session as one JSON line. */
import { createHash } from 'node:crypto'
import type { EventSink, TranscriptSeal } from '../../ports/index.ts'
import { type AgentEvent, isDurable } from '../../protocol/index.ts'
import { openAppender, type Unsaved } from '../append-line.ts'
import type { OnProblem } from '../disk-report.ts'
import { createTeller } from '../record-problem.ts'

export type { Unsaved } from '../append-line.ts'
export type { DiskReport, DiskState, OnProblem } from '../disk-report.ts'
export { missing } from '../record-problem.ts'
export { lookAtTranscript, namesOfSessions, type Unreadable } from '../stored-transcript.ts'
export { reasonOf, whyOf } from '../system-words.ts'
export {
  type ReadSummary,
  type ReadTranscript,
  readRecordLine,
  readTranscript,
  scanRecords,
  scanTranscript,
} from './read.ts'

/**
 * Writes to `path`; that it cannot be written, and that it can be again, is told to `onProblem` once each, and the session
 * goes on. `redact` gives the record as it may be kept; `seal` hears at the end of each turn, and of the session, what was
 * written since. `onDeleted` is called before a file that was deleted is made again. `unsaved` tells what is not in the file; once it is closed, that is lost.
 */
export function createTranscript(
  path: string,
  onProblem: OnProblem,
  redact: (event: AgentEvent) => AgentEvent = (event) => event,
  seal?: (seal: TranscriptSeal, turnId: string | null) => void,
  onDeleted?: () => void,
): EventSink & { unsaved(): Unsaved | null } {
  let line: Buffer | undefined
  const file = openAppender(path, {
    ...(onDeleted && { onDeleted }),
    onLine(bytes) {
      line = bytes
    },
  })
  const append = createTeller(file, 'The transcript is', onProblem)
  let written: { firstSeq: number; lines: number; hash: ReturnType<typeof createHash> } | undefined
  return {
    write(event) {
      if (!isDurable(event)) return
      append(redact(event))
      if (seal === undefined || line === undefined) return
      written ??= { firstSeq: event.seq, lines: 0, hash: createHash('sha256') }
      written.hash.update(line)
      line = undefined
      written.lines++
      if (event.type !== 'turn_end' && event.type !== 'session_end') return
      const { firstSeq, lines, hash } = written
      written = undefined
      seal({ type: 'seal', firstSeq, lastSeq: event.seq, lines, transcript: hash.digest('hex') }, event.turnId)
    },
    flush: async (soon) => (soon ? file.syncLater() : file.sync()),
    close: async () => file.close(),
    unsaved: () => file.unsaved(),
  }
}
