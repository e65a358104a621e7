/** Reads the records of a session and checks them. */
import { checkLaws, type LawReport } from '@sluice/engine'
import { type RecordedSession, readRecords } from '@sluice/engine/adapters/session-records'
import { systemDigest } from '@sluice/engine/adapters/system'
import { type Paths, sessionFiles } from '../paths.ts'

export type { LawReport, RecordedSession }

export function readSession(paths: Paths, id: string): RecordedSession {
  const { transcript, trace, audit } = sessionFiles(paths, id)
  return readRecords(id, { transcript, trace, audit })
}

export function verifySession(session: RecordedSession): LawReport {
  return checkLaws(session, systemDigest)
}
