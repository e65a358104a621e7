/** Records of older versions as records of the present one: an explicit list that only grows, so that old sessions resume for ever. */

import type { AgentEvent } from '../protocol/index.ts'
import { recordVersion, toRecord } from './record-shape.ts'

/** Lifts one record from version `from` to the next; null when it has no counterpart there. */
export type Migration = { from: number; lift(record: Record<string, unknown>): Record<string, unknown> | null }

/** Version 1 is the first. A new version adds one line here and a folder of transcripts in fixtures/sessions. */
export const migrations: readonly Migration[] = []

/** `dropped`: valid, and without a counterpart today. `newer`: written by a newer program. `bad`: no record at all. */
export type ReadRecord =
  | { type: 'record'; event: AgentEvent }
  | { type: 'dropped' }
  | { type: 'newer'; version: number }
  | { type: 'bad' }

/** A parsed line as a record of the present version. */
export function readRecord(value: unknown, list: readonly Migration[] = migrations, to = recordVersion): ReadRecord {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return { type: 'bad' }
  let record = value as Record<string, unknown>
  const version = record.v
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 0) return { type: 'bad' }
  if (typeof record.seq !== 'number' || typeof record.type !== 'string') return { type: 'bad' }
  if (version > to) return { type: 'newer', version }
  for (let at = version; at < to; at++) {
    const migration = list.find((one) => one.from === at)
    if (migration === undefined) return { type: 'bad' }
    const lifted = migration.lift(record)
    if (lifted === null) return { type: 'dropped' }
    record = { ...lifted, v: at + 1 }
  }
  const event = toRecord(record)
  return event ? { type: 'record', event } : { type: 'bad' }
}
