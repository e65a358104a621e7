/** What is said of a session that has ended and whose records are not all on the disk. */
import type { Unsaved } from '../compose/session.ts'

/** Null where all of them are. */
export function lostWords(id: string, unsaved: Unsaved | null): string | null {
  if (unsaved === null) return null
  const { records, why, none } = unsaved
  if (none) return `Session ${id} is not kept: none of its records could be written: ${why}.`
  const last = records === 1 ? 'its last record' : `its last ${records} records`
  return `Session ${id} is kept without its end: ${last} could not be written: ${why}. ${goOn(id)}`
}

export function goOn(id: string): string {
  return `Go on with: sluice --resume ${id}`
}
