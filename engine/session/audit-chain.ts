/** The ledger's chain: each line carries the hash of itself and of the line before it. */
import type { Digest } from '../ports/index.ts'
import type { AuditRecord, LawBreak, RecordFile } from './recorded.ts'

/** Breaks in file order. The hash is taken over the very text of the line, so that nothing in it can be changed. */
export function checkChain(audit: RecordFile<AuditRecord>, digest: Digest): LawBreak[] {
  const breaks: LawBreak[] = []
  let before = { hash: '0'.repeat(64), seq: 0 }
  for (const { line, text, record } of audit.lines) {
    const report = (what: string) => breaks.push({ law: 'chain', file: 'audit', line, text: what })
    const body = bodyOf(text, record.hash)
    if (body === null) report('the record does not end with its hash')
    else if (digest.sha256(body) !== record.hash) report('the record was changed: its hash is not that of its text')
    if (record.prevHash !== before.hash) {
      report(
        before.seq === 0
          ? 'the first record does not begin a chain: records before it are missing'
          : `the record does not follow record ${before.seq}: something between them was removed, added or changed`,
      )
    } else if (record.seq !== before.seq + 1) report(`record ${record.seq} follows record ${before.seq}`)
    before = { hash: record.hash, seq: record.seq }
  }
  return breaks
}

/** The text that was hashed: the line without its last field. */
function bodyOf(text: string, hash: string): string | null {
  const end = `,"hash":"${hash}"}`
  return text.endsWith(end) ? `${text.slice(0, -end.length)}}` : null
}
