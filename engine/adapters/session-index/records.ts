/** Finds the records in the bytes of a transcript, and reads only those that say something about the session. */
import type { AgentEvent } from '../../protocol/index.ts'
import { readRecord } from '../../session/migrations.ts'

export type Heard = {
  /** A record that matters, with where its line begins. */
  record(event: AgentEvent, offset: number): void
  /** Of the last record, when that was only looked at. */
  passed(time: string): void
  /** A line that is no record. */
  lost(): void
}

/** Tells of every line of `bytes`, the last of which may lack its line feed, until `enough` says so after a record. */
export function readRecords(bytes: Buffer, heard: Heard, enough: () => boolean = never): void {
  let passed: Buffer | undefined
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(lineFeed, start)
    const end = found < 0 ? bytes.length : found
    const line = bytes.subarray(start, end)
    const kind = kindOf(line)
    if (kind === 'pass') passed = line
    else if (kind !== 'blank') {
      tell(line, kind === 'damaged', start, heard)
      passed = undefined
      if (enough()) return
    }
    start = end + 1
  }
  if (passed !== undefined) heard.passed(timeOf(passed))
}

/** The record of a line; null when it has none to tell of, undefined when it is damaged. */
export function parse(line: Buffer): AgentEvent | null | undefined {
  let value: unknown
  try {
    value = JSON.parse(line.toString('utf8'))
  } catch {
    return undefined
  }
  const read = readRecord(value)
  return read.type === 'record' ? read.event : read.type === 'bad' ? undefined : null
}

function tell(line: Buffer, damaged: boolean, at: number, heard: Heard): void {
  const event = damaged ? undefined : parse(line)
  if (event) heard.record(event, at)
  if (event !== undefined) return
  heard.lost()
  // Behind damage on the same line a whole record may follow.
  const next = line.lastIndexOf(recordStart)
  const rest = next > 0 ? parse(line.subarray(next)) : undefined
  if (rest) heard.record(rest, at + next)
}

/**
 * Parsing is what reading a transcript costs, and most bytes are output of tools. A line as we write it says its type in
 * the first few hundred bytes; any other is parsed.
 */
function kindOf(line: Buffer): 'read' | 'pass' | 'damaged' | 'blank' {
  if (line.length === 0 || (line.length === 1 && line[0] === carriageReturn)) return 'blank'
  if (line.length < worthALook) return 'read'
  const type = envelope.exec(line.toString('latin1', 0, headBytes))?.[2]
  if (type === undefined) return 'read'
  const skip = skipped[type]
  if (skip === undefined || (skip !== 'always' && line.indexOf(skip) >= 0)) return 'read'
  // Half a record, or the zeros that a crash of the machine leaves: what is never parsed must still be counted.
  return line[line.length - 1] === closingBrace && !line.includes(0) ? 'pass' : 'damaged'
}

/** Types that are passed over: always, or when the line lacks this key. Quotes inside of texts are escaped, so a key is a key. */
const skipped: { [type: string]: 'always' | Buffer | undefined } = {
  context: 'always',
  tool_proposed: 'always',
  tool_output: 'always',
  tool_start: 'always',
  tool_process: 'always',
  partial: 'always',
  queue: 'always',
  notice: 'always',
  error: 'always',
  compaction: 'always',
  state: 'always',
  text_delta: 'always',
  reasoning_delta: 'always',
  tool_result: Buffer.from('"newHash":'),
}

function timeOf(line: Buffer): string {
  return envelope.exec(line.toString('latin1', 0, headBytes))?.[1] ?? ''
}

const never = () => false
const lineFeed = 10
const carriageReturn = 13
const closingBrace = 125
const recordStart = '{"v":'
const worthALook = 200
const headBytes = 400
const envelope =
  /^\{"v":\d+,"seq":\d+,"time":"([^"\\]*)","sessionId":"[^"\\]*","turnId":(?:null|"[^"\\]*"),"type":"([a-z_]+)"/
