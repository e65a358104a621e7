/** Wheel notches to rows: several notches in one frame add up, and one notch moves a few rows. */
import type { Token } from './tokens.ts'

export type Wheel = Token & { type: 'wheel' }

/** Rows that one notch scrolls. */
export const rowsPerNotch = 3

/** Rows to scroll for a run of notches; negative is up. */
export function wheelRows(notches: readonly Wheel[]): number {
  let rows = 0
  for (const notch of notches) rows += notch.direction === 'up' ? -rowsPerNotch : rowsPerNotch
  return rows
}
