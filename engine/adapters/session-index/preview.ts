/** The last exchange of a session, read at the two places where the index says that it stands. */
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionPreview } from '../../ports/index.ts'
import type { AgentEvent } from '../../protocol/index.ts'
import { parse } from './records.ts'
import { openTranscript, type Progress, readAt } from './take-in.ts'

export const previewChars = 4000

export function previewOf(sessionsDir: string, id: string, progress: Progress): SessionPreview {
  const { folded, said, answered } = progress
  const file = openTranscript(join(sessionsDir, id))
  try {
    const input = file === null || said < 0 ? undefined : recordAt(file, said)
    // An answer that stands before the last words answers other ones.
    const answer = file === null || answered < said ? undefined : recordAt(file, answered)
    return {
      lastInput: input?.type === 'turn_start' ? bounded(input.input) : '',
      lastAnswer: bounded(
        (file !== null && folded.stopReason === null && streamedSince(file, Math.max(said, answered))) ||
          (answer?.type === 'message' ? answer.message.content : ''),
      ),
      files: folded.files,
      todo: folded.todo.map(({ text, status }) => ({ text, status })),
      stopReason: folded.stopReason !== null && folded.processEnded ? 'process_ended' : folded.stopReason,
    }
  } finally {
    if (file !== null) closeSync(file)
  }
}

export const nothingToPreview: SessionPreview = { lastInput: '', lastAnswer: '', files: [], todo: [], stopReason: null }

function recordAt(file: number, offset: number): AgentEvent | null | undefined {
  for (let length = 16 * 1024; ; length *= 8) {
    const bytes = readAt(file, offset, length)
    const end = bytes.indexOf(10)
    if (end >= 0 || bytes.length < length) return parse(end >= 0 ? bytes.subarray(0, end) : bytes)
  }
}

/** What came of a reply that still streams, or did when its process died: a whole one would stand behind it. */
function streamedSince(file: number, offset: number): string {
  if (offset < 0) return ''
  let text = ''
  for (const line of readAt(file, offset, streamedBytes).toString('utf8').split('\n')) {
    if (!line.includes('"type":"partial"') && !line.includes('"type":"notice"')) continue
    const event = parse(Buffer.from(line))
    if (event?.type === 'partial') text += event.text
    else if (event?.type === 'notice' && event.code === 'model_retry') text = ''
  }
  return text
}

const streamedBytes = 256 * 1024

function bounded(text: string): string {
  return text.length <= previewChars ? text : `${text.slice(0, previewChars).toWellFormed()}…`
}
