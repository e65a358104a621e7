/** Checks a recorded session against the laws of the house: what was called, permitted, done and ended, in one identity. */
import type { Digest } from '../ports/index.ts'
import { checkChain } from './audit-chain.ts'
import { inheritedUpTo, ownPart } from './inherited.ts'
import { callResultBreaks } from './law-1.ts'
import { permissionBreaks } from './law-2.ts'
import { turnEndBreaks } from './law-3.ts'
import { identityBreaks } from './law-9.ts'
import type { LawBreak, RecordedSession, RecordFile } from './recorded.ts'
import { sealBreaks } from './seal.ts'

export type {
  AuditRecord,
  LawBreak,
  RecordedSession,
  RecordFile,
  RecordLine,
  RecordName,
  SpanRecord,
} from './recorded.ts'

/** What was looked at, for a report that shows that there was something to check. */
export type LawReport = {
  breaks: LawBreak[]
  /** What is no break but worth knowing: damaged lines, a turn that was cut off. */
  notes: string[]
  counts: { turns: number; calls: number; decisions: number; outcomes: number; spans: number }
}

/** All breaks, those of the ledger's chain and seals first, then by law and by line. Pure. */
export function checkLaws(session: RecordedSession, digest: Digest): LawReport {
  const notes: string[] = []
  const breaks = [
    ...checkChain(session.audit, digest),
    ...sealBreaks(session, digest, notes),
    ...callResultBreaks(session, notes),
    ...permissionBreaks(ownPart(session)),
    ...turnEndBreaks(session, notes),
    ...identityBreaks(session),
  ]
  const inherited = inheritedUpTo(session)
  if (inherited) {
    notes.push(`The records before line ${inherited.line} were copied from ${inherited.from}: check their calls there.`)
  }
  for (const name of ['transcript', 'trace', 'audit'] as const) {
    const { damaged } = session[name]
    if (damaged.length > 0) notes.push(`${name}.jsonl has lines that are no records: ${damaged.join(', ')}.`)
  }
  const { transcript, audit, trace } = session
  const count = <T>(file: RecordFile<T>, test: (record: T) => boolean) =>
    file.lines.filter(({ record }) => test(record)).length
  return {
    breaks,
    notes,
    counts: {
      turns: count(transcript, (event) => event.type === 'turn_start'),
      calls: count(transcript, (event) => event.type === 'tool_result'),
      decisions: count(audit, (entry) => entry.type === 'decision'),
      outcomes: count(audit, (entry) => entry.type === 'outcome'),
      spans: trace.lines.length,
    },
  }
}
