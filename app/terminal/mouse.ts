/** The wheel: one notch moves a few rows. */
import type { Token } from './tokens.ts'

export type Wheel = Token & { type: 'wheel' }

/** Rows that one notch scrolls. */
export const rowsPerNotch = 3
