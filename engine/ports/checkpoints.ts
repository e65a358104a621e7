/** What calls did to files, kept so that it can be undone: the state of each file before and after. */

/**
 * A file at one moment. `hash` is sha256 hex of its bytes, `mode` its permission bits; `kept` says that the bytes are
 * stored. `other` is what is never restored: a folder, a device.
 */
export type FileState =
  | { kind: 'absent' }
  | { kind: 'file'; hash: string; size: number; mode: number; kept: boolean }
  | { kind: 'link'; target: string }
  | { kind: 'other'; what: string }

/** `path` is canonical; `after` is null when the process ended before it was looked at. */
export type FileEffect = {
  path: string
  before: FileState
  after: FileState | null
  additions: number
  deletions: number
}

/** What one call changed. `turnId` is the id of the turn, or of the rewind that did it; `gaps` are sentences on what is not in it. */
export type CallEffects = {
  turnId: string
  callId: string
  tool: string
  /** ISO 8601, when it began. */
  time: string
  files: FileEffect[]
  gaps: string[]
}

export type WatchedCall = {
  turnId: string
  callId: string
  tool: string
  /** The files it may write, canonical; null when that can be anything in the workspace. */
  writes: readonly string[] | null
  signal: AbortSignal
}

export type RestoreResult = { ok: true } | { ok: false; problem: string }

export interface Checkpoints {
  /** A call that may change anything is likely to run soon: gets the slow part done while a person decides. Never throws. */
  expect(): void
  /**
   * Keeps what a call may change; it may run once this resolves, which takes a bounded time. `end` is called when it has
   * ended, and returns at once: the next `begin` waits for what it has to do. Neither throws nor rejects.
   */
  begin(call: WatchedCall): Promise<{ end(): void }>
  /** Everything recorded, oldest first; waits for calls that have ended. Never rejects. */
  effects(): Promise<CallEffects[]>
  /** Adds what was done otherwise; `before` must have been `look`ed at with `keep`. */
  record(effects: CallEffects): void
  /** The state of a file now; with `keep` its bytes are stored, whatever the size. */
  look(path: string, keep?: boolean): Promise<FileState>
  /** Kept bytes; null when they are not (any more). */
  content(hash: string): Promise<Uint8Array | null>
  /** The bytes of a file as it is now; null when it is no regular file. */
  bytes(path: string): Promise<Uint8Array | null>
  /**
   * Brings a file from one state into another, as a whole or not at all; refuses when it is not in the first one any
   * more, or when its folder now leads somewhere else. `since` is when the change began that is undone: empty folders that
   * are younger go with their last file.
   */
  restore(path: string, from: FileState, to: FileState, since: string): Promise<RestoreResult>
  /** Why effects of commands are not captured at all in this folder; null when they are, as far as known. */
  unavailable(): string | null
  close(): Promise<void>
}
