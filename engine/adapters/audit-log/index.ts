/** The audit ledger: append-only decisions and outcomes, each record chained to the one before it by hash. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { AuditEntry, AuditSink, Clock, Digest } from '../../ports/index.ts'
import { openAppender } from '../append-line.ts'
import type { OnProblem } from '../disk-report.ts'
import { createTeller } from '../record-problem.ts'

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
  onProblem: OnProblem,
  redact: (entry: AuditEntry) => AuditEntry = (entry) => entry,
): AuditSink & { close(): void } {
  const file = openAppender(path)
  let { seq, prevHash } = lastRecord(path)
  const append = createTeller(file, 'The decisions are', onProblem)
  return {
    record(entry, turnId) {
      const record = {
        v: 1,
        seq: ++seq,
        time: clock.timestamp(),
        sessionId,
        turnId,
        ...(entry.type === 'seal' ? entry : redact(entry)),
        prevHash,
      }
      const hash = digest.sha256(JSON.stringify(record))
      append({ ...record, hash })
      prevHash = hash
    },
    flush: async () => file.sync(),
    close: () => file.close(),
  }
}

/** Where the chain of an existing ledger stands; a new or unreadable one starts afresh. Read from its end, as far as needed. */
function lastRecord(path: string): { seq: number; prevHash: string } {
  let fd: number | undefined
  try {
    fd = openSync(path, 'r')
    const { size } = fstatSync(fd)
    for (let length = 64 * 1024; ; length *= 8) {
      const found = lastOf(tail(fd, size, length), length >= size)
      if (found || length >= size) return found ?? { seq: 0, prevHash: chainStart }
    }
  } catch {
    return { seq: 0, prevHash: chainStart }
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function tail(fd: number, size: number, length: number): string {
  const bytes = Buffer.alloc(Math.min(size, length))
  readSync(fd, bytes, 0, bytes.length, size - bytes.length)
  return bytes.toString('utf8')
}

function lastOf(text: string, whole: boolean): { seq: number; prevHash: string } | undefined {
  const lines = text.trimEnd().split('\n')
  // The first line of a piece may be half of one.
  if (!whole) lines.shift()
  for (const line of lines.reverse()) {
    try {
      const record = JSON.parse(line) as { seq?: unknown; hash?: unknown }
      if (typeof record.seq === 'number' && typeof record.hash === 'string')
        return { seq: record.seq, prevHash: record.hash }
    } catch {
      // A torn line; the one before it counts.
    }
  }
  return undefined
}
