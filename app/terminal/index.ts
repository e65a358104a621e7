/** What the app uses of the terminal. */
export { type Capabilities, readCapabilities, sizeOf } from './capabilities.ts'
export { type CopyResult, copyText } from './clipboard.ts'
export { normalizeKey } from './key-names.ts'
export { KeyProvider, type LeaderHint, useLeaderHint, useWheel } from './key-source.tsx'
export { rowsPerNotch, type Wheel, wheelRows } from './mouse.ts'
export type { NotifyEvent, NotifyMethod } from './notify.ts'
export type { EndingSignal, TerminalGuard } from './restore.ts'
export { openTerminal, type Terminal, type TerminalOptions } from './terminal.ts'
