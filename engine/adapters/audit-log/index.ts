/** The audit ledger: append-only decisions and outcomes, each record chained to the one before it by hash. */
import { readFileSync } from 'node:fs'
import type { AuditEntry, AuditSink, Clock, Digest } from '../../ports/index.ts'
import { openAppender } from '../append-line.ts'

const chainStart = '0'.repeat(64)

/**
 * `hash` = sha256 of the record's JSON without `hash`; `prevHash` is the hash of the record before it. `redact` gives an
 * entry as it may be kept: what is hashed is what is in the file.
 */
export function createAuditLog(
  path: string,
  sessionId: string,
  clock: Clock,
  digest: Digest,
  onProblem: (text: string) => void,
  redact: (entry: AuditEntry) => AuditEntry = (entry) => entry,
): AuditSink & { close(): void } {
  const file = openAppender(path)
  let { seq, prevHash } = lastRecord(path)
  let told = false
  return {
    record(entry, turnId) {
      const record = { v: 1, seq: ++seq, time: clock.timestamp(), sessionId, turnId, ...redact(entry), prevHash }
      const hash = digest.sha256(JSON.stringify(record))
      const problem = file.append({ ...record, hash })
      prevHash = hash
      if (problem !== undefined && !told) {
        told = true
        onProblem(`Decisions are not being recorded: ${problem}`)
      }
    },
    flush: async () => file.sync(),
    close: () => file.close(),
  }
}

/** Where the chain of an existing ledger stands; a new or unreadable one starts afresh. */
function lastRecord(path: string): { seq: number; prevHash: string } {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return { seq: 0, prevHash: chainStart }
  }
  for (const line of text.trimEnd().split('\n').reverse()) {
    try {
      const record = JSON.parse(line) as { seq?: unknown; hash?: unknown }
      if (typeof record.seq === 'number' && typeof record.hash === 'string')
        return { seq: record.seq, prevHash: record.hash }
    } catch {
      // A torn line; the one before it counts.
    }
  }
  return { seq: 0, prevHash: chainStart }
}
