/** Reads a transcript piece by piece: records in file order, and what of it could not be read. */
import { closeSync, openSync, readSync } from 'node:fs'
import type { AgentEvent } from '../../protocol/index.ts'
import { type ReadRecord, readRecord } from '../../session/migrations.ts'

export type ReadSummary = {
  /** Lines that are no records; their bytes stay in the file. */
  badLines: number
  /** True when the last line was cut off mid-way. */
  tornTail: boolean
  /** The highest version of records that a newer program wrote; null when there are none. */
  newerVersion: number | null
}

/** `line` is the record's own bytes; they may be written over after the call. */
export type OnRecord = (event: AgentEvent, line: Buffer) => void

export type ReadTranscript = ReadSummary & { events: AgentEvent[] }

/** All readable records in file order. Throws only when the file itself cannot be read. */
export function readTranscript(path: string): ReadTranscript {
  const events: AgentEvent[] = []
  const summary = scanTranscript(path, (event) => void events.push(event))
  return { events, ...summary }
}

/** Hands over each readable record as it comes, so that a file may be larger than the memory. */
export function scanTranscript(path: string, onRecord: OnRecord): ReadSummary {
  return scanRecords(pieces(path), onRecord)
}

/** The same for bytes in pieces of any size; each piece may be written over once the next is asked for. */
export function scanRecords(bytes: Iterable<Uint8Array>, onRecord: OnRecord): ReadSummary {
  const summary: ReadSummary = { badLines: 0, tornTail: false, newerVersion: null }
  let rest: Buffer[] = []
  const line = (text: Buffer, ended: boolean) => {
    if (isBlank(text)) return
    const before = summary.badLines
    readLine(text, summary, onRecord)
    // What was being written when the process died is no damage of the file.
    if (ended || summary.badLines === before) return
    summary.badLines = before
    summary.tornTail = true
  }
  for (const piece of bytes) {
    const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    let from = 0
    for (let to = buffer.indexOf(10); to >= 0; to = buffer.indexOf(10, from)) {
      const end = buffer.subarray(from, to)
      line(rest.length === 0 ? end : Buffer.concat([...rest, end]), true)
      rest = []
      from = to + 1
    }
    if (from < buffer.length) rest.push(Buffer.from(buffer.subarray(from)))
  }
  if (rest.length > 0) line(Buffer.concat(rest), false)
  return summary
}

const pieceBytes = 1 << 20

function* pieces(path: string): Iterable<Uint8Array> {
  const fd = openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(pieceBytes)
    for (;;) {
      const length = readSync(fd, buffer, 0, buffer.length, null)
      if (length === 0) return
      yield buffer.subarray(0, length)
    }
  } finally {
    closeSync(fd)
  }
}

function isBlank(line: Buffer): boolean {
  return line.length === 0 || (line.length === 1 && line[0] === 13)
}

/** How each of our records begins: behind damage on the same line a whole one may follow. */
const recordStart = '{"v":'

function readLine(line: Buffer, summary: ReadSummary, onRecord: OnRecord): void {
  if (tryLine(line, summary, onRecord)) return
  summary.badLines++
  const at = line.lastIndexOf(recordStart)
  if (at > 0) tryLine(line.subarray(at), summary, onRecord)
}

/** False when the line is no record. */
function tryLine(line: Buffer, summary: ReadSummary, onRecord: OnRecord): boolean {
  const read = parsed(line)
  if (read.type === 'record') onRecord(read.event, line)
  else if (read.type === 'newer') summary.newerVersion = Math.max(summary.newerVersion ?? 0, read.version)
  return read.type !== 'bad'
}

/** The record of one line; undefined when it is none that this program knows. */
export function readRecordLine(line: Buffer): AgentEvent | undefined {
  const read = parsed(line)
  return read.type === 'record' ? read.event : undefined
}

function parsed(line: Buffer): ReadRecord {
  try {
    return readRecord(JSON.parse(line.toString('utf8')))
  } catch {
    return { type: 'bad' }
  }
}
