/** The ledger's seals: at the end of each turn it says what the transcript was, so that later changes of it show. */
import type { Digest } from '../ports/index.ts'
import { ownPart } from './inherited.ts'
import type { LawBreak, RecordedSession } from './recorded.ts'

/** Breaks by seal. Records that no seal covers are noted, unless there are no seals at all: older versions made none. */
export function sealBreaks(session: RecordedSession, digest: Digest, notes: string[]): LawBreak[] {
  const breaks: LawBreak[] = []
  const { transcript } = ownPart(session)
  const sealed = new Set<number>()
  let seals = 0
  for (const { line, record } of session.audit.lines) {
    if (record.type !== 'seal') continue
    seals++
    const { firstSeq, lastSeq } = record
    const own = transcript.lines.filter(({ record: { seq } }) => seq >= firstSeq && seq <= lastSeq)
    for (const one of own) sealed.add(one.line)
    if (digest.sha256(own.map(({ text }) => `${text}\n`).join('')) === record.transcript) continue
    const first = own[0]
    const what =
      own.length === record.lines
        ? `the records ${firstSeq} to ${lastSeq} are not what was written: one of them was changed`
        : `of the records ${firstSeq} to ${lastSeq} there were ${record.lines} and are ${own.length}`
    breaks.push(
      first === undefined
        ? { law: 'seal', file: 'audit', line, text: what }
        : { law: 'seal', file: 'transcript', line: first.line, text: what },
    )
  }
  const open = transcript.lines.length - sealed.size
  if (seals > 0 && open > 0)
    notes.push(`${open} records are not sealed: their process was cut off before the end of a turn, or still runs.`)
  return breaks
}
