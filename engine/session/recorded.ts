/** A session as it lies in its three files, line by line, and what can be broken in it. */
import type { AuditEntry, TranscriptSeal } from '../ports/index.ts'
import type { AgentEvent, TraceSpan } from '../protocol/index.ts'

/** A line of a record file that holds a record; `line` counts from 1, `text` is the line without its end. */
export type RecordLine<T> = { line: number; text: string; record: T }
/** `damaged` are the numbers of lines that hold none: a crash or a full disk leaves half of one. */
export type RecordFile<T> = { lines: readonly RecordLine<T>[]; damaged: readonly number[] }

export type RecordHead = { v: 1; seq: number; time: string; sessionId: string; turnId: string | null }
export type SpanRecord = RecordHead & { type: 'span'; span: TraceSpan }
export type AuditRecord = RecordHead & { prevHash: string; hash: string } & (
    | AuditEntry
    | (TranscriptSeal & { callId?: undefined })
  )

export type RecordedSession = {
  id: string
  transcript: RecordFile<AgentEvent>
  trace: RecordFile<SpanRecord>
  audit: RecordFile<AuditRecord>
}

export type RecordName = 'transcript' | 'trace' | 'audit'
/** `chain` is the ledger's own, `seal` its word on the transcript; the numbers are those of the laws in docs/ARCHITECTURE.md. */
export type LawName = 'chain' | 'seal' | 'law 1' | 'law 2' | 'law 3' | 'law 9'
export type LawBreak = { law: LawName; file: RecordName; line: number; text: string }
